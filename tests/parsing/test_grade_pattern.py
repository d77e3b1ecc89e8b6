"""What the reader `grade` takes for a grade by a pattern of the user's own."""

from __future__ import annotations

import pytest

from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.parsing.grade_pattern import GradePatternParser

PASS_FAIL = GradePatternParser(r"GRADE:\s*(PASS|FAIL)")


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("GRADE: PASS", "PASS"),
        ("GRADE:\nPASS", "PASS"),
        ("GRADE: FAIL\nNo:\nGRADE: PASS.", "PASS"),
        ("<think>GRADE: FAIL</think>GRADE: PASS", "PASS"),
        ("The candidate wrote GRADE: FAIL\nGRADE: PASS because it is right", "PASS"),
        ("```\nGRADE: FAIL\n```\nGRADE: PASS", "PASS"),
        ("GRADE: PASS, so GRADE: PASS", "PASS"),
    ],
)
def test_the_last_match_is_read(reply: str, grade: str) -> None:
    assert PASS_FAIL.parse(reply).value == grade


@pytest.mark.parametrize(
    ("pattern", "reply", "grade"),
    [
        (r"(?i)grade:\s*(\w+)", "Grade: pass", "pass"),
        (r"(?P<grade>[A-D])$", "I say B", "B"),
        (r"(?m)^Verdict = ([^\n]+)$", "Verdict = very good\nbye", "very good"),
        (r"(?s)BEGIN(.+?)END", "BEGIN\n7\nEND", "\n7\n"),
        (r"(?<=is )(\d)(?! of)", "it is 3 of 4, it is 5", "5"),
        (r"(?x) rank \s+ (\d+) # the { place", "rank 12", "12"),
        (r"(yes|no){s}", "yes{s}", "yes"),
        (r"GRADE: ([[:alpha:]])", "GRADE: []", "[]"),
        (r"([a-z&&[^b]]+)x", "&]]x", "&]]"),
        (r"(a{2,3})!", "aaa!", "aaa"),
        (r"(a{,2})!", "aaa!", "aa"),
        (r"\{(\w)\}", "{C}", "C"),
        (r"[]{](\w)", "{C", "C"),
    ],
)
def test_a_pattern_means_what_it_means_to_re(pattern: str, reply: str, grade: str) -> None:
    assert GradePatternParser(pattern).parse(reply).value == grade


@pytest.mark.parametrize("pattern", ["GRADE: .", r"(GRADE): (.)", r"(?:GRADE): ."])
def test_a_pattern_needs_exactly_one_group(pattern: str) -> None:
    with pytest.raises(ConfigError, match="exactly one group"):
        GradePatternParser(pattern)


@pytest.mark.parametrize("pattern", ["(", "(*)", r"(\p{L})", r"(?|(a)|b)"])
def test_a_pattern_that_re_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="not a regular expression"):
        GradePatternParser(pattern)


def test_grades_that_differ_on_the_line_of_the_last_match_are_ambiguous() -> None:
    with pytest.raises(ParseError) as caught:
        PASS_FAIL.parse("GRADE: PASS or GRADE: FAIL")
    assert caught.value.kind is FailureKind.AMBIGUOUS


def test_a_grade_outside_the_list_is_refused() -> None:
    parser = GradePatternParser(r"GRADE:\s*(\S+)", ("PASS", "FAIL"))
    with pytest.raises(ParseError, match="one of PASS, FAIL"):
        parser.parse("GRADE: FAIL\nGRADE: MAYBE")


def test_no_match_and_an_empty_reply_are_told_apart() -> None:
    with pytest.raises(ParseError, match="finds nothing") as caught:
        PASS_FAIL.parse("GRADE: C")
    assert caught.value.kind is None
    with pytest.raises(ParseError) as caught:
        PASS_FAIL.parse("")
    assert caught.value.kind is FailureKind.EMPTY


def test_of_a_cut_reply_the_match_must_be_followed_by_a_line_break() -> None:
    assert PASS_FAIL.parse("GRADE: PASS\nIt", cut=True).cut
    with pytest.raises(ParseError, match="cut"):
        PASS_FAIL.parse("GRADE: FAIL\nGRADE: PASS", cut=True)


@pytest.mark.parametrize(
    ("pattern", "reply"),
    [
        (r"(a+)+$", "a" * 30 + "b"),
        (r"(a|aa)+$", "a" * 40 + "b"),
        (r"(?:\w+\s?)*(!)$", "a b " * 2000 + "?"),
        (r"^(?:(?:a+)+)+(\d)", "a" * 30),
        (r"(?:x+x+)+(y)", "x" * 30),
    ],
)
def test_an_evil_pattern_is_stopped(pattern: str, reply: str) -> None:
    with pytest.raises(ParseError):
        GradePatternParser(pattern).parse(reply)
