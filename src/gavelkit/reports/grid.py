"""The table of numbers: one row per judge and system, aligned, as wide as it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gavelkit.core.report import JudgeSummary, Report
from gavelkit.core.status import Status
from gavelkit.reports.columns import Columns
from gavelkit.reports.subjects import Subject, has_best, interval_title, subjects
from gavelkit.reports.terminal import printable, shortened, wrapped


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
    titles = _columns(everything, width)
    rows = [[column.title for column in titles], *([column.cell(each) for column in titles] for each in everything)]
    labels = ["judge", *(_label(subject, group) for _, group in groups for subject in group)]
    columns = Columns.of(rows, labels, width=width)
    yield from columns.lines("judge", rows[0])
    for judge, group in groups:
        if group and not _unnamed(group):
            yield shortened(_name(judge), width)
        for subject in group:
            yield from columns.lines(_label(subject, group), [column.cell(subject) for column in titles])
            indent = " " * (2 if _unnamed(group) else 4)
            yield from _below(subject, width, indent=indent, best=_BEST in titles)


def _unnamed(group: Sequence[Subject]) -> bool:
    return [subject.system for subject in group] == [""]


def _label(subject: Subject, group: Sequence[Subject]) -> str:
    return _name(subject.judge) if _unnamed(group) else f"  {printable(subject.system) or '(unnamed)'}"


def _name(judge: JudgeSummary) -> str:
    return printable(judge.name) + ("" if judge.higher_is_better else " (lower is better)")


_WORST = _Column("at worst", lambda s: s.shown("mean_failures_worst"))
_BEST = _Column("at best", lambda s: s.shown("mean_failures_best"))


def _columns(every: Sequence[Subject], width: int) -> list[_Column]:
    names = {name for subject in every for name in subject.metrics}
    columns = [
        _Column("mean", lambda s: s.shown("mean")),
        _Column(interval_title(every), lambda s: s.interval),
        _Column("std error", lambda s: s.stderr),
        _Column("n", lambda s: str(s.main.n)),
        _Column("ok", lambda s: str(s.main.counts.get(Status.OK, 0))),
        _Column("failed", lambda s: str(s.main.failed)),
        _WORST,
    ]
    if "mean_ok" in names:
        columns.insert(6, _Column("mean ok", lambda s: s.shown("mean_ok")))
    if "pass_rate" in names:
        columns.append(_Column("passed", lambda s: s.passed))
    if not has_best(every):
        return columns
    at = columns.index(_WORST) + 1
    wider = [*columns[:at], _BEST, *columns[at:]]
    fitting = Columns.fit([[each.title for each in wider], *([c.cell(s) for c in wider] for s in every)], width=width)
    return wider if fitting else columns


def _below(subject: Subject, width: int, *, indent: str, best: bool) -> Iterator[str]:
    """What a row cannot hold: counts by status, why a number is missing, and metrics without a column."""
    if subject.others:
        yield from wrapped(", ".join(subject.others), width, indent=indent)
    if not best and has_best([subject]):
        yield from wrapped(f"at best {subject.shown('mean_failures_best')}", width, indent=indent)
    for text in (*subject.reasons(), *subject.further()):
        yield from wrapped(printable(text), width, indent=indent)
