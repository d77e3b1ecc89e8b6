"""What may answer: engines of unitxt's shape, functions, our own engines and endpoints, and what each is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from tests.makers import chat_answer, chat_body, endpoint, prompt_of

from gavelkit.core.completion import Completion
from gavelkit.core.errors import ConfigError, EndpointError
from gavelkit.core.message import Request
from gavelkit.integrations.unitxt import Endpoint, LLMJudgeDirect, LLMJudgePairwise
from gavelkit.integrations.unitxt_engine import engine_id, label_of, model_name
from gavelkit.simulator.server import HttpAnswer, HttpRequest


class Foreign:
    """An engine as unitxt's are: a whole data set in, a list of texts out."""

    label = "open-ai"
    model_name = "vendor/gpt-x.5"

    def __init__(self, answer: str | None = "Excellent") -> None:
        self.batches: list[list[dict[str, Any]]] = []
        self.answer = answer

    def get_engine_id(self) -> str:
        return "gpt_x_open-ai"

    def infer(self, dataset: Sequence[dict[str, Any]]) -> list[str | None]:
        self.batches.append(list(dataset))
        return [
            self.answer if len(item["source"]) > 1 else f"Assessment {number}." for number, item in enumerate(dataset)
        ]


def judged(engine: Any, count: int = 3, **settings: Any) -> list[dict[str, Any]]:
    metric = LLMJudgeDirect(
        inference_engine=engine, criteria="answer_relevance", context_fields=["question"], **settings
    )
    rows = [{"question": f"What is {number}?"} for number in range(count)]
    return metric.compute([[]] * count, [f"It is {number}." for number in range(count)], rows)


def test_an_engine_of_unitxts_gets_each_step_as_one_batch_for_both_orders() -> None:
    engine = Foreign()
    results = judged(engine)
    assert [len(batch) for batch in engine.batches] == [6, 6]
    assert [result["score"] for result in results] == [1.0] * 3


def test_an_item_of_a_batch_holds_the_messages_the_rows_task_data_and_the_policy() -> None:
    engine = Foreign()
    judged(engine, 1, data_classification_policy=["public"])
    for item in (*engine.batches[0], *engine.batches[1]):
        assert list(item) == ["source", "task_data", "data_classification_policy"]
        assert item["task_data"] == {"question": "What is 0?"}
        assert item["data_classification_policy"] == ["public"]
        assert {frozenset(message) for message in item["source"]} == {frozenset({"role", "content"})}
    assert [message["role"] for message in engine.batches[1][0]["source"]] == ["user", "assistant", "user"]


def test_without_a_policy_none_is_sent() -> None:
    engine = Foreign()
    judged(engine, 1)
    assert list(engine.batches[0][0]) == ["source", "task_data"]


def test_contests_go_out_in_one_batch_a_step_too_and_summaries_in_one_of_their_own() -> None:
    engine = Foreign("Response A")
    metric = LLMJudgePairwise(
        inference_engine=engine, criteria="funny_joke", context_fields=None, generate_summaries=True
    )
    metric.compute([[]] * 2, [["x", "y", "z"], ["u", "v", "w"]], [{}, {}])
    assert sorted(len(batch) for batch in engine.batches) == [12, 12, 12]


def test_an_endpoint_takes_no_way_of_judging() -> None:
    with pytest.raises(ConfigError, match="the metric's"):
        Endpoint(model="m", criterion="answer_relevance")


def test_equal_questions_are_asked_once() -> None:
    engine = Foreign()
    metric = LLMJudgeDirect(inference_engine=engine, criteria="answer_relevance", context_fields=None)
    results = metric.compute([[]] * 2, ["Same.", "Same."], [{"question": "?"}] * 2)
    assert [len(batch) for batch in engine.batches] == [2, 2]
    assert [result["score"] for result in results] == [1.0, 1.0]


def test_an_item_without_a_reply_is_a_failed_judgment() -> None:
    (result,) = judged(Foreign(None), 1)
    assert math.isnan(result["score"])
    assert result["answer_relevance_status"] == "call_error"


def test_a_batch_that_fails_as_a_whole_ends_the_call() -> None:
    class Broken(Foreign):
        def infer(self, dataset: Sequence[dict[str, Any]]) -> list[str | None]:
            message = f"no such account for {len(dataset)}"
            raise RuntimeError(message)

    with pytest.raises(
        EndpointError, match=r"Broken\.infer failed on a batch of 2: RuntimeError: no such account for 2"
    ):
        judged(Broken(), 1)


def test_a_step_by_itself_is_one_batch() -> None:
    engine = Foreign()
    metric = LLMJudgeDirect(inference_engine=engine, criteria="answer_relevance")
    _prompts, raw, _predictions = metric.perform_evaluation_step([{"a": 1}, {"a": 2}], None, "Judge {a}.")
    assert raw == ["Assessment 0.", "Assessment 1."]
    assert len(engine.batches) == 1


def test_keys_hold_the_evaluators_name_or_the_engines_id_and_the_engines_label() -> None:
    (by_id,) = judged(Foreign(), 1)
    assert by_id["answer_relevance_using_gpt_x_open-ai_open-ai"] == 1.0
    (by_name,) = judged(Foreign(), 1, evaluator_name="MyEval")
    assert by_name["answer_relevance_using_myeval_open-ai"] == 1.0


def test_an_id_is_the_models_last_part_with_other_marks_and_the_label() -> None:
    class Named:
        label = "litellm"
        model_name = "vendor/GPT-x.5"

    assert engine_id(Named()) == "gpt_x,5_litellm"
    assert label_of(str) == "gavelkit"
    assert model_name(lambda prompt: prompt) == "function"


def test_a_function_from_prompt_to_text_is_an_engine() -> None:
    def my_model(prompt: str) -> str:
        return "Excellent" if "Now choose" in prompt else "Fine."

    results = judged(my_model)
    assert [result["answer_relevance_using_my_model_gavelkit_gavelkit"] for result in results] == [1.0] * 3


def test_a_batch_engine_of_ours_gets_batches() -> None:
    sizes: list[int] = []

    class Batches:
        async def complete_all(self, requests: Sequence[Request]) -> list[Completion]:
            sizes.append(len(requests))
            return [Completion("Bad") for _ in requests]

    assert [result["score"] for result in judged(Batches())] == [0.0] * 3
    assert sizes == [6, 6]


def test_an_endpoint_is_a_model_and_the_settings_of_any_judge() -> None:
    bodies: list[str] = []

    def answer(request: HttpRequest) -> HttpAnswer:
        bodies.append(request.body.decode())
        return chat_answer(chat_body("Excellent" if "Now choose" in prompt_of(request) else "Fine."))

    with endpoint(answer) as api_base:
        (result,) = judged(Endpoint(model="gpt-x", api_base=api_base, max_tokens=64, seed=42), 1)
    assert result["answer_relevance_using_gpt_x_gavelkit_gavelkit"] == 1.0
    judging = [body for body in bodies if "Reply with OK" not in body]
    assert len(judging) == 4
    assert all('"max_tokens":64' in body.replace(": ", ":") for body in judging)
    assert all('"temperature":0' in body.replace(": ", ":") for body in judging)
