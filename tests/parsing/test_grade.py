"""What the reader `grade` takes for a grade, without a pattern of the user's own."""

from __future__ import annotations

import pytest

from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.parsing.grade import GradeParser

ANY = GradeParser()
BINARY = GradeParser(("C", "I"))
WORDS = GradeParser(("Bad", "Could be Improved", "Improved", "N/A", "B", "B+"))


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("GRADE: C", "C"),
        ("It is right.\nGRADE: C", "C"),
        ("**GRADE:** C", "C"),
        ("**GRADE: C**", "C"),
        ("## Grade: C", "C"),
        ("grade: c", "C"),
        ("GRADE: C.", "C"),
        ('GRADE: "C"', "C"),
        ("GRADE: [C]", "C"),
        ("GRADE:C\r\n", "C"),
        ("So it gets GRADE: C", "C"),
        ("GRADE: C or GRADE: I is asked for.\n\nGRADE: C", "C"),
        ("GRADE: I\nOn second thought:\nGRADE: C", "C"),
        ("> GRADE: I\nGRADE: C", "C"),
        ("GRADE: C\n> GRADE: I", "C"),
        ("GRADE: C, yes, GRADE: C", "C"),
        ("GRADE: C\nThat is all.", "C"),
        ("<think>GRADE: I</think>GRADE: C", "C"),
        ("GRADE: I</think>\nGRADE: C", "C"),
        ("```\nGRADE: I\n```\nGRADE: C", "C"),
        ("The candidate wrote GRADE: I\nGRADE: C", "C"),
        ("An UPGRADE: I\nGRADE: C", "C"),
    ],
)
def test_the_last_line_that_ends_with_a_grade_is_read(reply: str, grade: str) -> None:
    assert BINARY.parse(reply).value == grade


@pytest.mark.parametrize(
    "reply",
    [
        "C",
        "GRADE C",
        "GRADE: Correct",
        "GRADE: C because it is right",
        "GRADE: P",
        "GRADE: C/I",
        "GRADE:\nC",
        "> GRADE: C",
        "UPGRADE: C",
        "The candidate wrote GRADE: C\nGRADE: none",
        "GRADE: C\nGRADE: I because it is wrong",
        "GRADE: \u0421",
    ],
)
def test_what_is_no_grade_is_never_guessed(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        BINARY.parse(reply)
    assert caught.value.kind is None


@pytest.mark.parametrize("reply", ["GRADE: C or GRADE: I", "GRADE: I\nGRADE: C, no, GRADE: I"])
def test_grades_that_differ_on_the_last_line_are_ambiguous(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        BINARY.parse(reply)
    assert caught.value.kind is FailureKind.AMBIGUOUS


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("GRADE: could be improved", "Could be Improved"),
        ("GRADE: B+", "B+"),
        ("GRADE: B", "B"),
        ("GRADE: N/A.", "N/A"),
    ],
)
def test_a_grade_of_several_words_is_read_whole(reply: str, grade: str) -> None:
    assert WORDS.parse(reply).value == grade


@pytest.mark.parametrize(
    ("reply", "grade"), [("GRADE: 4.5", "4.5"), ("GRADE: NOT_SAFE.", "NOT_SAFE"), ("**GRADE: A-**", "A-")]
)
def test_without_a_list_any_word_is_a_grade(reply: str, grade: str) -> None:
    assert ANY.parse(reply).value == grade


def test_an_empty_reply_is_told_apart() -> None:
    with pytest.raises(ParseError) as caught:
        ANY.parse(" ")
    assert caught.value.kind is FailureKind.EMPTY


def test_the_explanation_is_the_rest_of_the_reply() -> None:
    assert BINARY.parse("It is right.\n\n**GRADE: C**").explanation == "It is right."
    assert BINARY.parse("It is right, so GRADE: C").explanation == "It is right, so"


def test_of_a_cut_reply_a_full_grade_line_is_read() -> None:
    assert BINARY.parse("GRADE: C\nIt is", cut=True).cut
    for reply in ("GRADE: C", "It says GRADE: C\nGRADE: I", "GRADE: I\nGRADE:"):
        with pytest.raises(ParseError):
            BINARY.parse(reply, cut=True)


@pytest.mark.parametrize("grades", [("C", "c"), ("C", ""), (" C",)])
def test_a_list_of_grades_must_be_clear(grades: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError):
        GradeParser(grades)


@pytest.mark.parametrize("reply", ["GRADE: 10", "GRADE: 4.5", "GRADE: 0", "GRADE: 4/5", "GRADE: -1", "GRADE: 4-5"])
def test_a_number_between_or_beside_the_levels_is_none_of_them(reply: str) -> None:
    with pytest.raises(ParseError):
        GradeParser(("1", "2", "3", "4", "5")).parse(f"Reasons.\n{reply}")
