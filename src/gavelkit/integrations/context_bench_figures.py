"""The figures of an evaluation in context-bench's shape, and what failed in it, in words that every report shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gavelkit.integrations.context_bench_breakdown import JudgeFailures, failures
from gavelkit.integrations.context_bench_result import EvalResult
from gavelkit.integrations.context_bench_rows import EvalRow
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
    """What failed of each system: its own calls, evaluators, the judge; how often, and why the first time."""
    judged = failures(result.rows)
    for system in dict.fromkeys(row.system for row in result.rows):
        rows = [row for row in result.rows if row.system == system]
        yield from _unanswered(system, rows)
        yield from _unscored(system, rows)
        if system in judged:
            yield _unjudged(system, rows, judged[system])


def _unanswered(system: str, rows: Sequence[EvalRow]) -> Iterator[str]:
    failed = [row for row in rows if "error" in row.metadata]
    if failed:
        why = f"{_place(failed[0])}: {failed[0].metadata['error']}"
        yield f"{system}: {_share(len(failed), rows)} no response, and so no scores. First {why}"


def _unscored(system: str, rows: Sequence[EvalRow]) -> Iterator[str]:
    raised: dict[str, list[EvalRow]] = {}
    for row in rows:
        for evaluator in row.metadata.get("evaluator_errors", {}):
            raised.setdefault(evaluator, []).append(row)
    for evaluator, failed in raised.items():
        why = f"{_place(failed[0])}: {failed[0].metadata['evaluator_errors'][evaluator]}"
        yield f"{system}: {_share(len(failed), rows)} no scores of {evaluator!r}, which raised. First {why}"


def _unjudged(system: str, rows: Sequence[EvalRow], counts: Mapping[str, int]) -> str:
    kinds = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    mean = shown("", JudgeFailures().compute(rows)["mean_judged"])
    first = next((row for row in rows if row.metadata.get("judge_error")), None)
    why = "" if first is None else f". First {_place(first)}: {first.metadata['judge_error']}"
    return (
        f"{system}: the judge failed on {sum(counts.values()):,} of {counted(len(rows), 'row')} ({kinds}); "
        f"a judge_score of 0 there is no rating, and the mean of the others is {mean}{why}"
    )


def _place(row: EvalRow) -> str:
    return f"example {row.example_id}"


def _share(failed: int, rows: Sequence[EvalRow]) -> str:
    return f"{failed:,} of {counted(len(rows), 'row')} {'has' if failed == 1 else 'have'}"
