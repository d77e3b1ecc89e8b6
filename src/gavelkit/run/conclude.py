"""From the record to the report: what `evaluate` returns and `gavel report` shows again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.gate import Gate
from gavelkit.core.judgment import Judgment
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.slot import Slot
from gavelkit.core.standings import Figure
from gavelkit.core.status import Status
from gavelkit.judges.pairwise import CONTEST
from gavelkit.run.cost import MODELS, recorded_price, spent
from gavelkit.stats import Bootstrap, JudgeFacts, OnFailure, decide, summarise, wilson
from gavelkit.storage import RunReader, open_reader
from gavelkit.storage.reader import JudgeRow
from gavelkit.storage.totals import CallTotals

if TYPE_CHECKING:
    from gavelkit.run.standings import Contesting

BOOTSTRAP = "bca"
"""The setting `interval` that asks for the bootstrap."""
SEED = 0
"""The bootstrap's, so that a report is the same whenever it is made."""

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
    contesting = _contesting(reader)
    facts = [JudgeFacts(judge.name, judge.criterion, judge.threshold) for judge in reader.judges]
    on_failure = cast("OnFailure", reader.meta.get("on_failure", "missing"))
    judgments = count.through(reader.outcomes(grades_of=[judge.name for judge in reader.judges if judge.compares]))
    counted = judgments if contesting is None else contesting.through(judgments)
    metrics = summarise(counted, facts, on_failure=on_failure, bootstrap=_bootstrap(reader.meta))
    contests = () if contesting is None else contesting.conclude()
    metrics += () if contesting is None else tuple(contesting.win_rates(contests))
    totals = reader.totals()
    judges = tuple(
        _summary(judge, metrics, count, totals[judge.name], meta=reader.meta, max_error_rate=max_error_rate)
        for judge in reader.judges
    )
    return Report(
        folder=str(reader.folder),
        metrics=metrics,
        judges=judges,
        notes=(*_notes(reader.meta, judges, count), *_served(reader.served_models(), reader.meta.get(MODELS) or {})),
        details={"data": reader.meta.get("data", ""), "on_failure": on_failure},
        gates=decide([Gate(**each) for each in reader.meta.get("gates", ())], metrics),
        contests=contests,
    )


def _contesting(reader: RunReader) -> Contesting | None:
    """What takes in the contests, where a judge of the run makes some."""
    judges = [judge.name for judge in reader.judges if judge.compares]
    if not judges:
        return None
    from gavelkit.run.standings import Contesting  # noqa: PLC0415 - numpy is loaded only where contests are

    return Contesting(judges)


def _bootstrap(meta: Mapping[str, Any]) -> Bootstrap | None:
    """What makes the intervals, where the run asked for the bootstrap."""
    if meta.get("interval") != BOOTSTRAP:
        return None
    from gavelkit.stats.bootstrap import bca  # noqa: PLC0415 - numpy is loaded only where it is asked for

    return partial(bca, seed=SEED)


class _Count:
    """Counts what streams by, and adds what was planned and never begun."""

    def __init__(self, planned: list[tuple[str, list[str], int]] | None) -> None:
        self._planned = {(judge, tuple(systems)): n for judge, systems, n in planned or ()}
        self.failures: dict[str, Counter[str]] = {}
        self.turned: dict[str, Counter[bool]] = {}
        self.replied = 0

    def through(self, judgments: Iterator[Judgment]) -> Iterator[Judgment]:
        found: Counter[_Subject] = Counter()
        for judgment in judgments:
            slot = judgment.slot
            found[slot.judge, slot.systems] += 1
            if judgment.status.failed:
                self._note_failure(judgment)
            if judgment.position_bias is not None:
                self.turned.setdefault(slot.judge, Counter())[judgment.position_bias] += 1
            if judgment.status is not Status.CALL_ERROR:
                self.replied += 1
            yield judgment
        for (judge, systems), planned in self._planned.items():
            for number in range(planned - found[judge, systems]):
                yield Judgment(Slot(judge, f"pending {number}", systems), Status.PENDING)

    def position_bias(self, judge: str) -> Figure | None:
        """The share of a judge's judgments that changed with the order; None where none was made in both."""
        turned = self.turned.get(judge)
        if turned is None:
            return None
        n = turned.total()
        return Figure(turned[True] / n, n, wilson(turned[True], n))

    def _note_failure(self, judgment: Judgment) -> None:
        kind = judgment.failure.kind if judgment.failure else None
        name = f"{judgment.status} ({kind})" if kind else str(judgment.status)
        self.failures.setdefault(judgment.slot.judge, Counter())[name] += 1


def _summary(
    judge: JudgeRow,
    metrics: tuple[Metric, ...],
    count: _Count,
    totals: CallTotals,
    *,
    meta: Mapping[str, Any],
    max_error_rate: float | None,
) -> JudgeSummary:
    counts: Counter[Status] = Counter()
    price, told = recorded_price(meta, judge.name, model=judge.model)
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
        position_bias=count.position_bias(judge.name),
        cost=None if price is None else spent(totals, price),
        price=told,
    )


def describe_scale(criterion: Criterion) -> str:
    """The scale in words: `0 to 10`, or `C 1, I 0`; empty where none is declared."""
    scale = criterion.scale
    if scale == CONTEST:
        return "the first system's share: win 1, tie 0.5, loss 0"
    if isinstance(scale, Range):
        return f"{scale.low:g} to {scale.high:g}"
    if isinstance(scale, Options):
        return ", ".join(f"{name} {score:g}" for name, score in scale.scores.items())
    return ""


def _served(models: Mapping[str, Mapping[str, int]], asked: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Where an endpoint changed the model behind its name, scores of before and after are not of one judge."""
    for judge, counts in models.items():
        if len(counts) > max(1, len(asked.get(judge, ()))):
            told = ", ".join(
                f"{model} ({count:,})" for model, count in sorted(counts.items(), key=lambda each: -each[1])
            )
            yield f"{judge}: the endpoint answered with {len(counts)} models: {told}"


def _notes(meta: Mapping[str, Any], judges: tuple[JudgeSummary, ...], count: _Count) -> Iterator[str]:
    calls = sum(judge.calls for judge in judges)
    if 0 < calls < count.replied:
        yield f"{calls:,} calls served {count.replied:,} judgments: equal prompts are asked once"
    if removed := meta.get("removed"):
        yield f"{removed:,} rows judged before are left out: they no longer stand in the data, or beyond the limit"
    if reread := meta.get("reread"):
        yield f"stored replies were read again, without a call: {', '.join(reread)}"
