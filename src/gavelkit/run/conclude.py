"""From the record to the report: what `evaluate` returns and `gavel report` shows again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.gate import Gate
from gavelkit.core.judgment import Judgment
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.stats import JudgeFacts, OnFailure, decide, summarise
from gavelkit.storage import RunReader, open_reader
from gavelkit.storage.reader import CallTotals, JudgeRow

_Subject = tuple[str, tuple[str, ...]]


def conclude(folder: Path, *, max_error_rate: float | None = None) -> Report:
    """The report of the run in a folder, finished or not. `max_error_rate` stands in for every judge's own.

    Raises StorageError.
    """
    reader = open_reader(folder)
    try:
        return _report(reader, max_error_rate)
    finally:
        reader.close()


def _report(reader: RunReader, max_error_rate: float | None) -> Report:
    count = _Count(reader.meta.get("planned"))
    facts = [JudgeFacts(judge.name, judge.criterion, judge.threshold) for judge in reader.judges]
    on_failure = cast("OnFailure", reader.meta.get("on_failure", "missing"))
    metrics = summarise(count.through(reader.outcomes()), facts, on_failure=on_failure)
    totals = reader.totals()
    judges = tuple(_summary(judge, metrics, count, totals[judge.name], max_error_rate) for judge in reader.judges)
    return Report(
        folder=str(reader.folder),
        metrics=metrics,
        judges=judges,
        notes=tuple(_notes(reader.meta, judges, count)),
        details={"data": reader.meta.get("data", ""), "on_failure": on_failure},
        gates=decide([Gate(**each) for each in reader.meta.get("gates", ())], metrics),
    )


class _Count:
    """Counts what streams by, and adds what was planned and never begun."""

    def __init__(self, planned: list[tuple[str, list[str], int]] | None) -> None:
        self._planned = {(judge, tuple(systems)): n for judge, systems, n in planned or ()}
        self.failures: dict[str, Counter[str]] = {}
        self.replied = 0

    def through(self, judgments: Iterator[Judgment]) -> Iterator[Judgment]:
        found: Counter[_Subject] = Counter()
        for judgment in judgments:
            slot = judgment.slot
            found[slot.judge, slot.systems] += 1
            if judgment.status.failed:
                self._note_failure(judgment)
            if judgment.status is not Status.CALL_ERROR:
                self.replied += 1
            yield judgment
        for (judge, systems), planned in self._planned.items():
            for number in range(planned - found[judge, systems]):
                yield Judgment(Slot(judge, f"pending {number}", systems), Status.PENDING)

    def _note_failure(self, judgment: Judgment) -> None:
        kind = judgment.failure.kind if judgment.failure else None
        name = f"{judgment.status} ({kind})" if kind else str(judgment.status)
        self.failures.setdefault(judgment.slot.judge, Counter())[name] += 1


def _summary(
    judge: JudgeRow, metrics: tuple[Metric, ...], count: _Count, totals: CallTotals, max_error_rate: float | None
) -> JudgeSummary:
    counts: Counter[Status] = Counter()
    for metric in metrics:
        if metric.judge == judge.name and metric.name == "mean":
            counts.update(metric.counts)
    return JudgeSummary(
        name=judge.name,
        model=judge.model,
        preset=judge.preset,
        scale=describe_scale(judge.criterion),
        higher_is_better=judge.criterion.higher_is_better,
        threshold=judge.threshold,
        max_error_rate=judge.max_error_rate if max_error_rate is None else max_error_rate,
        counts=counts,
        failures=dict(count.failures.get(judge.name, {})),
        calls=totals.calls,
        prompt_tokens=totals.prompt_tokens,
        completion_tokens=totals.completion_tokens,
        cached_tokens=totals.cached_tokens,
        tokens_complete=totals.uncounted == 0,
    )


def describe_scale(criterion: Criterion) -> str:
    """The scale in words: `0 to 10`, or `C 1, I 0`; empty where none is declared."""
    scale = criterion.scale
    if isinstance(scale, Range):
        return f"{scale.low:g} to {scale.high:g}"
    if isinstance(scale, Options):
        return ", ".join(f"{name} {score:g}" for name, score in scale.scores.items())
    return ""


def _notes(meta: Mapping[str, Any], judges: tuple[JudgeSummary, ...], count: _Count) -> Iterator[str]:
    calls = sum(judge.calls for judge in judges)
    if 0 < calls < count.replied:
        yield f"{calls:,} calls served {count.replied:,} judgments: equal prompts are asked once"
    if removed := meta.get("removed"):
        yield f"{removed:,} rows judged before are left out: they no longer stand in the data, or beyond the limit"
    if reread := meta.get("reread"):
        yield f"stored replies were read again, without a call: {', '.join(reread)}"
