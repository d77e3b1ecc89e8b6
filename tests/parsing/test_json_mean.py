"""What the reader `json` takes for a verdict where several fields hold scores."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing import JsonMeanParser

FIELDS = (("right", 10.0), ("near", 5.0))
MEAN = JsonMeanParser(FIELDS)
CLAMPED = JsonMeanParser(FIELDS, clamp=True)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"right": 10, "near": 5}', 1.0),
        ('{"right": 0, "near": 0}', 0.0),
        ('{"right": 8, "near": 5}', 0.9),
        ('{"near": "2.5", "right": "5"}', 0.5),
        ('Here it is:\n```json\n{"right": 5, "near": 0, "note": 9}\n```', 0.25),
        ('<think>{"right": 1, "near": 1}</think>{"right": 10, "near": 5}', 1.0),
        ('{"right": 10, "near": 5} and once more {"near": 5.0}', 1.0),
    ],
)
def test_each_field_counts_as_a_share_of_the_most_it_can_be(reply: str, value: float) -> None:
    assert MEAN.parse(reply).value == value


@pytest.mark.parametrize(
    "reply",
    [
        "8",
        "right: 8, near: 4",
        '{"right": 8}',
        '{"right": 8} {"near": 4}',
        '{"right": 8, "near": null}',
        '{"right": true, "near": 4}',
        '{"right": "8/10", "near": 4}',
        '{"right": 8, "near": NaN}',
        '{"right": 8, "near": 4',
    ],
)
def test_a_mean_of_what_is_not_all_there_is_never_made(reply: str) -> None:
    for parser in (MEAN, CLAMPED):
        with pytest.raises(ParseError) as caught:
            parser.parse(reply)
        assert caught.value.kind is None


@pytest.mark.parametrize("later", ['{"right": 9, "near": 4}', '{"near": 3}', '{"right": null}', '{"near": 9}'])
def test_an_object_that_differs_in_any_field_is_ambiguous(later: str) -> None:
    with pytest.raises(ParseError) as caught:
        CLAMPED.parse(f'{{"right": 8, "near": 4}}\n{later}')
    assert caught.value.kind is FailureKind.AMBIGUOUS


def test_a_number_outside_its_range_is_no_verdict_unless_it_may_be_moved_to_the_nearer_end() -> None:
    for reply, moved in [('{"right": 12, "near": 0}', 0.5), ('{"right": 10, "near": -3}', 0.5)]:
        with pytest.raises(ParseError, match="which lies outside 0 to"):
            MEAN.parse(reply)
        assert CLAMPED.parse(reply).value == moved


def test_the_parts_hold_every_field_as_it_was_written() -> None:
    grade = CLAMPED.parse('{"reasoning": "Half.", "right": 12, "near": "0"}')
    assert grade == Grade(0.5, "Half.", {"reasoning": "Half.", "right": 12, "near": "0"})


def test_of_a_cut_reply_a_whole_object_is_read() -> None:
    assert MEAN.parse('{"right": 8, "near": 4}\nThe', cut=True) == Grade(0.8, "", {"right": 8, "near": 4}, cut=True)
    with pytest.raises(ParseError):
        MEAN.parse('{"right": 8, "near": 4', cut=True)


@given(right=st.integers(0, 10), near=st.integers(0, 10))
def test_the_mean_is_exact_so_that_a_threshold_is_met_when_it_is_met(right: int, near: int) -> None:
    parser = JsonMeanParser((("right", 10), ("near", 10)))
    assert parser.parse(f'{{"right": {right}, "near": {near}}}').value == (right + near) / 20


@given(right=st.floats(0, 10), near=st.floats(0, 5), explanation=st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_written_reads_back(right: float, near: float, explanation: str) -> None:
    parts = {"right": right, "near": near, "reasoning": explanation}
    value = MEAN.parse(f'{{"right": {right!r}, "near": {near!r}}}').value
    grade = Grade(value, explanation.strip(), parts)
    assert MEAN.parse(MEAN.write(grade)) == grade


def test_a_grade_that_its_parts_do_not_hold_is_never_written() -> None:
    for grade in (Grade(0.5), Grade(0.5, "", {"right": 5}), Grade(0.5, "", {"right": 10, "near": 5})):
        with pytest.raises(ValueError, match="cannot carry"):
            MEAN.write(grade)


@pytest.mark.parametrize("fields", [(), (("right", 0.0),), (("right", 10.0), ("near", -1.0))])
def test_a_mean_of_nothing_is_refused(fields: tuple[tuple[str, float], ...]) -> None:
    with pytest.raises(ConfigError, match="a mean needs fields"):
        JsonMeanParser(fields)
