"""The table of numbers: one row per judge and system, aligned, as wide as it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from gavelkit.core.report import Interval, JudgeSummary, Metric, Report
from gavelkit.core.status import Status
from gavelkit.reports.figures import counted, decimals_for, number, percent
from gavelkit.reports.terminal import cells, printable, shortened, wrapped

_GAPS = ("  ", " ")
_OWN_COLUMNS = frozenset({"mean", "mean_ok", "mean_failures_worst", "pass_rate"})
_NARROWEST_LABEL = len("judge")


@dataclass(frozen=True, slots=True)
class _Subject:
    """One judge on one system: its metrics by name, and the decimals its judge's numbers share."""

    label: str
    metrics: dict[str, Metric] = field(default_factory=dict)
    decimals: int = 2

    @property
    def main(self) -> Metric:
        return self.metrics.get("mean") or next(iter(self.metrics.values()))


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cell: Callable[[_Subject], str]


def grid(report: Report, *, width: int) -> Iterator[str]:
    """The lines of the table. A judge with named systems is a heading over a row for each of them."""
    groups = [(judge, _subjects(report, judge)) for judge in report.judges]
    everything = [subject for _, subjects in groups for subject in subjects]
    if not everything:
        yield "nothing was judged"
        return
    columns = _columns(everything)
    widths = [max(map(cells, [column.title, *map(column.cell, everything)])) for column in columns]
    gap, room = _room(widths, width)
    label_width = min(room, max(cells("judge"), *(cells(subject.label) for subject in everything)))
    row = partial(_row, widths=[label_width, *widths], gap=gap)
    yield row("judge", [column.title for column in columns])
    for judge, subjects in groups:
        if subjects and subjects[0].label != _name(judge):
            yield shortened(_name(judge), width)
        for subject in subjects:
            label = subject.label
            if cells(label) > label_width:
                yield shortened(label, width)
                label = ""
            yield row(label, [column.cell(subject) for column in columns])
            yield from _below(subject, width)


def _room(widths: Sequence[int], width: int) -> tuple[str, int]:
    """The gap between columns, smaller where a label would not fit otherwise, and the room left for labels."""
    gap = next((gap for gap in _GAPS if sum(widths) + len(gap) * len(widths) + _NARROWEST_LABEL <= width), _GAPS[-1])
    return gap, max(_NARROWEST_LABEL, width - sum(widths) - len(gap) * len(widths))


def _subjects(report: Report, judge: JudgeSummary) -> list[_Subject]:
    metrics = [metric for metric in report.metrics if metric.judge == judge.name]
    systems = list(dict.fromkeys(metric.system for metric in metrics))
    decimals = decimals_for([metric.stderr for metric in metrics if metric.name == "mean" and metric.stderr])
    unnamed = systems == [""]
    return [
        _Subject(
            _name(judge) if unnamed else f"  {printable(system) or '(unnamed)'}",
            {metric.name: metric for metric in metrics if metric.system == system},
            decimals,
        )
        for system in systems
    ]


def _name(judge: JudgeSummary) -> str:
    return printable(judge.name) + ("" if judge.higher_is_better else " (lower is better)")


def _columns(subjects: Sequence[_Subject]) -> list[_Column]:
    names = {name for subject in subjects for name in subject.metrics}
    columns = [
        _Column("mean", partial(_value, "mean")),
        _Column(_interval_title(subjects), _interval),
        _Column("std error", lambda s: number(s.main.stderr, s.decimals)),
        _Column("n", lambda s: str(s.main.n)),
        _Column("ok", lambda s: str(s.main.counts.get(Status.OK, 0))),
        _Column("failed", lambda s: str(s.main.failed)),
        _Column("at worst", partial(_value, "mean_failures_worst")),
    ]
    if "mean_ok" in names:
        columns.insert(6, _Column("mean ok", partial(_value, "mean_ok")))
    if "pass_rate" in names:
        columns.append(_Column("passed", lambda s: percent(_metric_value(s, "pass_rate"))))
    return columns


def _value(name: str, subject: _Subject) -> str:
    return number(_metric_value(subject, name), subject.decimals)


def _metric_value(subject: _Subject, name: str) -> float | None:
    metric = subject.metrics.get(name)
    return metric.value if metric else None


def _interval_title(subjects: Sequence[_Subject]) -> str:
    level = next((s.main.interval.level for s in subjects if s.main.interval), 0.95)
    return f"{100 * level:g} % interval"


def _interval(subject: _Subject) -> str:
    return _bounds(subject.main.interval, subject.decimals)


def _bounds(interval: Interval | None, decimals: int) -> str:
    if interval is None:
        return "-"
    return f"{number(interval.low, decimals)} to {number(interval.high, decimals)}"


def _row(label: str, texts: Sequence[str], *, widths: Sequence[int], gap: str) -> str:
    numbers = [" " * (width - cells(text)) + text for text, width in zip(texts, widths[1:], strict=True)]
    return gap.join([label + " " * (widths[0] - cells(label)), *numbers]).rstrip()


def _below(subject: _Subject, width: int) -> Iterator[str]:
    """What a row cannot hold: counts by status, why a number is missing, and metrics without a column."""
    indent = " " * (4 if subject.label.startswith(" ") else 2)
    others = [
        f"{count:,} {status}" for status, count in subject.main.counts.items() if status is not Status.OK and count
    ]
    if others:
        yield from wrapped(", ".join(others), width, indent=indent)
    for reason, names in _reasons(subject).items():
        yield from wrapped(f"{', '.join(names)}: {printable(reason)}", width, indent=indent)
    for name, metric in subject.metrics.items():
        if name not in _OWN_COLUMNS:
            yield from wrapped(_sentence(name, metric, subject.decimals), width, indent=indent)


def _reasons(subject: _Subject) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for name, metric in subject.metrics.items():
        if metric.reason:
            reasons.setdefault(metric.reason, []).append(_TITLES.get(name, printable(name)))
    return reasons


_TITLES = {"mean_ok": "mean ok", "mean_failures_worst": "at worst", "pass_rate": "passed"}


def _sentence(name: str, metric: Metric, decimals: int) -> str:
    within = f" ({_bounds(metric.interval, decimals)})" if metric.interval else ""
    return f"{printable(name)} {number(metric.value, decimals)}{within}, {counted(metric.n, 'example')}"
