"""unitxt's judge classes as their users call them: what goes in, and each key that comes out."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.integrations.unitxt import (
    CreateYesNoCriteriaFromString,
    Criteria,
    CriteriaOption,
    CriteriaWithOptions,
    EvaluatorNameEnum,
    LLMJudge,
    LLMJudgeDirect,
    LLMJudgePairwise,
    UnitxtError,
)

QUESTION = "Who may join?"
DIRECT_KEYS = [
    "answer_relevance",
    "answer_relevance_using_granite3.0-2b_litellm",
    "answer_relevance_positional_bias",
    "answer_relevance_selected_option",
    "answer_relevance_positional_bias_selected_option",
    "answer_relevance_assessment",
    "answer_relevance_positional_bias_assessment",
    "answer_relevance_summary",
    "answer_relevance_positional_bias_summary",
    "answer_relevance_prompts",
    "answer_relevance_option_selection_completion",
    "answer_relevance_positional_bias_option_selection_completion",
    "answer_relevance_criteria",
    "score",
    "score_name",
]
CONTEST_KEYS = [
    "contest_results",
    "selections",
    "compared_to",
    "assessments",
    "positional_bias_assessments",
    "option_selection_outputs",
    "positional_bias",
    "positional_bias_selection",
    "prompts",
    "winrate",
    "llm_as_judge",
    "ranking",
    "response_name",
]


class Judge:
    """An engine that answers each step by a rule of the test: what is asked, and in which order."""

    label = "litellm"

    def __init__(self, choose: Callable[[Request], str | Exception]) -> None:
        self.choose = choose
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        step = request.labels.step.removeprefix("positional_bias_")
        if step == "assessment":
            return Completion(f"The assessment of {request.labels.step}.", finish_reason="stop")
        if step == "summarization":
            return Completion(f"The summary of {request.labels.step}.", finish_reason="stop")
        chosen = self.choose(request)
        if isinstance(chosen, Exception):
            raise chosen
        return Completion(chosen, finish_reason="stop")


def always(option: str, *, swapped: str | None = None) -> Judge:
    """Chooses one option, or another one in the second order."""
    other = option if swapped is None else swapped
    return Judge(lambda request: other if request.labels.step.startswith("positional") else option)


def better(*order: str) -> Judge:
    """Names the response that says the word which comes first in `order`."""

    def choose(request: Request) -> str:
        opening = request.messages[0].content
        first, second = opening.split("<response_a ")[1].split("<response_b ")
        ranks = [next(rank for rank, word in enumerate(order) if word in text) for text in (first, second)]
        return "Response A" if ranks[0] < ranks[1] else "Response B"

    return Judge(choose)


def failing() -> CallError:
    return CallError(FailureKind.SERVER, "the server gave up", retryable=False)


def direct(engine: Any, **settings: Any) -> LLMJudgeDirect:
    keywords = {"criteria": "answer_relevance", "context_fields": ["question"], **settings}
    return LLMJudgeDirect(inference_engine=engine, **keywords)


def judged(metric: LLMJudgeDirect, predictions: Sequence[str] = ("All may.",)) -> list[dict[str, Any]]:
    rows = [{"question": QUESTION} for _ in predictions]
    return metric.compute([[""] for _ in predictions], list(predictions), rows)


def contest(engine: Any, *predictions: Any, **settings: Any) -> list[dict[str, Any]]:
    metric = LLMJudgePairwise(
        inference_engine=engine,
        **{"criteria": Criteria("best", "Which is best?"), "context_fields": {"asked": "question"}, **settings},
    )
    rows: list[dict[str, Any]] = [{"question": QUESTION} for _ in predictions]
    return metric.compute([[""] for _ in predictions], list(predictions), rows)


# Direct assessment


def test_a_direct_result_has_the_keys_of_the_page_in_their_order() -> None:
    metric = direct(always("Could be Improved"), evaluator_name=EvaluatorNameEnum.GRANITE3_2B, generate_summaries=True)
    (result,) = judged(metric)
    assert list(result) == DIRECT_KEYS
    assert result["answer_relevance"] == result["score"] == 0.5
    assert result["answer_relevance_using_granite3.0-2b_litellm"] == 0.5
    assert result["answer_relevance_positional_bias"] is False
    assert result["answer_relevance_selected_option"] == "Could be Improved"
    assert result["answer_relevance_positional_bias_selected_option"] == "Could be Improved"
    assert result["answer_relevance_option_selection_completion"] == "Could be Improved"
    assert result["score_name"] == "answer_relevance"


def test_each_order_has_an_assessment_and_a_summary_of_its_own() -> None:
    (result,) = judged(direct(always("Bad"), generate_summaries=True))
    assert result["answer_relevance_assessment"] == "The assessment of assessment."
    assert result["answer_relevance_positional_bias_assessment"] == "The assessment of positional_bias_assessment."
    assert result["answer_relevance_summary"] == "The summary of summarization."
    assert result["answer_relevance_positional_bias_summary"] == "The summary of positional_bias_summarization."


def test_the_prompts_are_the_messages_that_were_sent_and_the_misspelt_key_is_kept_beside_the_right_one() -> None:
    engine = always("Bad")
    (result,) = judged(direct(engine, generate_summaries=True))
    prompts = result["answer_relevance_prompts"]
    assert list(prompts) == [
        "assessment",
        "positional_bias_assessment",
        "summarization",
        "positional_bias_summarization",
        "option_selection",
        "posional_bias_option_selection",
        "positional_bias_option_selection",
    ]
    assert prompts["posional_bias_option_selection"] == prompts["positional_bias_option_selection"]
    sent = {
        request.labels.step: [{"role": each.role, "content": each.content} for each in request.messages]
        for request in engine.requests
    }
    assert sent == {step: prompts[step] for step in sent}
    assert [each["role"] for each in prompts["option_selection"]] == ["user", "assistant", "user"]
    assert f"question: {QUESTION}" in prompts["assessment"][0]["content"]
    assert "All may." in prompts["assessment"][0]["content"]


def test_options_stand_the_other_way_round_in_the_second_order() -> None:
    (result,) = judged(direct(always("Bad")))
    prompts = result["answer_relevance_prompts"]
    first, second = (prompts[f"{order}assessment"][0]["content"] for order in ("", "positional_bias_"))
    assert first.index('"Excellent"') < first.index('"Bad"')
    assert second.index('"Excellent"') > second.index('"Bad"')


def test_the_criteria_come_as_the_json_of_their_artifact() -> None:
    (result,) = judged(direct(always("Bad")))
    criteria = json.loads(result["answer_relevance_criteria"])
    assert list(criteria)[:3] == ["__type__", "name", "description"]
    assert criteria["__type__"] == "criteria_with_options"
    assert criteria["option_map"] == {"Excellent": 1.0, "Acceptable": 0.75, "Could be Improved": 0.5, "Bad": 0.0}


def test_without_the_check_summaries_and_prompts_their_keys_are_not_there() -> None:
    engine = always("Bad")
    (result,) = judged(direct(engine, check_positional_bias=False, include_prompts_in_result=False))
    assert [name.removeprefix("answer_relevance") for name in result] == [
        "",
        "_using_judge_litellm_litellm",
        "_selected_option",
        "_assessment",
        "_option_selection_completion",
        "_criteria",
        "score",
        "score_name",
    ]
    assert len(engine.requests) == 2


def test_two_orders_that_choose_differently_are_told_and_the_first_one_counts() -> None:
    (result,) = judged(direct(always("Excellent", swapped="Bad")))
    assert result["score"] == 1.0
    assert result["answer_relevance_positional_bias"] is True
    assert result["answer_relevance_positional_bias_selected_option"] == "Bad"


def test_where_only_the_second_order_fails_the_score_stands_and_the_bias_is_not_known() -> None:
    (result,) = judged(direct(always("Excellent", swapped="neither of them")))
    assert result["score"] == 1.0
    assert result["answer_relevance_positional_bias"] is None
    assert "parse_error" in result["answer_relevance_positional_bias_error"]
    assert "answer_relevance_status" not in result


@pytest.mark.parametrize(
    ("reply", "status"),
    [("", "parse_error"), ("Excellent or Bad", "parse_error"), ("zzz", "parse_error"), (failing(), "call_error")],
)
def test_a_failed_judgment_is_nan_and_says_why(reply: str | Exception, status: str) -> None:
    (result,) = judged(direct(Judge(lambda _: reply), check_positional_bias=False))
    for name in ("answer_relevance", "answer_relevance_using_judge_litellm_litellm", "score"):
        assert math.isnan(result[name])
    assert result["answer_relevance_status"] == status
    assert result["answer_relevance_error"]
    assert "answer_relevance_selected_option" not in result
    assert result["answer_relevance_assessment"] == "The assessment of assessment."


def test_a_failure_costs_only_its_own_instance() -> None:
    engine = Judge(lambda request: "?" if "second" in request.messages[0].content else "Excellent")
    results = judged(direct(engine), ["first", "second", "third"])
    assert [result.get("answer_relevance_status", "ok") for result in results] == ["ok", "parse_error", "ok"]


def test_a_response_that_nobody_can_send_is_a_failure_too() -> None:
    results = judged(direct(always("Bad")), ["Fine.", "\ud800"])
    assert [result.get("answer_relevance_status", "ok") for result in results] == ["ok", "invalid_input"]


def test_a_refusal_is_a_failure_that_says_so() -> None:
    class Refusing(Judge):
        async def complete(self, request: Request) -> Completion:
            return Completion("", refusal=f"I had rather not judge {request.labels.example_id}.")

    (result,) = judged(direct(Refusing(lambda _: "")))
    assert result["answer_relevance_status"] == "refused"
    assert result["answer_relevance_positional_bias"] is None


def test_references_are_not_shown() -> None:
    engine = always("Bad")
    direct(engine).compute([["The secret."]], ["a"], [{"question": QUESTION}])
    contest(engine, ["x", "y"])
    metric = LLMJudgePairwise(inference_engine=engine, criteria="funny_joke", context_fields=None)
    metric.compute([["The secret."]], [["x", "y"]], [{}])
    assert not [each for request in engine.requests for each in request.messages if "secret" in each.content]


CLEAR = {"name": "Is it Clear", "description": "Is it clear?", "options": [{"name": "Yes"}, {"name": "No"}]}


def test_a_name_is_lowered_and_its_spaces_become_underscores() -> None:
    (result,) = judged(direct(always("Yes"), criteria={**CLEAR, "option_map": {"Yes": 1, "No": 0}}))
    assert result["score_name"] == "is_it_clear"


def test_without_an_option_map_every_option_is_worth_one() -> None:
    (result,) = judged(direct(always("No"), criteria=CLEAR))
    assert result["score"] == 1.0


def test_a_criterion_without_a_name_is_called_llm_as_judge() -> None:
    criteria = CreateYesNoCriteriaFromString(field="question").process_value("Is it polite?")
    (result,) = judged(direct(always("Yes"), criteria=criteria))
    assert result["score_name"] == "llm_as_judge"
    assert result["llm_as_judge_selected_option"] == "Yes"


@pytest.mark.parametrize("field", ["criteria", "my criterion", "inner/which"])
def test_each_row_brings_its_criterion_in_a_field_of_any_name(field: str) -> None:
    polite = CriteriaWithOptions(
        "polite", "Is it polite?", options=[CriteriaOption("Aye", ""), CriteriaOption("Nay", "")]
    )
    engine = Judge(lambda request: "Aye" if "polite" in request.messages[0].content else "Acceptable")
    metric = LLMJudgeDirect(inference_engine=engine, criteria_field=field, context_fields=["question"])
    values = ["answer_relevance", polite, polite.to_json()]
    rows = [{"question": QUESTION, **_nested(field, value)} for value in values]
    results = metric.compute([[]] * 3, ["a", "b", "c"], rows)
    assert [result["score"] for result in results] == [0.75, 1.0, 1.0]
    assert {result["score_name"] for result in results} == {"llm_as_judge"}
    assert json.loads(results[1]["llm_as_judge_criteria"])["name"] == "polite"


def _nested(path: str, value: Any) -> dict[str, Any]:
    first, _, rest = path.partition("/")
    return {first: _nested(rest, value) if rest else value}


def test_rows_that_share_a_criterion_are_named_for_it() -> None:
    metric = LLMJudgeDirect(inference_engine=always("Acceptable"), criteria_field="criteria", context_fields=None)
    rows = [{"question": QUESTION, "criteria": "answer_relevance"} for _ in range(2)]
    results = metric.compute([[], []], ["a", "b"], rows)
    assert [result["score_name"] for result in results] == ["answer_relevance"] * 2


def test_the_metrics_own_criteria_win_over_those_of_the_rows() -> None:
    metric = direct(always("Bad"), criteria_field="criteria")
    (result,) = metric.compute([[]], ["a"], [{"question": QUESTION, "criteria": "coherence"}])
    assert result["score_name"] == "answer_relevance"


def test_a_prefix_stands_before_every_key_but_the_score() -> None:
    (plain,) = judged(direct(always("Bad")))
    (prefixed,) = judged(direct(always("Bad"), score_prefix="pre_"))
    keep = {"score", "score_name"}
    assert [*prefixed] == [name if name in keep else f"pre_{name}" for name in plain]
    assert prefixed["score_name"] == "pre_answer_relevance"


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ("question", f"question: {QUESTION}"),
        (["question", "place"], f"question: {QUESTION}\nplace: Oslo"),
        ({"Asked": "question"}, f"Asked: {QUESTION}"),
        ({"Context": "place"}, "\nOslo\n"),
        ({"street": "address/street"}, "street: Main"),
        (None, f"question: {QUESTION}"),
        ([], f"question: {QUESTION}"),
    ],
)
def test_context_fields_are_a_name_a_list_or_a_mapping_and_else_the_criterions(fields: Any, shown: str) -> None:
    metric = direct(always("Bad"), context_fields=fields)
    row = {"question": QUESTION, "place": "Oslo", "address": {"street": "Main"}}
    (result,) = metric.compute([[]], ["a"], [row])
    assert shown in result["answer_relevance_prompts"]["assessment"][0]["content"]


def test_contexts_come_as_the_page_says_one_mapping_of_texts_for_each_row() -> None:
    metric = direct(always("Bad"), context_fields={"asked": "question", "from": "address/street"})
    rows: list[dict[str, Any]] = [
        {"question": 7, "address": {"street": "Main"}},
        {"question": ["a"], "address": {"street": "Side"}},
    ]
    assert metric.get_contexts(rows) == [{"asked": "7", "from": "Main"}, {"asked": '["a"]', "from": "Side"}]


@pytest.mark.parametrize("predictions", [None, [], ["<__empty_prediction__>"], [None]])
def test_without_predictions_the_criterions_prediction_field_is_judged(predictions: Any) -> None:
    engine = always("Bad")
    direct(engine).compute([[]], predictions, [{"question": QUESTION, "response": "From the data."}])
    assert "From the data." in engine.requests[0].messages[0].content


def test_predictions_win_over_the_prediction_field() -> None:
    engine = always("Bad")
    direct(engine).compute([[]], ["Given."], [{"question": QUESTION, "response": "From the data."}])
    assert "From the data." not in engine.requests[0].messages[0].content


# What is refused


def test_a_judge_without_criteria_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(UnitxtError, match="criteria or criteria_field"):
        direct(always("Bad"), criteria=None).compute([[]], ["a"], [{"question": "?"}])


def test_direct_needs_options() -> None:
    metric = direct(always("Bad"), criteria=Criteria("best", "Which is best?"))
    with pytest.raises(UnitxtError, match="CriteriaWithOptions"):
        metric.before_process_multi_stream()


def test_a_missing_criteria_field_is_named_with_the_one_that_was_perhaps_meant() -> None:
    metric = LLMJudgeDirect(inference_engine=always("Bad"), criteria_field="criterion")
    with pytest.raises(UnitxtError, match=r"'criterion'.*Perhaps you meant 'criteria'"):
        metric.get_criteria([{"criteria": "answer_relevance"}], 1)


def test_a_missing_context_field_is_named() -> None:
    with pytest.raises(UnitxtError, match=r"'questoin'.*Perhaps you meant 'question'"):
        judged(direct(always("Bad"), context_fields="questoin"))


def test_no_predictions_and_no_prediction_field_are_refused() -> None:
    with pytest.raises(UnitxtError, match="prediction_field"):
        direct(always("Yes"), criteria=CLEAR).compute([[]], [], [{"question": QUESTION}])


def test_an_option_without_a_score_is_refused() -> None:
    with pytest.raises(UnitxtError, match="option_map gives no number for the option 'No'"):
        judged(direct(always("Yes"), criteria={**CLEAR, "option_map": {"Yes": 1}}))


def test_an_unknown_shipped_criterion_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnitxtError, match="answer_relevance"):
        direct(always("Bad"), criteria="metrics.llm_as_judge.direct.criteria.answer_relevanc")


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("format", "formats.plain", "formats.chat_api"),
        ("ci_method", "percentile", "BCa"),
        ("inference_engine", 7, "inference_engine"),
        ("reduction_map", {"meen": ["score"]}, "Perhaps you meant 'mean'"),
    ],
)
def test_a_setting_that_cannot_be_obeyed_is_refused(setting: str, value: Any, said: str) -> None:
    with pytest.raises(UnitxtError, match=said):
        LLMJudgeDirect(**{"inference_engine": always("Bad"), setting: value})


def test_as_many_predictions_as_rows_are_needed() -> None:
    with pytest.raises(UnitxtError, match=r"2 predictions .* 1 "):
        direct(always("Bad")).compute([[]], ["a", "b"], [{"question": QUESTION}])


def test_nothing_to_judge_is_refused() -> None:
    with pytest.raises(UnitxtError, match="nothing to judge"):
        direct(always("Bad")).compute([], [], [])


def test_the_base_class_does_not_say_how_to_judge() -> None:
    metric = LLMJudge(main_score="x", reduction_map={"mean": ["x"]}, inference_engine=always("Bad"))
    assert metric.context_fields == {"context": "context"}
    assert not hasattr(metric, "compute")


# Pairwise


THREE = {"system1": "gold", "system2": "silver", "system3": "bronze"}
METALS = ("gold", "silver", "bronze", "lead", "tin")


def test_a_pairwise_result_has_the_keys_of_the_page_for_each_system_in_their_order() -> None:
    (result,) = contest(better(*METALS), THREE)
    keys = [f"{name}_{key}" for name in THREE for key in CONTEST_KEYS]
    assert list(result) == [*keys, "criteria", "score", "score_name"]
    assert result["system1_contest_results"] == [True, True]
    assert result["system2_contest_results"] == [False, True]
    assert result["system2_selections"] == ["system1", "system2"]
    assert result["system2_compared_to"] == ["system1", "system3"]
    assert result["system2_option_selection_outputs"] == ["system1", "system2"]
    assert result["system2_positional_bias"] == [False, False]
    assert result["system2_positional_bias_selection"] == ["system1", "system2"]
    assert [result[f"{name}_winrate"] for name in THREE] == [1.0, 0.5, 0.0]
    assert [result[f"{name}_llm_as_judge"] for name in THREE] == [1.0, 0.5, 0.0]
    assert [result[f"{name}_ranking"] for name in THREE] == [1, 2, 3]
    assert result["system3_response_name"] == "system3"
    assert json.loads(result["criteria"])["__type__"] == "criteria"
    assert (result["score"], result["score_name"]) == (1.0, "system1_winrate")


def test_pairwise_prompts_are_arrays_of_message_lists() -> None:
    (result,) = contest(better(*METALS), THREE)
    prompts = result["system2_prompts"]
    assert list(prompts) == [
        "assessment",
        "positional_bias_assessment",
        "option_selection",
        "positional_bias_option_selection",
    ]
    assert [[each["role"] for each in messages] for messages in prompts["option_selection"]] == [
        ["user", "assistant", "user"],
        ["user", "assistant", "user"],
    ]
    first, second = (prompts[f"{order}assessment"][0][0]["content"] for order in ("", "positional_bias_"))
    assert first.index("gold") < first.index("silver")
    assert second.index("gold") > second.index("silver")
    assert f"asked: {QUESTION}" in first


def test_summaries_of_contests_come_with_their_prompt() -> None:
    (result,) = contest(better(*METALS), ["gold", "tin"], generate_summaries=True)
    assert result["1_summaries"] == result["2_summaries"] == ["The summary of summarization."]
    assert result["1_positional_bias_summaries"] == ["The summary of positional_bias_summarization."]
    assert result["1_prompts"]["summary"][0][0]["role"] == "user"


def test_a_list_of_responses_names_them_from_one() -> None:
    (result,) = contest(better(*METALS), ["tin", "gold"])
    assert (result["1_winrate"], result["2_winrate"]) == (0.0, 1.0)
    assert (result["score_name"], result["score"]) == ("1_winrate", 0.0)


def test_names_with_spaces_win_too_and_order_of_keys_is_order_of_contests() -> None:
    (result,) = contest(better(*METALS), {"my best model": "gold", "a model": "tin"})
    assert result["my best model_winrate"] == 1.0
    assert result["score_name"] == "my best model_winrate"
    first = result["my best model_prompts"]["assessment"][0][0]["content"]
    assert first.index("gold") < first.index("tin")


def test_a_judge_that_always_names_the_first_shows_bias_and_the_normal_order_counts() -> None:
    (result,) = contest(always("Response A"), THREE)
    assert result["system1_positional_bias"] == [True, True]
    assert result["system1_positional_bias_selection"] == ["system2", "system3"]
    assert [result[f"{name}_winrate"] for name in THREE] == [1.0, 0.5, 0.0]


def test_equal_win_rates_share_the_better_rank() -> None:
    def in_a_ring(request: Request) -> str:
        first, second = request.labels.systems
        won = {("1", "2"): "1", ("1", "3"): "1", ("1", "4"): "1", ("2", "3"): "2", ("2", "4"): "4", ("3", "4"): "3"}
        return "Response A" if won[first, second] == first else "Response B"

    (result,) = contest(Judge(in_a_ring), ["w", "x", "y", "z"], check_positional_bias=False)
    assert [result[f"{name}_ranking"] for name in "1234"] == [1, 2, 2, 2]
    assert "1_positional_bias" not in result


def test_a_failed_contest_keeps_its_place_and_counts_as_no_defeat() -> None:
    def choose(request: Request) -> str:
        return "?" if set(request.labels.systems) == {"system2", "system3"} else "Response A"

    (result,) = contest(Judge(choose), THREE, check_positional_bias=False)
    assert result["system2_contest_results"] == [False, None]
    assert result["system2_selections"] == ["system1", None]
    assert result["system2_compared_to"] == ["system1", "system3"]
    assert len(result["system2_assessments"]) == 2
    assert result["system2_status"] == ["ok", "parse_error"]
    assert result["system2_error"][0] is None
    assert result["system2_error"][1]
    assert math.isnan(result["system2_winrate"])
    assert math.isnan(result["system2_llm_as_judge"])
    assert result["system1_winrate"] == result["score"] == 1.0
    assert "system1_status" not in result
    assert not [name for name in result if name.endswith("_ranking")]


def test_a_contest_has_no_tie() -> None:
    engine = always("Tie")
    (result,) = contest(engine, ["x", "y"])
    assert result["1_status"] == ["parse_error"]
    assert not [each for request in engine.requests for each in request.messages if "Tie" in each.content]


def test_where_only_the_swapped_contest_fails_the_contest_stands() -> None:
    (result,) = contest(always("Response A", swapped="?"), ["x", "y"])
    assert result["1_contest_results"] == [True]
    assert result["1_positional_bias"] == [None]
    assert result["1_positional_bias_selection"] == [None]


@pytest.mark.parametrize(
    ("predictions", "said"),
    [
        (["text"], "a list or a dict.*str"),
        ([["only"]], "two"),
        ([{"a": "x", "": "y"}], "a name of its own"),
        ([{1: "x", "1": "y"}], "a name of its own"),
        ([{"a": "x", "b": "y"}, {"a": "x", "c": "y"}], r"\['a', 'b'\].*\['a', 'c'\]"),
    ],
)
def test_responses_that_cannot_be_compared_are_refused(predictions: list[Any], said: str) -> None:
    with pytest.raises(UnitxtError, match=said):
        contest(always("Response A"), *predictions)


def test_contests_take_a_criterion_from_each_row() -> None:
    engine = Judge(lambda request: "Response A" if "funny_joke" in request.messages[0].content else "Response B")
    metric = LLMJudgePairwise(inference_engine=engine, criteria_field="which", context_fields=None)
    rows: list[dict[str, Any]] = [
        {"which": "funny_joke"},
        {"which": Criteria("short", "Which is shorter?")},
        {"which": "funny_joke"},
    ]
    results = metric.compute([[]] * 3, [["x", "y"]] * 3, rows)
    assert [result["1_winrate"] for result in results] == [1.0, 0.0, 1.0]
    assert [json.loads(result["criteria"])["name"] for result in results] == ["funny_joke", "short", "funny_joke"]


def test_contests_take_their_responses_from_the_prediction_field() -> None:
    metric = LLMJudgePairwise(inference_engine=better(*METALS), criteria="funny_joke", context_fields=None)
    (result,) = metric.compute([[]], [], [{"response": ["gold", "tin"]}])
    assert result["1_winrate"] == 1.0


def test_swapping_the_names_mirrors_every_win_rate() -> None:
    (one,) = contest(better(*METALS), {"x": "gold", "y": "tin", "z": "lead"})
    (other,) = contest(better(*METALS), {"y": "tin", "x": "gold", "z": "lead"})
    for name in "xyz":
        assert one[f"{name}_winrate"] == other[f"{name}_winrate"]


@given(wins=st.lists(st.booleans(), min_size=10, max_size=10), count=st.integers(2, 5))
@settings(max_examples=20)
def test_every_contest_has_one_winner_and_ranks_follow_win_rates(wins: list[bool], count: int) -> None:
    names = [str(number) for number in range(1, count + 1)]
    won = dict(zip(itertools.combinations(names, 2), wins, strict=False))
    engine = Judge(
        lambda request: "Response A" if won[cast("tuple[str, str]", request.labels.systems)] else "Response B"
    )
    (result,) = contest(engine, names, check_positional_bias=False, include_prompts_in_result=False)
    rates = [result[f"{name}_winrate"] for name in names]
    assert sum(rates) == pytest.approx(count / 2)
    assert rates == [
        sum(won[min(name, other), max(name, other)] == (name < other) for other in names if other != name) / (count - 1)
        for name in names
    ]
    ranks = [result[f"{name}_ranking"] for name in names]
    assert ranks == [1 + sum(other > rate for other in rates) for rate in rates]


# A step by itself


class Template:
    def render(self, instance: Mapping[str, Any]) -> str:
        return f"Judge {instance['answer']}."


@pytest.mark.parametrize("template", [Template(), "Judge {answer}."])
def test_a_step_asks_the_engine_once_for_all_instances(template: Any) -> None:
    engine = always("Yes")
    metric = direct(engine)
    instances = [{"answer": "one"}, {"answer": "two"}]
    prompts, raw, predictions = metric.perform_evaluation_step(instances, None, template)
    assert [each[-1]["content"] for each in prompts] == ["Judge one.", "Judge two."]
    assert raw == predictions == ["Yes", "Yes"]


def test_a_step_goes_on_from_earlier_messages_and_reads_the_option_where_options_are_given() -> None:
    before = [[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Well."}]]
    instances = [{"options": ["Good", "Bad"]}]
    metric = direct(always("**bad**"))
    prompts, raw, predictions = metric.perform_evaluation_step(instances, None, "Which?", before)
    assert [each["role"] for each in prompts[0]] == ["user", "assistant", "user"]
    assert (raw, predictions) == (["**bad**"], ["Bad"])


def test_a_step_names_the_field_that_its_template_or_task_misses() -> None:
    metric = direct(always("Yes"))
    with pytest.raises(UnitxtError, match="'answer'"):
        metric.perform_evaluation_step([{"anser": 1}], None, "Judge {answer}.")

    class Task:
        input_fields = ("criteria",)

    with pytest.raises(UnitxtError, match="'criteria'"):
        metric.perform_evaluation_step([{"answer": 1}], Task(), "Judge {answer}.")


def test_cleaning_leaves_out_what_is_none_or_empty_and_keeps_places_in_arrays() -> None:
    metric = direct(always("Bad"))
    given = {"a": None, "b": [], "c": {}, "d": {"e": None}, "f": [None, True], "g": 0, "h": ""}
    assert metric.clean_results(given) == {"f": [None, True], "g": 0, "h": ""}
    assert metric.clean_results([given, {"x": 1}]) == [{"f": [None, True], "g": 0, "h": ""}, {"x": 1}]


async def _in_a_loop(metric: LLMJudgeDirect) -> list[dict[str, Any]]:
    return judged(metric)


def test_it_works_while_an_event_loop_runs_as_in_a_notebook() -> None:
    (result,) = asyncio.run(_in_a_loop(direct(always("Bad"))))
    assert result["score"] == 0.0
