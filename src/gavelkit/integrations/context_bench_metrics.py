"""context-bench's metrics over rows: quality, tokens and time. A row without the score counts as 0, as documented."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from gavelkit.integrations.context_bench_rows import EvalRow


@dataclass(frozen=True, slots=True)
class MeanScore:
    """`mean_score`: the mean of one score; 0.0 for no rows."""

    score_field: str = "score"

    @property
    def name(self) -> str:
        """`mean_score`."""
        return "mean_score"

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:
        """The figure by its name."""
        return {"mean_score": fmean(_scores(rows, self.score_field)) if rows else 0.0}


@dataclass(frozen=True, slots=True)
class PassRate:
    """`pass_rate`: the share of rows whose score is at least `threshold`; 0.0 for no rows."""

    threshold: float = 0.7
    score_field: str = "score"

    @property
    def name(self) -> str:
        """`pass_rate`."""
        return "pass_rate"

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:
        """The figure by its name."""
        return {"pass_rate": _passing(rows, self.score_field, self.threshold) / len(rows) if rows else 0.0}


@dataclass(frozen=True, slots=True)
class CostOfPass:
    """`cost_of_pass`: output tokens for each row that passes, infinite where none does; and `num_passing`.

    Counts tokens where Erol et al. 2025 (arXiv:2504.13359) count money.
    """

    threshold: float = 0.7
    score_field: str = "score"

    @property
    def name(self) -> str:
        """`cost_of_pass`."""
        return "cost_of_pass"

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:
        """Both figures by name."""
        passing = _passing(rows, self.score_field, self.threshold)
        cost = sum(row.output_tokens for row in rows) / passing if passing else math.inf
        return {"cost_of_pass": cost, "num_passing": float(passing)}


@dataclass(frozen=True, slots=True)
class CompressionRatio:
    """`compression_ratio`: 1 - tokens out / tokens in, over all rows, 0.0 for none in; and both means of tokens."""

    @property
    def name(self) -> str:
        """`compression_ratio`."""
        return "compression_ratio"

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:
        """The three figures by name."""
        before, after = sum(row.input_tokens for row in rows), sum(row.output_tokens for row in rows)
        count = len(rows) or 1
        return {
            "compression_ratio": 1.0 - after / before if before > 0 else 0.0,
            "mean_input_tokens": before / count,
            "mean_output_tokens": after / count,
        }


@dataclass(frozen=True, slots=True)
class Latency:
    """Mean, median, 95th and 99th percentile of the rows' `latency`, in seconds; 0.0 for no rows.

    A percentile is the time of a row, the smallest that more than that share of the rows' ranks precede.
    """

    @property
    def name(self) -> str:
        """`latency`."""
        return "latency"

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:
        """The four figures by name."""
        times = sorted(row.latency for row in rows) or [0.0]
        return {
            "latency_mean": fmean(times),
            "latency_median": median(times),
            "latency_p95": times[int(len(times) * 0.95)],
            "latency_p99": times[int(len(times) * 0.99)],
        }


def _scores(rows: Sequence[EvalRow], field: str) -> list[float]:
    """A score of each row. Raises TypeError where one is a text, saying whose: evaluators may give labels beside."""
    for row in rows:
        if isinstance(row.scores.get(field), str):
            message = f"{row.system}: {field!r} of example {row.example_id} is no number: {row.scores[field]!r}"
            raise TypeError(message)
    return [row.scores.get(field, 0.0) for row in rows]


def _passing(rows: Sequence[EvalRow], field: str, threshold: float) -> int:
    return sum(score >= threshold for score in _scores(rows, field))
