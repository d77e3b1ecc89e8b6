"""One judge on one system: the numbers of a report's row, as text for any format. Nothing here is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gavelkit.core.gate import WIN_RATE
from gavelkit.core.interval import Interval
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.status import Status
from gavelkit.reports.figures import counted, decimals_for, number, percent

_TITLES = {
    "mean_ok": "mean ok",
    "mean_failures_worst": "at worst",
    "mean_failures_best": "at best",
    "pass_rate": "passed",
}
_OWN_COLUMNS = frozenset({"mean", *_TITLES})


@dataclass(frozen=True, slots=True)
class Subject:
    """A judge on a system: its metrics by name, and the decimals its judge's numbers share."""

    judge: JudgeSummary
    system: str
    metrics: dict[str, Metric] = field(default_factory=dict)
    decimals: int = 2

    @property
    def main(self) -> Metric:
        return self.metrics.get("mean") or next(iter(self.metrics.values()))

    def value(self, name: str) -> float | None:
        """The value of a metric, None where there is none."""
        metric = self.metrics.get(name)
        return metric.value if metric else None

    def shown(self, name: str) -> str:
        """The value of a metric as a cell."""
        return number(self.value(name), self.decimals)

    @property
    def stderr(self) -> str:
        return number(self.main.stderr, self.decimals)

    @property
    def interval(self) -> str:
        return self.bounds(self.main.interval)

    @property
    def passed(self) -> str:
        return percent(self.value("pass_rate"))

    @property
    def others(self) -> list[str]:
        """How many judgments ended otherwise than ok, by status."""
        counts = self.main.counts.items()
        return [f"{count:,} {status}" for status, count in counts if status is not Status.OK and count]

    def bounds(self, interval: Interval | None) -> str:
        if interval is None:
            return "-"
        return f"{number(interval.low, self.decimals)} to {number(interval.high, self.decimals)}"

    def reasons(self) -> Iterator[str]:
        """Why a number is missing, once for each reason."""
        reasons: dict[str, list[str]] = {}
        for name, metric in self.metrics.items():
            if metric.reason:
                reasons.setdefault(metric.reason, []).append(_TITLES.get(name, name))
        return (f"{', '.join(names)}: {reason}" for reason, names in reasons.items())

    def further(self) -> Iterator[str]:
        """The metrics that have no column, a sentence each."""
        return (self._sentence(name, metric) for name, metric in self.metrics.items() if name not in _OWN_COLUMNS)

    def _sentence(self, name: str, metric: Metric) -> str:
        within = f" ({self.bounds(metric.interval)})" if metric.interval else ""
        return f"{name} {number(metric.value, self.decimals)}{within}, {counted(metric.n, 'example')}"


def subjects(report: Report, judge: JudgeSummary) -> list[Subject]:
    """What a judge has to say of each system, systems as they first appear. Win rates stand in the standings."""
    metrics = [metric for metric in report.metrics if metric.judge == judge.name and metric.name != WIN_RATE]
    decimals = decimals_for([metric.stderr for metric in metrics if metric.name == "mean" and metric.stderr])
    return [
        Subject(judge, system, {metric.name: metric for metric in metrics if metric.system == system}, decimals)
        for system in dict.fromkeys(metric.system for metric in metrics)
    ]


def has_best(every: Sequence[Subject]) -> bool:
    """Whether anything failed, so that there is a best case beside the worst."""
    return any(subject.main.failed and "mean_failures_best" in subject.metrics for subject in every)


def interval_title(every: Sequence[Subject]) -> str:
    """The title of the interval's column, with its level."""
    level = next((each.main.interval.level for each in every if each.main.interval), 0.95)
    return f"{100 * level:g} % interval"


def legend(report: Report) -> str:
    """What the columns mean that do not say it themselves; empty where none is there."""
    names = {metric.name for metric in report.metrics}
    words = []
    if "mean_ok" in names:
        words.append("mean ok: over the judgments that came.")
    if any(has_best(subjects(report, judge)) for judge in report.judges):
        words.append("at worst, at best: the mean with every failed judgment at that end of the scale.")
    elif "mean_failures_worst" in names:
        words.append("at worst: the mean with every failed judgment at the worst end of the scale.")
    return " ".join(words)
