"""The figures of an evaluation in context-bench's shape, and its judge's failures, in words that every report shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from gavelkit.integrations.context_bench_breakdown import JudgeFailures, failures
from gavelkit.integrations.context_bench_result import EvalResult
from gavelkit.reports.figures import counted

_COUNTS: Final = frozenset({"evaluator_failed", "judge_failed", "num_passing", "pareto_rank", "system_failed"})


def figure_names(result: EvalResult) -> list[str]:
    """The names of all systems' figures, each once, in the order in which they come."""
    return list(dict.fromkeys(name for figures in result.summary.values() for name in figures))


def shown(name: str, value: float | None) -> str:
    """A figure with four decimals, a count without any; `-` where there is none."""
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return f"{value:,.0f}" if name in _COUNTS else f"{value:z.4f}"


def about(result: EvalResult) -> Iterator[str]:
    """How many examples there were, and each system's seconds, where the result tells."""
    if isinstance(count := result.config.get("num_examples"), int):
        yield counted(count, "example")
    for system, seconds in result.timing.items():
        yield f"{system}: {seconds:.2f} s"


def warnings(result: EvalResult) -> Iterator[str]:
    """For each system on which the judge failed: how often and how, and the mean of what it did judge."""
    for system, counts in failures(result.rows).items():
        rows = [row for row in result.rows if row.system == system]
        kinds = ", ".join(f"{count:,} {status}" for status, count in counts.items())
        mean = shown("", JudgeFailures().compute(rows)["mean_judged"])
        yield (
            f"{system}: the judge failed on {sum(counts.values()):,} of {counted(len(rows), 'row')} ({kinds}); "
            f"a judge_score of 0 there is no rating, and the mean of the others is {mean}"
        )
