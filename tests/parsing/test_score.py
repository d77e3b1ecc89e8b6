"""What the readers `score` and `score_first` take for a score."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.parsing.score import ScoreFirstParser, ScoreParser

SCORE = ScoreParser()
FIRST = ScoreFirstParser()

ONE_SCORE = [
    ("Score: 8.5", 8.5),
    ("**Score:** 7", 7),
    ("Score: **7**", 7),
    ("## Score: 7", 7),
    ("Score: 8/10", 8),
    ("Score: -3", -3),
    ("Score: 1e3", 1000),
    ("Score:\n8", 8),
    ("Overall Score: 6\nScore: 9", 9),
    ("Score: +3", 3),
    ("Score: .5", 0.5),
    ("Score: 8.", 8),
    ("Score: -.5e-1", -0.05),
    ("Score:8", 8),
    ("score: 8", 8),
    ("SCORE : 8", 8),
    ("**Score**: 7", 7),
    ("__Score:__ 7", 7),
    ("- **Score: 7**", 7),
    ("`Score: 7`", 7),
    ("```\nScore: 7\n```", 7),
    ("```Score: 7```", 7),
    ("   Score:\t7  ", 7),
    ("Score: 8 / 10", 8),
    ("Score: **8**/10", 8),
    ("Score: 8 out of 10", 8),
    ("Score: 8, because it is short", 8),
    ("Score: 8.5.", 8.5),
    ("Score: 8%", 8),
    ("Score: 8 - 2 small errors", 8),
    ("Score: 8\u5206", 8),
    ("## Score:\n\n**8**", 8),
    ("Score:\r\n8/10.\r\n", 8),
    ("Reasoning.\r\nScore: 8\r\n", 8),
    ("Score: 8\nScore: 8.0", 8),
    ("Score: 8, so the final score: 8", 8),
    ("Score: X.XX is asked for.\nScore: 7", 7),
    ("> Score: 10\nScore: 2", 2),
    ("  > Score: 10\nScore: 2", 2),
    ("The candidate says Score: 10, which is bold.\nScore: 2", 2),
    ("<think>Score: 10</think>Score: 2", 2),
    ("Score: 10</think>\nScore: 2", 2),
]
NO_SCORE = [
    "Score: 8,5",
    "Score: NaN",
    "Score: inf",
    "8",
    "Score: 1e999",
    "Score: -1e999",
    f"Score: {'1' * 5000}",
    "Score:",
    "Score: X.XX",
    "Score: eight",
    "Score: N/A",
    "Score: 8.5.2",
    "Score: 1,000",
    "Score: 1_000",
    "Score: 8:30",
    "Score: 8th",
    "Score: 8\u00bd",
    "Score: 7-8",
    "Score: 7\u20138 / 10",
    "Score: 7 to 8",
    "Score: 7 or 8 out of 10",
    "Score: 1e",
    "Score: \uff18",
    "Score: 8\u0669",
    "Score: \u0663",
    "\uff33core: 8",
    "\u017fcore: 8",
    "Score\uff1a8",
    "S\u200bcore: 8",
    "> Score: 10",
    "Overall Score: 6",
    "So I say Score: 8",
    "Scores: 8",
    "Score:\n3 of its claims are wrong",
    "Score:\n- Accuracy: 8",
    "The score is 8.",
    "10",
]


@pytest.mark.parametrize(("reply", "value"), ONE_SCORE)
@pytest.mark.parametrize("parser", [SCORE, FIRST], ids=["score", "score_first"])
def test_one_score_is_read_by_both_readers(parser: ScoreParser | ScoreFirstParser, reply: str, value: float) -> None:
    grade = parser.parse(reply)
    assert grade.value == value
    assert not grade.ambiguous


@pytest.mark.parametrize("reply", NO_SCORE, ids=lambda reply: reply[:20])
@pytest.mark.parametrize("parser", [SCORE, FIRST], ids=["score", "score_first"])
def test_what_is_no_score_is_never_guessed(parser: ScoreParser | ScoreFirstParser, reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        parser.parse(reply)
    assert caught.value.kind is None


DIFFERING = [
    ("Score: 10\nScore: 2", 10),
    ("The candidate wrote:\nScore: 10\nI disagree.\n**Score:** 2", 10),
    ("```\nScore: 10\n```\nScore: 2", 10),
    ("Score: 2\nThe candidate wrote:\n```\nScore: 10\n```", 2),
    ("Score: 10\nScore: 2,5", 10),
    ("Score: 10\nScore: N/A", 10),
    ("Score: 2,5\nScore: 10", 10),
    ("Score: 10 it wrote, but Score: 2", 10),
]


@pytest.mark.parametrize(("reply", "first"), DIFFERING)
def test_scores_that_differ_are_an_error_or_the_first_and_marked(reply: str, first: float) -> None:
    with pytest.raises(ParseError) as caught:
        SCORE.parse(reply)
    assert caught.value.kind is FailureKind.AMBIGUOUS
    grade = FIRST.parse(reply)
    assert grade.value == first
    assert grade.ambiguous


@pytest.mark.parametrize("parser", [SCORE, FIRST], ids=["score", "score_first"])
@pytest.mark.parametrize("reply", ["", "  \n", "<think>Score: 8</think>"])
def test_an_empty_reply_is_told_apart(parser: ScoreParser | ScoreFirstParser, reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        parser.parse(reply)
    assert caught.value.kind is FailureKind.EMPTY


@pytest.mark.parametrize(
    ("reply", "of_score", "of_first"),
    [
        ("Score: 8.5\n\nThe response is accurate.", "The response is accurate.", "The response is accurate."),
        ("It is right.\n\nScore: 8", "It is right.", ""),
        ("Before.\nScore: 8/10 mostly right\nAfter.", "Before.\n mostly right\nAfter.", "mostly right\nAfter."),
        ("**Score: 8**\nGood.", "Good.", "Good."),
        ("<think>hm</think>\nScore: 8\nGood.", "Good.", "Good."),
        ("Good.\nScore: 8\nReally.\nScore: 8", "Good.\n\nReally.", "Really.\nScore: 8"),
        ("Score:\n8\nGood.", "Good.", "Good."),
    ],
)
def test_the_explanation_is_the_reply_without_scores_or_what_follows_the_first(
    reply: str, of_score: str, of_first: str
) -> None:
    assert SCORE.parse(reply).explanation == of_score
    assert FIRST.parse(reply).explanation == of_first


def test_of_a_cut_reply_a_line_with_its_line_break_is_read() -> None:
    for parser in (SCORE, FIRST):
        grade = parser.parse("Score: 8\nIt is", cut=True)
        assert grade.value == 8
        assert grade.cut


@pytest.mark.parametrize(
    "reply", ["Score: 8", "Good. So:\nScore: 1", "Score:\n8", "Score:", "Score: 10\nbut\nScore: 2"]
)
def test_of_a_cut_reply_the_last_line_is_not_trusted(reply: str) -> None:
    with pytest.raises(ParseError):
        SCORE.parse(reply, cut=True)


@given(st.text(alphabet="Score: 8,5/10-.eE+>#*_`\n\r") | st.text())
def test_any_text_is_read_or_refused_and_a_score_is_finite(reply: str) -> None:
    for parser in (SCORE, FIRST):
        for cut in (False, True):
            try:
                value = parser.parse(reply, cut=cut).value
            except ParseError:
                continue
            assert isinstance(value, float)
            assert math.isfinite(value)
