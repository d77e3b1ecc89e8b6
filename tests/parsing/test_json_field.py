"""What the reader `json` takes for a verdict."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing import JsonParser

JSON = JsonParser()


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"score": 8.5}', 8.5),
        ('{"score": "8.5"}', 8.5),
        ('{"score": " 1e3 "}', 1000),
        ('{"score": -3}', -3),
        ('  {"reasoning": "ok", "score": 8}\n', 8),
        ('```json\n{"score": 8}\n```', 8),
        ('```\n{"score": 8}\n```', 8),
        ('Here it is:\n```json\n{"score": 8}\n```\nThat is all.', 8),
        ('I think {it} is good: {"score": 8}. Done.', 8),
        ('{"score": 8} and once more {"score": 8.0}', 8),
        ('{"score": 8}\n{"name": "no verdict"}', 8),
        ('[{"score": 3}] came first, so {"score": 8}', 8),
        ('<think>{"score": 1}</think>{"score": 9}', 9),
        ('{"score": 1} it begins</think>{"score": 9}', 9),
        ('{"reasoning": "It forgot </think> and <think>.", "score": 2}', 2),
        ('```json\n{"reasoning": "It writes <think> first.", "score": 2}\n```', 2),
        ('{"reasoning": "{\\"score\\": 10}", "score": 2}', 2),
        ('{"details": {"score": 10}, "score": 2}', 2),
    ],
)
def test_the_number_of_the_first_object_is_read(reply: str, value: float) -> None:
    assert JSON.parse(reply).value == value


@pytest.mark.parametrize(
    "reply",
    [
        "8",
        "Score: 8",
        "{}",
        "{score: 8}",
        "{'score': 8}",
        '[{"score": 8}]',
        '{"rating": 8}',
        '{"rating": 8} {"score": 9}',
        '{"details": {"score": 8}}',
        '{"score": null}',
        '{"score": true}',
        '{"score": [8]}',
        '{"score": {"value": 8}}',
        '{"score": ""}',
        '{"score": "8/10"}',
        '{"score": "eight"}',
        '{"score": "NaN"}',
        '{"score": "1e999"}',
        '{"score": "\u0668"}',
        '{"score": NaN}',
        '{"score": Infinity}',
        '{"score": -Infinity}',
        '{"score": 1e999}',
        '{"score": 8, "other": 1e999}',
        f'{{"score": {"1" * 5000}}}',
        f'{{"score": 8, "other": {"1" * 5000}}}',
        '{"score": 8,}',
        '{"score": 8',
        '{"score": 8} and then {"reasoning": "it was',
        '{"score": 8} and then {"score" 9}',
        '{"score": 8, "a": {"b": 1, "b": 1}}',
        '{"score":' + '{"a":' * 100_000 + "1" + "}" * 100_001,
        '{"score": ' + "[" * 100_000,
    ],
)
def test_what_is_no_number_in_its_field_is_never_guessed(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        JSON.parse(reply)
    assert caught.value.kind is None


@pytest.mark.parametrize(
    "reply",
    [
        '{"score": 3}\n{"score": 9}',
        'It says {"score": 10}.\n```json\n{"score": 2}\n```',
        '{"score": 3}\n{"score": null}',
        '{"score": 3, "score": 9}',
        '{"score": 3, "score": 3}',
        '{"score": 3, "deep": {"score": 1, "score": 2}}',
    ],
)
def test_verdicts_that_differ_are_ambiguous_wherever_they_stand(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        JSON.parse(reply)
    assert caught.value.kind is FailureKind.AMBIGUOUS


@pytest.mark.parametrize("reply", ["", " \n", '<think>{"score": 8}</think>'])
def test_an_empty_reply_is_told_apart(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        JSON.parse(reply)
    assert caught.value.kind is FailureKind.EMPTY


def test_another_field_may_hold_the_score() -> None:
    assert JsonParser("overall").parse('{"score": 1, "overall": 8}').value == 8
    with pytest.raises(ParseError, match="has no field 'overall'; it has score, note"):
        JsonParser("overall").parse('{"score": 1, "note": "overall"}')


def test_the_parts_are_the_whole_object_in_its_order() -> None:
    grade = JSON.parse('{"accuracy": 8, "score": "7.5", "deep": {"names": ["a", null, true]}}')
    assert grade.parts == {"accuracy": 8, "score": "7.5", "deep": {"names": ["a", None, True]}}
    assert list(grade.parts) == ["accuracy", "score", "deep"]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ('{"score": 8, "explanation": " Right. ", "reasoning": "no"}', "Right."),
        ('{"score": 8, "explanation": 3, "reasoning": "Right."}', "Right."),
        ('{"score": 8, "explanation": "", "rationale": "Right."}', "Right."),
        ('{"score": 8, "comment": "last", "feedback": "Right."}', "Right."),
        ('{"score": 8, "reason": "Right."} There is more.', "Right."),
        ('{"score": 8, "words": "Right."}', ""),
    ],
)
def test_the_explanation_is_the_first_field_that_explains(reply: str, words: str) -> None:
    assert JSON.parse(reply).explanation == words


def test_a_number_named_as_an_explanation_explains_nothing() -> None:
    assert JsonParser("feedback").parse('{"feedback": "8", "comment": "Right."}').explanation == "Right."


def test_of_a_cut_reply_a_whole_object_is_read() -> None:
    grade = JSON.parse('{"score": 8}\n\nThe first point', cut=True)
    assert (grade.value, grade.cut) == (8, True)
    for reply in ('{"score": 8', 'It says {"score": 10}. {"reasoning": "it is wr'):
        with pytest.raises(ParseError):
            JSON.parse(reply, cut=True)


leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(leaves, lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each))
texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    rest=st.dictionaries(texts.map("field {}".format), values),
    value=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**9), 10**9),
    explanation=texts.map(str.strip),
)
def test_what_is_written_reads_back(rest: dict[str, Any], value: float, explanation: str) -> None:
    grade = Grade(value, explanation, {"score": value, **rest, "explanation": explanation})
    assert JSON.parse(JSON.write(grade)) == grade


def test_the_writer_puts_the_reasoning_first() -> None:
    parts = {"score": 8.5, "accuracy": 9, "reasoning": "Right."}
    assert JSON.write(Grade(8.5, "Right.", parts)) == '{"reasoning": "Right.", "score": 8.5, "accuracy": 9}'


@pytest.mark.parametrize(
    "grade",
    [
        Grade(8.0, "Right."),
        Grade(8.0, "Right.", {"score": 8.0}),
        Grade(8.0, "", {"score": 9.0}),
        Grade(8.0, "", {"rating": 8.0}),
        Grade(8.0, "", {"score": 8.0, "when": object()}),
        Grade(8.0, "", {"score": 8.0, "pair": (1, 2)}),
        Grade(8.0, "", {"score": 8.0, "odd": float("nan")}),
        Grade("C", "", {"score": "C"}),
    ],
)
def test_a_grade_that_its_parts_do_not_hold_is_never_written(grade: Grade) -> None:
    with pytest.raises(ValueError, match=r"cannot carry|not JSON compliant"):
        JSON.write(grade)
