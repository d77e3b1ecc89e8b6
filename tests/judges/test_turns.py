"""One order of a two-step judgment, as a transcript: what is asked, in which conversation, and how each reply fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.judges.steps import ASSESS, CHOOSE, Steps, a_question, broken, some_turns, summarising

from gavelkit.core.completion import Completion
from gavelkit.core.errors import NotYet, TemplateError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.status import Status
from gavelkit.judges import Turns
from gavelkit.judges.turns import Outcome, Question
from gavelkit.prompts import Prompt, Template


def ran(turns: Turns, question: Question | None = None) -> Outcome:
    return asyncio.run(turns.run(question or a_question()))


def grade_of(outcome: Outcome) -> Grade:
    assert outcome.verdict.grade is not None
    return outcome.verdict.grade


def said(outcome: Outcome) -> tuple[Status, str, FailureKind | None]:
    failure = outcome.verdict.failure
    assert failure is not None
    return outcome.verdict.status, failure.message, failure.kind


def steps_of(outcome: Outcome) -> list[str]:
    return [step.name for step in outcome.steps]


# the conversation


def test_the_choice_is_asked_for_in_the_conversation_of_the_assessment() -> None:
    engine = Steps("Good", assessment="It is right.")
    outcome = ran(some_turns(engine))
    assert engine.asked == ["assessment", "option_selection"]
    first, second = engine.requests
    assert [(message.role, message.content) for message in first.messages] == [("user", "Assess r: Is it good?")]
    assert [(message.role, message.content) for message in second.messages] == [
        ("user", "Assess r: Is it good?"),
        ("assistant", "It is right."),
        ("user", "Very Good=Very Good;Good=Good;Bad=Bad;"),
    ]
    assert (outcome.choice, outcome.verdict.score, grade_of(outcome).explanation) == ("Good", 0.5, "It is right.")
    assert steps_of(outcome) == ["assessment", "option_selection"]


def test_a_system_message_opens_the_conversation_once() -> None:
    engine = Steps()
    opening = Prompt(Template(ASSESS), system=Template("You judge."))
    ran(some_turns(engine, assess=opening))
    roles = [[message.role for message in request.messages] for request in engine.requests]
    assert roles == [["system", "user"], ["system", "user", "assistant", "user"]]


def test_without_an_assessment_the_choice_is_asked_for_at_once() -> None:
    engine = Steps("Bad")
    outcome = ran(some_turns(engine, assess=None))
    assert engine.asked == ["option_selection"]
    assert (outcome.choice, grade_of(outcome).explanation) == ("Bad", "")


def test_thinking_is_no_part_of_the_assessment() -> None:
    engine = Steps(assessment="<think>Bad, bad.</think>\nIt is right.\n")
    outcome = ran(some_turns(engine))
    assert engine.request("option_selection").messages[1].content == "It is right."
    assert grade_of(outcome).explanation == "It is right."
    assert "<think>" in outcome.steps[0].completion.text


def test_the_steps_of_the_second_order_have_names_of_their_own() -> None:
    engine = Steps()
    assert steps_of(ran(some_turns(engine), a_question(second=True))) == [
        "positional_bias_assessment",
        "positional_bias_option_selection",
    ]


@pytest.mark.parametrize("by", ["text", "json_schema", "logprobs"])
def test_only_the_choice_is_asked_for_in_the_modes_way(by: Any) -> None:
    engine = Steps("B" if by == "logprobs" else '{"choice": "Good"}' if by == "json_schema" else "Good")
    outcome = ran(some_turns(engine, by=by))
    assessment, selection = (request.parameters for request in engine.requests)
    assert (assessment.response_format, "logprobs" in assessment.values) == ("", False)
    assert bool(selection.response_format) is (by == "json_schema")
    assert ("logprobs" in selection.values) is (by == "logprobs")
    assert outcome.verdict.score == 0.5


# what fails


def test_a_choice_that_cannot_be_read_keeps_both_replies() -> None:
    outcome = ran(some_turns(Steps("Good or Bad")))
    assert said(outcome)[::2] == (Status.PARSE_ERROR, FailureKind.AMBIGUOUS)
    assert (steps_of(outcome), outcome.choice) == (["assessment", "option_selection"], None)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("", "the assessment is empty"),
        ("  \n", "the assessment is empty"),
        ("<think>hm</think>", "the assessment is only thinking"),
    ],
)
def test_an_empty_assessment_ends_the_judgment_before_the_choice(reply: str, message: str) -> None:
    engine = Steps(assessment=reply)
    assert said(ran(some_turns(engine))) == (Status.PARSE_ERROR, message, FailureKind.EMPTY)
    assert engine.asked == ["assessment"]


def test_a_refused_assessment_is_refused_and_asks_no_more() -> None:
    engine = Steps(assessment=Completion("", refusal="No."))
    assert said(ran(some_turns(engine)))[0] is Status.REFUSED
    assert engine.asked == ["assessment"]


def test_an_assessment_cut_at_its_limit_is_used_and_the_cut_is_recorded() -> None:
    outcome = ran(some_turns(Steps(assessment=Completion("It is ri", finish_reason="length"))))
    assert (outcome.verdict.status, grade_of(outcome).cut, grade_of(outcome).explanation) == (
        Status.OK,
        True,
        "It is ri",
    )


def test_an_assessment_cut_while_thinking_is_truncated() -> None:
    outcome = ran(some_turns(Steps(assessment=Completion("<think>hm", finish_reason="length"))))
    assert said(outcome)[:2] == (Status.TRUNCATED, "the assessment was cut at its token limit before it began")


@pytest.mark.parametrize("step", ["assessment", "choice"])
def test_a_call_that_fails_is_a_call_error_and_keeps_the_replies_before_it(step: str) -> None:
    replies: dict[str, Any] = {step: broken()}
    outcome = ran(some_turns(Steps(**replies)))
    assert said(outcome) == (Status.CALL_ERROR, "down", FailureKind.SERVER)
    assert steps_of(outcome) == ([] if step == "assessment" else ["assessment"])


def test_a_reply_that_is_not_there_yet_is_no_failure() -> None:
    outcome = ran(some_turns(Steps(NotYet())))
    assert (outcome.verdict.status, outcome.verdict.failure) == (Status.PENDING, None)


def test_a_lone_surrogate_is_invalid_input_and_calls_nobody() -> None:
    engine = Steps()
    assert said(ran(some_turns(engine), a_question("a\ud800")))[0] is Status.INVALID_INPUT
    assert engine.requests == []


# the summary


def test_the_summary_is_asked_for_apart_from_the_conversation_and_kept() -> None:
    engine = Steps(assessment="It is right.", summary="<think>hm</think> Right. ")
    outcome = ran(summarising(engine))
    assert [message.content for message in engine.request("summarization").messages] == ["In short: It is right."]
    assert dict(grade_of(outcome).parts) == {"summary": "Right."}
    assert steps_of(outcome) == ["assessment", "summarization", "option_selection"]


def test_summary_and_choice_are_asked_side_by_side() -> None:
    engine = Steps()
    ran(summarising(engine))
    assert engine.most_in_flight == 2


@pytest.mark.parametrize("summary", [broken(), "", Completion("", refusal="No.")])
def test_a_summary_that_failed_costs_nobody_the_verdict(summary: Any) -> None:
    outcome = ran(summarising(Steps(summary=summary)))
    assert (outcome.verdict.status, outcome.choice, "summary" in grade_of(outcome).parts) == (Status.OK, "Good", False)
    assert outcome.steps[-1].name == "option_selection"


def test_a_summary_of_an_endpoint_that_is_unusable_does() -> None:
    outcome = ran(summarising(Steps(summary=broken(FailureKind.AUTH, fatal=True))))
    assert outcome.verdict.status is Status.CALL_ERROR
    assert outcome.verdict.failure is not None
    assert outcome.verdict.failure.fatal


def test_a_summary_that_is_not_there_yet_keeps_the_judgment_open() -> None:
    assert ran(summarising(Steps(summary=NotYet()))).verdict.status is Status.PENDING


def test_a_choice_that_failed_is_the_verdict_whatever_the_summary_says() -> None:
    assert said(ran(summarising(Steps(broken()))))[0] is Status.CALL_ERROR


# asked again


def test_every_request_is_made_again_from_the_replies() -> None:
    engine = Steps(assessment="<think>hm</think>It is right.")
    turns, question = summarising(engine), a_question()
    outcome = ran(turns, question)
    again = turns.requests(question, {step.name: step.completion.text for step in outcome.steps})
    assert {step: request.key for step, request in again.items()} == {
        request.labels.step: request.key for request in engine.requests
    }


def test_without_the_assessments_reply_only_the_assessment_is_known() -> None:
    turns = summarising(Steps())
    assert list(turns.requests(a_question(), {})) == ["assessment"]
    assert list(turns.requests(a_question(), {"assessment": "<think>hm</think>"})) == ["assessment"]
    assert list(some_turns(Steps(), assess=None).requests(a_question(), {})) == ["option_selection"]


@pytest.mark.parametrize("part", ["assess", "choose"])
def test_a_template_that_cannot_be_rendered_is_found_before_any_reply(part: str) -> None:
    changed: dict[str, Any] = {part: Prompt(Template("{{ nowhere }}"))}
    turns = some_turns(Steps(), **changed)
    with pytest.raises(TemplateError, match="nowhere"):
        turns.prepare(a_question())


def test_equal_questions_of_recorded_replies_are_kept_apart_by_row_and_step() -> None:
    engine = Steps()
    turns = some_turns(engine, apart=True)
    ran(turns)
    ran(turns, a_question(second=True))
    assert len({request.apart for request in engine.requests}) == 4
    assert turns.material["apart"] is True


def test_the_material_is_the_prompts_the_mode_and_what_is_sent() -> None:
    material = some_turns(Steps()).material
    assert material["prompts"] == {
        "assessment": {"prompt_template": ASSESS},
        "option_selection": {"prompt_template": CHOOSE},
    }
    assert (material["model"], material["parameters"], material["choose_by"]) == ("m", {"temperature": 0.0}, "text")
    assert material != some_turns(Steps(), by="logprobs").material
    assert material != summarising(Steps()).material


def test_each_call_says_whose_it_is() -> None:
    engine = Steps()
    ran(some_turns(engine))
    labels = engine.requests[0].labels
    assert (labels.example_id, labels.judge, labels.systems) == ("7", "quality", ("",))
