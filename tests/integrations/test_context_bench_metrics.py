"""context-bench's metrics: their names, their keys, and what they make of rows and of none."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.integrations.context_bench import (
    CompressionRatio,
    CostOfPass,
    EvalRow,
    Latency,
    MeanScore,
    Metric,
    PassRate,
)


def row(score: float | None = None, *, tokens: tuple[int, int] = (0, 0), latency: float = 0.0) -> EvalRow:
    return EvalRow("a", 1, {} if score is None else {"judge_score": score}, *tokens, latency=latency)


def times(*seconds: float) -> list[EvalRow]:
    return [row(latency=each) for each in seconds]


@pytest.mark.parametrize("metric", [MeanScore("label"), PassRate(score_field="label"), CostOfPass(score_field="label")])
def test_a_text_in_place_of_a_score_is_refused_with_its_place(metric: Metric) -> None:
    scores: dict[str, Any] = {"label": "good"}
    with pytest.raises(TypeError, match="a: 'label' of example 7 is no number: 'good'"):
        metric.compute([row(1.0), EvalRow("a", 7, scores, 0, 0)])


ROWS = [row(1.0, tokens=(100, 20)), row(0.5, tokens=(50, 10)), row(None, tokens=(50, 30))]
FIELD = "judge_score"


@pytest.mark.parametrize(
    ("metric", "name", "of_none"),
    [
        (MeanScore(), "mean_score", {"mean_score": 0.0}),
        (PassRate(), "pass_rate", {"pass_rate": 0.0}),
        (CostOfPass(), "cost_of_pass", {"cost_of_pass": math.inf, "num_passing": 0.0}),
        (
            CompressionRatio(),
            "compression_ratio",
            {"compression_ratio": 0.0, "mean_input_tokens": 0.0, "mean_output_tokens": 0.0},
        ),
        (
            Latency(),
            "latency",
            {"latency_mean": 0.0, "latency_median": 0.0, "latency_p95": 0.0, "latency_p99": 0.0},
        ),
    ],
)
def test_a_metric_has_its_name_and_its_keys_even_for_no_rows(
    metric: Metric, name: str, of_none: dict[str, float]
) -> None:
    assert metric.name == name
    assert metric.compute([]) == of_none
    assert list(metric.compute(ROWS)) == list(of_none)


def test_the_field_is_score_and_the_threshold_0_7_unless_told() -> None:
    assert (MeanScore().score_field, PassRate().score_field, CostOfPass().score_field) == ("score",) * 3
    assert (PassRate().threshold, CostOfPass().threshold) == (0.7, 0.7)
    assert PassRate(0.5, FIELD) == PassRate(threshold=0.5, score_field=FIELD)


def test_a_row_without_the_score_counts_as_0() -> None:
    assert MeanScore(FIELD).compute(ROWS) == {"mean_score": 0.5}
    assert MeanScore().compute(ROWS) == {"mean_score": 0.0}


def test_a_score_at_the_threshold_passes() -> None:
    assert PassRate(0.5, FIELD).compute(ROWS) == {"pass_rate": pytest.approx(2 / 3)}
    assert PassRate(score_field=FIELD).compute(ROWS) == {"pass_rate": pytest.approx(1 / 3)}


def test_all_tokens_out_are_shared_by_the_rows_that_pass() -> None:
    assert CostOfPass(0.5, FIELD).compute(ROWS) == {"cost_of_pass": 30.0, "num_passing": 2.0}
    assert CostOfPass(1.1, FIELD).compute(ROWS) == {"cost_of_pass": math.inf, "num_passing": 0.0}


def test_the_ratio_is_what_was_saved_of_all_tokens() -> None:
    assert CompressionRatio().compute(ROWS) == {
        "compression_ratio": pytest.approx(0.7),
        "mean_input_tokens": pytest.approx(200 / 3),
        "mean_output_tokens": 20.0,
    }
    assert CompressionRatio().compute([row(tokens=(0, 5))])["compression_ratio"] == 0.0
    assert CompressionRatio().compute([row(tokens=(5, 10))])["compression_ratio"] == -1.0


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (times(3.0), [3.0, 3.0, 3.0, 3.0]),
        (times(4.0, 1.0), [2.5, 2.5, 4.0, 4.0]),
        (times(*range(1, 101)), [50.5, 50.5, 96, 100]),
        (times(*range(1, 21)), [10.5, 10.5, 20, 20]),
    ],
)
def test_percentiles_are_times_of_rows(rows: list[EvalRow], expected: list[float]) -> None:
    assert list(Latency().compute(rows).values()) == expected


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_percentiles_never_fall_and_never_leave_the_times(seconds: list[float]) -> None:
    figures = Latency().compute(times(*seconds))
    assert min(seconds) <= figures["latency_median"] <= figures["latency_p95"] <= figures["latency_p99"] <= max(seconds)
