"""Which cut replies are worth a second try, judge by judge and step by step."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.judges.steps import QUALITY, SECOND, Steps, some_turns

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Range
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.core.status import Status
from gavelkit.datasets import RowMapping
from gavelkit.engines import ScriptedEngine, SecondTry
from gavelkit.judges import AnyJudge, Direct, Pairwise, RowCriterion, TwoStep
from gavelkit.judges.cut import unread_by
from gavelkit.parsing import ScoreParser
from gavelkit.prompts import Prompt, Template

DIRECT = Direct(
    "accuracy", Prompt(Template("{{ response }}")), ScoreParser(), Criterion("c", Range(0, 10)), Parameters("m"),
    ScriptedEngine([]),
)  # fmt: skip
TWO_STEP = TwoStep("quality", QUALITY, some_turns(Steps()))
PAIRWISE = Pairwise("arena", QUALITY, some_turns(Steps()))


def asked(step: str) -> Request:
    return Request((Message("user", "?"),), Parameters("m"), labels=Labels("1", "j", ("",), step))


def is_unread(judge: AnyJudge, step: str, text: str, reason: str = "length", refusal: str = "") -> bool:
    return unread_by(judge)(asked(step), Completion(text, finish_reason=reason, refusal=refusal))


@pytest.mark.parametrize(
    ("text", "reason", "refusal", "unread"),
    [
        ("Sco", "length", "", True),
        ("", "length", "", True),
        ("<think>Let me see", "length", "", True),
        ("Score: 8", "max_tokens", "", True),
        ("Score: 8\nbecau", "length", "", False),
        ("Score: 80\nbecau", "length", "", False),
        ("Sco", "stop", "", False),
        ("Sco", "length", "I will not", False),
    ],
)
def test_a_direct_reply_is_unread_where_its_parser_finds_no_verdict(
    text: str, reason: str, refusal: str, *, unread: bool
) -> None:
    assert is_unread(DIRECT, "judge", text, reason, refusal) is unread


@pytest.mark.parametrize("prefix", ["", SECOND])
@pytest.mark.parametrize("judge", [TWO_STEP, PAIRWISE], ids=["two steps", "contests"])
@pytest.mark.parametrize(
    ("text", "unread"),
    [("", True), (" \n", True), ("<think>Let me see", True), ("It is fi", False), ("<think>x</think>It", False)],
)
def test_an_assessment_is_unread_where_nothing_but_thinking_came(
    text: str, judge: AnyJudge, prefix: str, *, unread: bool
) -> None:
    assert is_unread(judge, f"{prefix}assessment", text) is unread
    assert not is_unread(judge, f"{prefix}assessment", text, "stop")
    assert not is_unread(judge, f"{prefix}assessment", text, refusal="no")


@pytest.mark.parametrize("prefix", ["", SECOND])
def test_a_choice_is_unread_where_no_option_was_read(prefix: str) -> None:
    step = f"{prefix}option_selection"
    assert is_unread(TWO_STEP, step, "<think>Very Good")
    assert is_unread(TWO_STEP, step, "Let me compare the")
    assert not is_unread(TWO_STEP, step, "It is fine.\nVery Good\n")
    assert is_unread(PAIRWISE, step, "Let me compare the")
    assert not is_unread(PAIRWISE, step, "Response A\n")


def test_a_choice_in_json_is_unread_where_it_is_not_complete() -> None:
    judge = replace(TWO_STEP, turns=some_turns(Steps(), by="json_schema"))
    assert is_unread(judge, "option_selection", '{"choice": "Go')
    assert not is_unread(judge, "option_selection", '{"choice": "Good"}\n')


def test_a_choice_among_options_of_the_rows_own_is_unread_where_nothing_was_said() -> None:
    judge = replace(TWO_STEP, criterion=Criterion("c"), of_row=RowCriterion("criterion", lambda _example: QUALITY))
    assert is_unread(judge, "option_selection", "<think>hm")
    assert not is_unread(judge, "option_selection", "Let me compare the")


@pytest.mark.parametrize("text", ["", "<think>hm", "In sho"])
def test_a_summary_is_never_asked_for_again(text: str) -> None:
    assert not is_unread(TWO_STEP, "summarization", text)


def test_a_judge_bound_to_a_second_try_reads_what_that_one_brought() -> None:
    engine = ScriptedEngine([Completion("Sco", finish_reason="length"), "Score: 8"])
    judge = replace(DIRECT, engine=engine, parameters=Parameters("m", {"max_tokens": 4}))
    bound = judge.bind(lambda inner: SecondTry(inner, unread_by(judge)))
    (judgment,) = asyncio.run(bound(RowMapping().example({"id": "7", "response": "r"}, number=1)))
    assert (judgment.status, judgment.score) == (Status.OK, 8.0)
    assert judgment.steps[0].completion.attempts == 2
