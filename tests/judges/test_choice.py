"""The choice of a named option: how it is asked for in three modes, and how each reply is read, or not."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from gavelkit.core.completion import Completion, Token
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import ConfigError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.message import Parameters
from gavelkit.core.status import Status
from gavelkit.judges import Choice
from gavelkit.judges.verdict import Verdict
from gavelkit.parsing import GradeParser

OPTIONS = Options({"Very Good": 1.0, "Good": 0.5, "Could be Improved": 0.25, "Bad": 0.0}, {"Bad": "if it is bad"})
BASE = Parameters("m", {"temperature": 0.0})


def read(reply: str | Completion, options: Options = OPTIONS, **settings: Any) -> Verdict:
    completion = reply if isinstance(reply, Completion) else Completion(reply, finish_reason="stop")
    return Choice(**settings).read(completion, options)


def kind_of(verdict: Verdict) -> FailureKind | None:
    assert verdict.failure is not None
    return verdict.failure.kind


def grade_of(verdict: Verdict) -> Grade:
    assert verdict.grade is not None
    return verdict.grade


# asking


def test_options_are_shown_in_their_order_with_what_they_mean() -> None:
    shown = Choice().shown(OPTIONS)
    assert [option["label"] for option in shown] == ["Very Good", "Good", "Could be Improved", "Bad"]
    assert shown[-1] == {"label": "Bad", "name": "Bad", "description": "if it is bad"}


def test_for_log_probabilities_each_option_has_a_letter_by_its_place() -> None:
    shown = Choice("logprobs").shown(OPTIONS.reversed)
    assert [(option["label"], option["name"]) for option in shown][:2] == [("A", "Bad"), ("B", "Could be Improved")]


def test_by_text_nothing_is_asked_of_the_endpoint() -> None:
    assert Choice().parameters(BASE, OPTIONS) is BASE


def test_log_probabilities_are_asked_for_beside_what_else_is_sent() -> None:
    sent = Choice("logprobs").parameters(BASE, OPTIONS)
    assert dict(sent.values) == {"temperature": 0.0, "logprobs": True, "top_logprobs": 20}


def test_a_schema_lists_the_options_in_the_order_shown_and_nothing_else() -> None:
    sent = json.loads(Choice("json_schema").parameters(BASE, OPTIONS.reversed).response_format)
    schema = sent["json_schema"]["schema"]
    assert schema["properties"]["choice"]["enum"] == ["Bad", "Could be Improved", "Good", "Very Good"]
    assert (schema["required"], schema["additionalProperties"], sent["json_schema"]["strict"]) == (
        ["choice"],
        False,
        True,
    )


def test_how_it_is_asked_shapes_the_question() -> None:
    assert [Choice(by).material["choose_by"] for by in ("text", "json_schema", "logprobs")] == [
        "text",
        "json_schema",
        "logprobs",
    ]


# by text


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("Good", "Good"),
        ("Very Good", "Very Good"),
        ("**very good**.", "Very Good"),
        ('"Could be Improved"', "Could be Improved"),
        ("My choice is Good.", "Good"),
        ("I would say it is Very Good.", "Very Good"),
        ("It reads well.\n\nGood", "Good"),
        ("<think>Bad? Bad.</think>Good", "Good"),
    ],
)
def test_an_option_is_read_alone_or_as_the_only_one_on_the_last_line(reply: str, option: str) -> None:
    verdict = read(reply)
    assert (verdict.status, grade_of(verdict).value) == (Status.OK, option)
    assert verdict.score == OPTIONS.scores[option]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("", FailureKind.EMPTY),
        ("  \n", FailureKind.EMPTY),
        ("<think>Good</think>", FailureKind.EMPTY),
        ("Good or Bad", FailureKind.AMBIGUOUS),
        ("It is between Very Good and Good.", FailureKind.AMBIGUOUS),
        ("It is not Good.", None),
        ("I cannot say.", None),
        ("Excellent", None),
    ],
)
def test_what_names_no_option_or_two_is_a_parse_error_and_never_the_first_option(
    reply: str, kind: FailureKind | None
) -> None:
    verdict = read(reply)
    assert (verdict.status, verdict.score, verdict.grade) == (Status.PARSE_ERROR, None, None)
    assert kind_of(verdict) is kind


@pytest.mark.parametrize("by", ["text", "json_schema", "logprobs"])
def test_a_refusal_is_refused_in_every_mode(by: str) -> None:
    verdict = read(Completion("Good", refusal="I will not."), by=by)
    assert (verdict.status, verdict.score) == (Status.REFUSED, None)


def test_options_in_any_script_are_read() -> None:
    options = Options({"sehr gut": 1.0, "schlecht": 0.0, "とても良い": 0.75})
    assert read("Sehr  Gut", options).score == 1.0
    assert read("とても良い。", options).score == 0.75


def test_an_alias_is_another_word_for_its_option() -> None:
    assert grade_of(read("VG", aliases={"Very Good": "VG"})).value == "Very Good"
    assert read("VG", Options({"Good": 1.0, "Bad": 0.0}), aliases={"Very Good": "VG"}).status is Status.PARSE_ERROR


def test_a_parser_of_ones_own_reads_in_place_of_the_modes() -> None:
    parser = GradeParser(("Good", "Bad"))
    assert read("So:\nGRADE: Good", parser=parser).score == 0.5
    assert read("Good", parser=parser).status is Status.PARSE_ERROR


def test_a_choice_cut_before_it_was_whole_is_truncated() -> None:
    assert read(Completion("I choose Very", finish_reason="length")).status is Status.TRUNCATED


# by schema


def test_by_schema_the_option_stands_in_its_field() -> None:
    assert read('{"choice": "Very Good"}', by="json_schema").score == 1.0
    assert read('{"choice": "Great"}', by="json_schema").status is Status.PARSE_ERROR
    assert read("Very Good", by="json_schema").status is Status.PARSE_ERROR


# by log probabilities


def spoken(text: str, **likely: float) -> Completion:
    """A reply of one token with the probabilities of the tokens listed for it."""
    return Completion(text, finish_reason="stop", logprobs=(Token(text, {k: math.log(v) for k, v in likely.items()}),))


def test_the_score_is_the_expectation_and_the_distribution_is_kept() -> None:
    verdict = read(spoken("A", A=0.6, B=0.2, D=0.1), by="logprobs")
    grade = grade_of(verdict)
    assert grade.value == "Very Good"
    assert verdict.score == pytest.approx((0.6 * 1.0 + 0.2 * 0.5) / 0.9)
    assert grade.parts["mass"] == pytest.approx(0.9)
    assert sum(grade.parts["distribution"].values()) == pytest.approx(1.0)
    assert grade.parts["distribution"]["Could be Improved"] == 0.0


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (Completion("A"), "sent no log probabilities"),
        (spoken("A", A=0.2, no=0.5), "which is less than"),
    ],
)
def test_without_a_distribution_the_text_is_read_and_the_reason_kept(completion: Completion, reason: str) -> None:
    verdict = read(completion, by="logprobs")
    assert (verdict.status, verdict.score) == (Status.OK, 1.0)
    assert reason in grade_of(verdict).parts["fallback"]
    assert "distribution" not in grade_of(verdict).parts


def test_the_fallback_reads_the_letter_and_the_name_but_not_both_at_odds() -> None:
    assert grade_of(read("B", by="logprobs")).value == "Good"
    assert grade_of(read("Bad", by="logprobs")).value == "Bad"
    letters = Options({"B": 1.0, "A": 0.0})
    assert kind_of(read("A", letters, by="logprobs")) is FailureKind.AMBIGUOUS


def test_a_fallback_that_reads_nothing_is_a_failure() -> None:
    verdict = read(Completion("hm"), by="logprobs")
    assert (verdict.status, verdict.grade) == (Status.PARSE_ERROR, None)


# what cannot be asked


def test_options_that_cannot_be_told_apart_are_refused() -> None:
    Choice().check(Criterion("c", OPTIONS))
    Choice().check(Criterion("c"))
    with pytest.raises(ConfigError, match=r"two options read the same: 'Good' and 'good\.'"):
        Choice().check(Criterion("c", Options({"Good": 1.0, "good.": 0.0})))


def test_more_options_than_letters_are_refused_for_log_probabilities_alone() -> None:
    many = Criterion("c", Options({f"option {n}": float(n) for n in range(27)}))
    Choice().check(many)
    with pytest.raises(ConfigError, match="at most 26 options, one letter each"):
        Choice("logprobs").check(many)
