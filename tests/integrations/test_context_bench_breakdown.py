"""Figures of each dataset, ranks of systems, and how often the judge failed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.core.status import Status
from gavelkit.integrations.context_bench import EvalRow, JudgeFailures, Metric, ParetoRank, PerDatasetBreakdown
from gavelkit.integrations.context_bench_breakdown import failures


def row(score: float | None = None, *, status: str | None = None, dataset: str = "", system: str = "a") -> EvalRow:
    scores = {} if score is None else {"judge_score": score, "f1": score}
    return EvalRow(system, 1, scores, 0, 0, {} if status is None else {"judge_status": status}, dataset=dataset)


@pytest.mark.parametrize(
    ("metric", "name"),
    [(PerDatasetBreakdown(), "per_dataset"), (ParetoRank(), "pareto_rank"), (JudgeFailures(), "judge_failures")],
)
def test_each_is_a_metric_with_its_name(metric: object, name: str) -> None:
    assert isinstance(metric, Metric)
    assert metric.name == name


def test_each_dataset_has_its_mean_and_rows_without_one_are_of_an_unknown() -> None:
    rows = [row(1.0, dataset="squad"), row(0.5, dataset="drop"), row(None, dataset="squad"), row(0.25)]
    figures = PerDatasetBreakdown().compute(rows)
    assert figures == {"dataset:drop": 0.5, "dataset:squad": 0.5, "dataset:unknown": 0.25}
    assert list(figures) == sorted(figures)
    assert PerDatasetBreakdown().compute([]) == {}


def test_the_score_of_the_breakdown_is_f1_unless_told() -> None:
    rows = [EvalRow("a", 1, {"f1": 0.2, "judge_score": 0.8}, 0, 0, dataset="d")]
    assert PerDatasetBreakdown().compute(rows) == {"dataset:d": 0.2}
    assert PerDatasetBreakdown("judge_score").compute(rows) == {"dataset:d": 0.8}


def test_a_rank_counts_the_systems_that_are_better_and_no_dearer() -> None:
    summary = {
        "best": {"mean_score": 0.9, "cost_of_pass": 10.0},
        "cheap": {"mean_score": 0.5, "cost_of_pass": 5.0},
        "twin": {"mean_score": 0.5, "cost_of_pass": 5.0},
        "dear": {"mean_score": 0.5, "cost_of_pass": 50.0},
        "empty": {},
    }
    assert ParetoRank.rank_systems(summary) == {"best": 1, "cheap": 1, "twin": 1, "dear": 4, "empty": 5}


def test_the_fields_of_a_rank_are_the_callers() -> None:
    summary = {"a": {"q": 1.0, "c": 2.0}, "b": {"q": 1.0, "c": 1.0}}
    assert ParetoRank.rank_systems(summary, "q", "c") == {"a": 2, "b": 1}
    assert ParetoRank.rank_systems(summary, quality_field="q", cost_field="none") == {"a": 1, "b": 1}
    assert ParetoRank("q", "c").compute([]) == {"pareto_rank": 0.0}


def test_a_quality_that_is_no_number_is_the_worst() -> None:
    summary = {"nan": {"q": math.nan, "c": 1.0}, "some": {"q": 0.1, "c": 1.0}}
    assert ParetoRank.rank_systems(summary, "q", "c") == {"nan": 2, "some": 1}


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_some_system_has_the_first_rank_and_whoever_is_beaten_ranks_behind_the_winner(
    places: dict[str, tuple[int, int]],
) -> None:
    ranks = ParetoRank.rank_systems({name: {"q": float(q), "c": float(c)} for name, (q, c) in places.items()}, "q", "c")
    assert min(ranks.values()) == 1
    for one, (q, c) in places.items():
        for other, (quality, cost) in places.items():
            if quality > q and cost < c:
                assert ranks[other] < ranks[one]


def test_failed_judgments_are_counted_and_left_out_of_the_mean() -> None:
    rows = [row(0.75, status="ok"), row(0.0, status="ok"), row(0.0, status="call_error"), row(0.0, status="truncated")]
    assert JudgeFailures().compute(rows) == {"judge_failed": 2.0, "mean_judged": 0.375}


def test_a_rating_of_one_is_no_failure_and_a_row_without_a_status_is_none_either() -> None:
    assert JudgeFailures().compute([row(0.0, status=Status.OK), row(1.0)]) == {"judge_failed": 0.0, "mean_judged": 0.5}


@pytest.mark.parametrize("rows", [[], [row(0.0, status=Status.CALL_ERROR)], [row(None)]])
def test_where_nothing_was_judged_the_mean_is_no_number(rows: list[EvalRow]) -> None:
    assert math.isnan(JudgeFailures().compute(rows)["mean_judged"])


def test_the_judges_score_can_have_another_name() -> None:
    rows = [EvalRow("a", 1, {"judge_score": 0.0, "mine": 0.5}, 0, 0, {"judge_status": "ok"})]
    assert JudgeFailures("mine").compute(rows)["mean_judged"] == 0.5


def test_failures_are_told_by_system_and_status() -> None:
    rows = [
        row(0.0, status=Status.PARSE_ERROR),
        row(0.0, status="call_error"),
        row(0.0, status="call_error"),
        row(1.0, status="ok", system="b"),
    ]
    assert failures(rows) == {"a": {"call_error": 2, "parse_error": 1}}
