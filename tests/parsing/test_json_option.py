"""What the reader `json_option` takes for a choice."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing import JsonOptionParser

GRADES = JsonOptionParser(("Very Good", "Good", "Bad"))
NUMBERS = JsonOptionParser(("1", "2", "10", "0.5"), field="grade")


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ('{"choice": "Good"}', "Good"),
        ('{"choice": " **very good**. "}', "Very Good"),
        ('```json\n{"reasoning": "Bad?", "choice": "Good"}\n```', "Good"),
        ('Here it is: {"choice": "Bad"}. Done.', "Bad"),
        ('{"choice": "Bad"} and once more {"choice": "BAD"}', "Bad"),
        ('<think>{"choice": "Good"}</think>{"choice": "Bad"}', "Bad"),
    ],
)
def test_the_option_in_the_field_is_read(reply: str, option: str) -> None:
    assert GRADES.parse(reply).value == option


@pytest.mark.parametrize(("value", "option"), [("1", "1"), ("2.0", "2"), ("10", "10"), ('"10"', "10"), ("0.5", "0.5")])
def test_a_number_is_the_option_that_is_this_number(value: str, option: str) -> None:
    assert NUMBERS.parse(f'{{"grade": {value}}}').value == option


@pytest.mark.parametrize(
    "reply",
    [
        "Good",
        "{}",
        '{"grade": "Good"}',
        '{"choice": "It is Good"}',
        '{"choice": "Goood"}',
        '{"choice": "Good or Bad"}',
        '{"choice": ""}',
        '{"choice": null}',
        '{"choice": true}',
        '{"choice": ["Good"]}',
        '{"choice": 1}',
        '[{"choice": "Good"}]',
        '{"choice": "Good',
    ],
)
def test_what_is_no_option_in_its_field_is_never_guessed(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        GRADES.parse(reply)
    assert caught.value.kind is None


def test_options_that_differ_are_ambiguous_wherever_they_stand() -> None:
    for reply in ('It says {"choice": "Good"}.\n{"choice": "Bad"}', '{"choice": "Good", "choice": "Bad"}'):
        with pytest.raises(ParseError) as caught:
            GRADES.parse(reply)
        assert caught.value.kind is FailureKind.AMBIGUOUS


def test_of_a_cut_reply_a_whole_object_is_read() -> None:
    grade = GRADES.parse('{"reasoning": "Fine.", "choice": "Good"}\nIt', cut=True)
    assert (grade.value, grade.explanation, grade.cut) == ("Good", "Fine.", True)
    with pytest.raises(ParseError):
        GRADES.parse('{"choice": "Good"', cut=True)


def test_options_that_cannot_be_told_apart_are_refused() -> None:
    with pytest.raises(ConfigError, match="read the same"):
        JsonOptionParser(("Good", "good"))


@settings(max_examples=50)
@given(st.sampled_from(GRADES.options), st.text(st.characters(exclude_categories=["Cs"])).map(str.strip))
def test_what_is_written_reads_back(option: str, words: str) -> None:
    grade = Grade(option, words, {"reasoning": words, "choice": option})
    assert GRADES.parse(GRADES.write(grade)) == grade
