"""How grades are read and become scores: `parse_grade` as its users know it, and the stricter reading of a judgment."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.core.errors import ConfigError, OutOfRange, ParseError
from gavelkit.integrations.nemo_byob_grades import parse_grade, read_grade, score_of
from gavelkit.parsing import GradePatternParser

CI = r"GRADE:\s*([CI])"


@pytest.mark.parametrize(
    ("reply", "structured", "grade"),
    [
        ("GRADE: C", False, "C"),
        ("GRADE: C then GRADE: I", False, "C"),
        ("grade: C", False, None),
        ('{"grade":"C"} GRADE: I', False, "I"),
        ('{"grade":"C"} GRADE: I', True, "I"),
        ('{"grade":"C", "note":"GRADE: I"}', True, "C"),
        ('It is {"grade":"C"}.', False, "C"),
        ('{"verdict":"V","rating":"R","score":"S"}', True, "S"),
        ('{"rating": 4}', True, "4"),
        ('{"rating": 4.0}', True, "4"),
        ('{"score": true}', True, "True"),
        ('{"score": null}', True, None),
        ("[1, 2]", True, None),
        ("{broken", False, None),
        ("", False, None),
        (None, True, None),
    ],
)
def test_a_grade_is_parsed_from_the_object_the_pattern_or_braces(
    reply: str | None,
    structured: bool,  # noqa: FBT001 - a column of the table
    grade: str | None,
) -> None:
    assert parse_grade(reply, CI, structured) == grade


def test_a_pattern_needs_exactly_one_group() -> None:
    with pytest.raises(ConfigError, match="exactly one group"):
        parse_grade("GRADE: C", "GRADE: C")


def test_a_pattern_that_would_never_end_finds_nothing_and_ends() -> None:
    endless = r"^(?:a|a|aa)+$(x)"
    assert parse_grade("a" * 5_000 + "b", endless) is None
    with pytest.raises(ParseError, match="took longer"):
        read_grade("a" * 5_000 + "b", GradePatternParser(endless))


@settings(max_examples=40)
@given(st.text(alphabet='{}"GRADE: CI1,\n', max_size=40))
def test_the_last_grade_of_a_reply_is_read_exactly_where_parsing_finds_one(reply: str) -> None:
    parsed = parse_grade(reply, CI)
    if parsed is None:
        with pytest.raises(ParseError):
            read(reply)
    elif reply.count("GRADE") == 1:
        assert read(reply) == parsed


def test_deep_json_is_no_grade() -> None:
    assert parse_grade("[" * 100_000, CI, structured=True) is None


def read(reply: str, *, structured: bool = False) -> str:
    return read_grade(reply, GradePatternParser(CI), structured=structured)


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("GRADE: C\nGRADE: I", "I"),
        ("<think>GRADE: I</think>GRADE: C", "C"),
        ("<think>a</think>GRADE: C </think> said", "C"),
        ('Well: {"grade": "I"} and {"grade": "C"}', "C"),
        ('{"reasoning": "with {braces}", "grade": "C"}', "C"),
    ],
)
def test_a_judgment_is_read_without_thinking_and_the_last_match_counts(reply: str, grade: str) -> None:
    assert read(reply) == grade


def test_a_structured_reply_may_stand_in_a_fence() -> None:
    assert read('```json\n{"reasoning": "good", "grade": "C"}\n```', structured=True) == "C"


@pytest.mark.parametrize("reply", ["", "nothing", "GRADE: C, no, GRADE: I", "x <think> GRADE: C", '{"grade": "C'])
def test_what_has_no_one_grade_is_refused(reply: str) -> None:
    with pytest.raises(ParseError):
        read(reply)


def test_a_structured_reply_whose_grade_is_null_is_not_searched_for_another() -> None:
    with pytest.raises(ParseError, match="null"):
        read('{"reasoning": "GRADE: C", "grade": null}', structured=True)


@pytest.mark.parametrize(("grade", "score"), [("C", 1.0), ("0.25", 0.25), (" 7. ", 7.0), (5, 5.0), ("-3", -3.0)])
def test_a_grade_is_mapped_else_read_as_a_number(grade: Any, score: float) -> None:
    assert math.isclose(score_of(grade, {"C": 1.0}), score)


@pytest.mark.parametrize("grade", ["c", "7**", "", "nan", "inf", [], {}, None, 10**400, "True"])
def test_what_is_neither_is_no_score(grade: Any) -> None:
    with pytest.raises(OutOfRange, match="neither in score_mapping nor a finite number"):
        score_of(grade, {"C": 1.0})
