"""The table of numbers: one row per judge and system, aligned, as wide as it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from gavelkit.core.report import JudgeSummary, Report
from gavelkit.core.status import Status
from gavelkit.reports.subjects import Subject, interval_title, subjects
from gavelkit.reports.terminal import cells, printable, shortened, wrapped

_GAPS = ("  ", " ")
_NARROWEST_LABEL = len("judge")


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cell: Callable[[Subject], str]


def grid(report: Report, *, width: int) -> Iterator[str]:
    """The lines of the table. A judge with named systems is a heading over a row for each of them."""
    groups = [(judge, subjects(report, judge)) for judge in report.judges]
    everything = [subject for _, group in groups for subject in group]
    if not everything:
        yield "nothing was judged"
        return
    columns = _columns(everything)
    widths = [max(map(cells, [column.title, *map(column.cell, everything)])) for column in columns]
    gap, room = _room(widths, width)
    labels = [cells(_label(subject, group)) for _, group in groups for subject in group]
    label_width = min(room, max(cells("judge"), *labels))
    row = partial(_row, widths=[label_width, *widths], gap=gap)
    yield row("judge", [column.title for column in columns])
    for judge, group in groups:
        if group and not _unnamed(group):
            yield shortened(_name(judge), width)
        for subject in group:
            label = _label(subject, group)
            if cells(label) > label_width:
                yield shortened(label, width)
                label = ""
            yield row(label, [column.cell(subject) for column in columns])
            yield from _below(subject, width, indent=" " * (2 if _unnamed(group) else 4))


def _room(widths: Sequence[int], width: int) -> tuple[str, int]:
    """The gap between columns, smaller where a label would not fit otherwise, and the room left for labels."""
    gap = next((gap for gap in _GAPS if sum(widths) + len(gap) * len(widths) + _NARROWEST_LABEL <= width), _GAPS[-1])
    return gap, max(_NARROWEST_LABEL, width - sum(widths) - len(gap) * len(widths))


def _unnamed(group: Sequence[Subject]) -> bool:
    return [subject.system for subject in group] == [""]


def _label(subject: Subject, group: Sequence[Subject]) -> str:
    return _name(subject.judge) if _unnamed(group) else f"  {printable(subject.system) or '(unnamed)'}"


def _name(judge: JudgeSummary) -> str:
    return printable(judge.name) + ("" if judge.higher_is_better else " (lower is better)")


def _columns(every: Sequence[Subject]) -> list[_Column]:
    names = {name for subject in every for name in subject.metrics}
    columns = [
        _Column("mean", lambda s: s.shown("mean")),
        _Column(interval_title(every), lambda s: s.interval),
        _Column("std error", lambda s: s.stderr),
        _Column("n", lambda s: str(s.main.n)),
        _Column("ok", lambda s: str(s.main.counts.get(Status.OK, 0))),
        _Column("failed", lambda s: str(s.main.failed)),
        _Column("at worst", lambda s: s.shown("mean_failures_worst")),
    ]
    if "mean_ok" in names:
        columns.insert(6, _Column("mean ok", lambda s: s.shown("mean_ok")))
    if "pass_rate" in names:
        columns.append(_Column("passed", lambda s: s.passed))
    return columns


def _row(label: str, texts: Sequence[str], *, widths: Sequence[int], gap: str) -> str:
    numbers = [" " * (width - cells(text)) + text for text, width in zip(texts, widths[1:], strict=True)]
    return gap.join([label + " " * (widths[0] - cells(label)), *numbers]).rstrip()


def _below(subject: Subject, width: int, *, indent: str) -> Iterator[str]:
    """What a row cannot hold: counts by status, why a number is missing, and metrics without a column."""
    if subject.others:
        yield from wrapped(", ".join(subject.others), width, indent=indent)
    for text in (*subject.reasons(), *subject.further()):
        yield from wrapped(printable(text), width, indent=indent)
