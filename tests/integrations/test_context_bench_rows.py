"""The shapes that context-bench's parts have: whoever has the methods fits, without a base class."""

from __future__ import annotations

from typing import Any

import pytest

from gavelkit.core.errors import UsageError
from gavelkit.integrations.context_bench import (
    AnswerQuality,
    CompressionRatio,
    CostOfPass,
    EvalRow,
    Evaluator,
    Latency,
    LLMJudge,
    MeanScore,
    Metric,
    PassRate,
    System,
)
from gavelkit.integrations.context_bench_rows import refuse_others


class Awaiting:
    """A system of coroutines."""

    name = "awaiting"

    async def process(self, example: dict[str, Any]) -> dict[str, Any]:
        return example


METRICS = [MeanScore(), PassRate(), CompressionRatio(), CostOfPass(), Latency()]


class Echo:
    """A system that answers with the question."""

    name = "echo"

    def process(self, example: dict[str, Any]) -> dict[str, Any]:
        return {**example, "response": example["question"]}


def test_a_row_has_the_fields_of_the_page_in_their_order_with_their_defaults() -> None:
    row = EvalRow("echo", 7, {"f1": 0.5}, 10, 4)
    assert [row.system, row.example_id, row.scores, row.input_tokens, row.output_tokens] == [
        "echo",
        7,
        {"f1": 0.5},
        10,
        4,
    ]
    assert [row.metadata, row.latency, row.dataset] == [{}, 0.0, ""]
    assert list(EvalRow.__dataclass_fields__)[5:] == ["metadata", "latency", "dataset"]


def test_a_class_with_a_name_and_process_is_a_system() -> None:
    assert isinstance(Echo(), System)
    assert not isinstance(Echo(), Evaluator)
    assert not isinstance(object(), System)


@pytest.mark.parametrize("evaluator", [AnswerQuality(), LLMJudge("http://127.0.0.1:9")])
def test_evaluators_have_a_name_and_score(evaluator: object) -> None:
    assert isinstance(evaluator, Evaluator)
    assert not isinstance(evaluator, Metric)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_metrics_have_a_name_and_compute(metric: object) -> None:
    assert isinstance(metric, Metric)
    assert not isinstance(metric, Evaluator)


def test_a_systems_output_is_scored_and_summarised_with_these_parts_alone() -> None:
    example = {"id": 1, "question": "Lima", "answer": "lima."}
    scores = AnswerQuality().score(example, Echo().process(example))
    row = EvalRow("echo", example["id"], scores, 3, 1)  # type: ignore[arg-type] # an example's id is whatever it is
    assert MeanScore("f1").compute([row]) == {"mean_score": 1.0}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Echo(), "systems are a list, and not <"),
        ([Echo], r"is none; is Echo\(\) meant\?"),
        ([object()], r"systems are objects with a name and process\(...\), and <object"),
        ([AnswerQuality()], r"with a name and process"),
        ([Awaiting()], "process of 'awaiting' is async; a plain function is needed"),
    ],
)
def test_what_is_no_system_is_refused_with_what_would_be(given: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        refuse_others("systems", given, "process")
