"""Rows and figures from a run's record: tokens, scores, and what failed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.bench import ROWS, Echo, Length

from gavelkit.core.status import Status
from gavelkit.integrations.context_bench import AnswerQuality, EvalRow, MeanScore, evaluate
from gavelkit.integrations.context_bench_recorded import Counter, recorded_rows, summaries, usual_metrics
from gavelkit.integrations.context_bench_run import Evaluation


def rows_of(folder: Path, systems: list[Any], evaluators: list[Any], rows: list[dict[str, Any]]) -> list[EvalRow]:
    """What a run leaves, read from its record."""
    evaluation = Evaluation(systems, rows, evaluators)
    evaluation.run(folder)
    return recorded_rows(folder, evaluation.systems, evaluation.originals, evaluation.evaluators, Counter())


def test_rows_come_system_by_system_in_the_order_of_the_examples(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, [Echo("b"), Echo("a")], [AnswerQuality()], [*reversed(ROWS)])
    assert [(row.system, row.example_id) for row in rows] == [(s, f"q{n}") for s in "ba" for n in (3, 2, 1, 0)]
    assert all(row.scores["f1"] == 1.0 for row in rows)
    assert all(row.latency > 0 for row in rows)


def test_ids_and_datasets_are_those_of_the_rows(tmp_path: Path) -> None:
    given: list[dict[str, Any]] = [
        {"answer": "x"},
        {"id": 7, "dataset": "one", "answer": "x"},
        {"id": 7, "dataset": "two", "answer": "y"},
        {"id": 7, "dataset": "two", "answer": "z"},
    ]
    rows = rows_of(tmp_path, [Echo()], [], given)
    assert [(row.example_id, row.dataset) for row in rows] == [(0, ""), (7, "one"), (7, "two"), (7, "two")]
    assert [row.output_tokens for row in rows] == [1, 1, 1, 1]


def test_of_two_scores_with_one_name_the_later_evaluators_counts(tmp_path: Path) -> None:
    class Other:
        name = "other"

        def score(self, *_: object) -> dict[str, float]:
            return {"f1": 0.25, "odd": math.nan}

    (row, *_) = rows_of(tmp_path, [Echo()], [AnswerQuality(), Other()], ROWS[:1])
    assert row.scores["f1"] == 0.25
    assert math.isnan(row.scores["odd"])
    assert row.scores["recall"] == 1.0


def test_the_tokens_of_texts_are_counted_but_not_those_of_names() -> None:
    told = {"id": "a-long-id", "dataset": "a-long-name", "question": "12345678", "n": 5, "answer": "123"}
    assert Counter().tokens(told) == 3
    assert Counter(len).tokens(told) == 11
    assert Counter(len, ["answer"]).tokens(told) == 3
    assert Counter(len, ["answer"]).tokens({"response": "1234", "note": "12"}) == 4
    assert Counter(len, []).tokens({}) == 0


@pytest.mark.parametrize(("count", "name"), [(None, "an estimate: characters / 4"), (len, "len"), (Echo(), "Echo")])
def test_a_counter_says_what_counts(count: Any, name: str) -> None:
    assert Counter(count).name == name


def test_usage_that_a_system_tells_stands_in_the_metadata(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    echo = Echo(process=lambda _: {"response": "x", "api_usage": usage, "trace": ["kept"]})
    (row,) = rows_of(tmp_path, [echo], [AnswerQuality()], ROWS[:1])
    assert row.metadata == usage


def test_a_failed_system_has_a_row_without_scores_that_says_why() -> None:
    def fail(example: dict[str, Any]) -> dict[str, Any]:
        return {"response": example["answer"]} if example["id"] != "q1" else 1 / 0  # type: ignore[return-value] # raises

    result = evaluate([Echo(process=fail)], ROWS, [AnswerQuality()], [MeanScore("f1")], progress=False)
    rows = result.rows
    assert [bool(row.scores) for row in rows] == [True, False, True, True]
    assert rows[1].metadata["status"] == Status.CALL_ERROR
    assert "ZeroDivisionError" in rows[1].metadata["error"]
    assert result.summary == {"echo": {"mean_score": 0.75, "system_failed": 1.0}}


def test_an_evaluator_that_raises_costs_its_own_scores_of_that_row() -> None:
    result = evaluate([Echo()], ROWS, [AnswerQuality(), Length(dislikes="2")], [], progress=False)
    rows = result.rows
    assert rows[1].metadata == {"evaluator_errors": {"length": "ValueError: no figure for q1"}}
    assert "length" not in rows[1].scores
    assert [row.scores["f1"] for row in rows] == [1.0] * 4
    assert result.summary == {"echo": {"evaluator_failed": 1.0}}


def test_the_usual_metrics_pass_over_a_text() -> None:
    scores: dict[str, Any] = {"label": "good", "x": 0.5}
    rows = [EvalRow("a", 1, scores, 0, 0)]
    assert summaries(rows, ["a"], usual_metrics(rows)) == {"a": {"mean_score": 0.5, "pass_rate": 0.0}}


def test_the_usual_metrics_are_of_the_first_score_there_is() -> None:
    rows = [EvalRow("a", 1, {}, 0, 0), EvalRow("a", 2, {"length": 4.0, "f1": 1.0}, 0, 0)]
    assert summaries(rows, ["a"], usual_metrics(rows)) == {"a": {"mean_score": 2.0, "pass_rate": 0.5}}
    assert summaries([], ["a"], usual_metrics([])) == {"a": {"mean_score": 0.0, "pass_rate": 0.0}}
