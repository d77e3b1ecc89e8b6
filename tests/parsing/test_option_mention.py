"""Where a line names an option, and where it only seems to."""

from __future__ import annotations

import pytest

from gavelkit.parsing.option_mention import mentions, negated

NUMBERS = ("1", "2", "3", "4", "5")
LETTERS = ("A", "B", "C")


def named(line: str, options: tuple[str, ...]) -> list[str]:
    return [found.option for found in mentions(line, options)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("4", ["4"]),
        ("Answer:4", ["4"]),
        ("**4**", ["4"]),
        ("a 4, or maybe a 5", ["4", "5"]),
        ("4/5", ["4"]),
        ("4 / 5", ["4"]),
        ("4 out of 5", ["4"]),
        ("5/5", ["5"]),
        *((line, []) for line in ("10", "14", "4/10", "4 out of 10", "1/2", "4.5", "4,5", "-4", "+4", ".4", "4%")),
        *((line, []) for line in ("4-5", "4 - 5", "4\u20135", "4th", "x4", "4/50", "1:2", "2 out of 3")),
    ],
)
def test_a_number_is_named_where_it_stands_for_itself(line: str, found: list[str]) -> None:
    assert named(line, NUMBERS) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Option A is best", ["A"]),
        ("it is (a)", ["A"]),
        ("it is **b**", ["B"]),
        ("it is a good one", []),
        ("A+", []),
        ("A- for effort", []),
        ("vitamin-C", []),
        ("A_1", []),
        ("_A_", ["A"]),
    ],
)
def test_a_single_letter_is_no_small_word(line: str, found: list[str]) -> None:
    assert named(line, LETTERS) == found


def test_the_place_is_that_of_the_line_as_it_came() -> None:
    line = "Cafe\u0301 stra\u00dfe: good"
    assert [line[each.start :] for each in mentions(line, ("Good",))] == ["good"]


def test_what_a_longer_name_covers_is_not_named_and_what_overlaps_is() -> None:
    assert named("very good", ("good", "very good")) == ["very good"]
    assert named("very good idea", ("very good", "good idea")) == ["very good", "good idea"]


def test_a_contraction_names_no_option() -> None:
    assert named("it won't do", ("Won", "Lost")) == []


@pytest.mark.parametrize(
    ("before", "says"),
    [
        ("it is not ", True),
        ("not a very ", True),
        ("not in any way ", False),
        ("it isn't ", True),
        ("it doesn\u2019t look ", True),
        ("cannot be called ", True),
        ("neither ", True),
        ("nothing ", False),
        ("", False),
    ],
)
def test_a_negation_reaches_three_words(before: str, says: bool) -> None:  # noqa: FBT001 - pytest gives it by name
    assert negated(before) is says
