"""What a run concludes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gavelkit.core.gate import GateResult
from gavelkit.core.interval import Interval
from gavelkit.core.standings import Contests, Figure
from gavelkit.core.status import Status


@dataclass(frozen=True, slots=True)
class Metric:
    """One number over many judgments of one judge on one system.

    `n` is the number of examples it rests on (their repeats averaged first); `counts` the judgments by status,
    which add up to the plan. `reason` says why `value`, `stderr` or `interval` is None. `win_rate` is one system's
    in all its contests and has no `stderr`.
    """

    name: str
    judge: str
    system: str
    value: float | None
    n: int
    counts: Mapping[Status, int]
    stderr: float | None = None
    interval: Interval | None = None
    reason: str = ""

    @property
    def failed(self) -> int:
        """How many judgments were wanted and did not come."""
        return sum(count for status, count in self.counts.items() if status.failed)

    @property
    def planned(self) -> int:
        """How many judgments were planned."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """What one judge did in a run, over all systems."""

    name: str
    model: str
    preset: str
    scale: str
    higher_is_better: bool
    threshold: float | None
    max_error_rate: float
    counts: Mapping[Status, int]
    failures: Mapping[str, int]
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    tokens_complete: bool
    position_bias: Figure | None = None
    """The share of the judgments made in both orders that changed with the order; None where none was."""
    cost: float | None = None
    """What its stored replies cost in USD, a lower bound where tokens are not complete; None where nobody knows."""
    price: str = ""
    """At which price, or why it is not known; empty where the judge calls no endpoint."""

    @property
    def error_rate(self) -> float:
        """Failed over what was to be judged: the planned without the skipped and the pending."""
        wanted = sum(n for s, n in self.counts.items() if s not in {Status.SKIPPED, Status.PENDING})
        failed = sum(n for s, n in self.counts.items() if s.failed)
        return failed / wanted if wanted else 0.0

    @property
    def too_many_failed(self) -> bool:
        """Whether the error rate is strictly above the judge's maximum."""
        return self.error_rate > self.max_error_rate


@dataclass(frozen=True, slots=True)
class Report:
    """The metrics of a run, what each judge did, and what a reader must know besides.

    `contests` are those of each pairwise judge, of whose systems the metrics hold each one's `win_rate`.
    """

    folder: str
    metrics: tuple[Metric, ...]
    judges: tuple[JudgeSummary, ...]
    notes: tuple[str, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict)
    gates: tuple[GateResult, ...] = ()
    contests: tuple[Contests, ...] = ()

    @property
    def planned(self) -> int:
        """How many judgments the run has to hold."""
        return sum(sum(judge.counts.values()) for judge in self.judges)

    @property
    def pending(self) -> int:
        """How many of them were not begun."""
        return sum(judge.counts.get(Status.PENDING, 0) for judge in self.judges)

    @property
    def finished(self) -> bool:
        """Whether every planned judgment has its end."""
        return self.pending == 0

    def metric(self, judge: str, name: str = "mean", *, system: str | None = None) -> Metric:
        """One metric by name; `system` may be left out where there is one. Raises KeyError."""
        found = [m for m in self.metrics if m.judge == judge and m.name == name and system in (None, m.system)]
        if len(found) != 1:
            message = f"{len(found)} metrics {judge}.{name} for system {system!r}"
            raise KeyError(message)
        return found[0]

    def __str__(self) -> str:
        lines = [self._line(metric) for metric in self.metrics if metric.name in {"mean", "win_rate"}]
        return "\n".join([*lines, *self.notes])

    def _line(self, metric: Metric) -> str:
        name = f"{metric.judge}[{metric.system}]" if metric.system else metric.judge
        lower = any(judge.name == metric.judge and not judge.higher_is_better for judge in self.judges)
        told = metric.name.replace("_", " ")
        ok = metric.counts.get(Status.OK, 0)
        if metric.value is None:
            return f"{name}: no {told} ({metric.reason}), {ok} of {metric.planned} judged"
        interval = metric.interval
        within = f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else ""
        direction = " (lower is better)" if lower and metric.name == "mean" else ""
        return f"{name}: {told} {metric.value:.2f}{within}{direction}, {ok} of {metric.planned} judged"
