"""From a reply to a verdict: the order in which a reply is looked at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Range
from gavelkit.core.status import Status
from gavelkit.judges.verdict import read_verdict
from gavelkit.parsing import RatingParser, ScoreFirstParser, ScoreParser

CRITERION = Criterion("c", Range(0, 10))


@given(
    text=st.text() | st.sampled_from(["Score: 8", "Score: 80", "Score: 8\nScore: 9", "Score: 1e999", "x\nScore: 8\ny"]),
    refusal=st.sampled_from(["", "", "no"]),
    reason=st.sampled_from(["stop", "length", "", "content_filter"]),
)
def test_every_reply_has_exactly_one_end_and_only_ok_has_a_score(text: str, refusal: str, reason: str) -> None:
    verdict = read_verdict(Completion(text, refusal=refusal, finish_reason=reason), ScoreParser(), CRITERION)
    assert (verdict.score is None) == (verdict.status is not Status.OK)
    assert (verdict.failure is None) == (verdict.status is Status.OK)
    assert verdict.score is None or 0 <= verdict.score <= 10


def test_a_refusal_comes_before_the_text() -> None:
    reply = Completion("Score: 8", refusal="no", finish_reason="length")
    assert read_verdict(reply, ScoreParser(), CRITERION).status is Status.REFUSED


def test_a_whole_verdict_comes_before_the_cut() -> None:
    reply = Completion("Score: 8\nand", finish_reason="length")
    assert read_verdict(reply, ScoreParser(), CRITERION).status is Status.OK


def test_a_whole_verdict_outside_its_scale_is_out_of_range_though_cut() -> None:
    verdict = read_verdict(Completion("Score: 80\nand", finish_reason="length"), ScoreParser(), CRITERION)
    assert verdict.status is Status.OUT_OF_RANGE
    assert verdict.grade is not None
    assert verdict.grade.cut


def test_a_verdict_settled_by_position_says_that_it_was_ambiguous() -> None:
    verdict = read_verdict(Completion("Score: 3\nScore: 8"), ScoreFirstParser(), CRITERION)
    assert verdict.score == 3.0
    assert verdict.grade is not None
    assert verdict.grade.ambiguous


@pytest.mark.parametrize("text", ["<think>[[9]]</think>\n[[2]]", "> [[9]]\n[[2]]", "It says [[9]].\nRating: [[2]]"])
def test_a_quoted_or_pondered_verdict_is_none(text: str) -> None:
    assert read_verdict(Completion(text), RatingParser(), CRITERION).score == 2.0


def test_without_a_scale_any_finite_number_is_a_score() -> None:
    assert read_verdict(Completion("Score: -123.5"), ScoreParser(), Criterion("c")).score == -123.5
