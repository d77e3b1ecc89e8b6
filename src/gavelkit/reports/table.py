"""A report as plain text for people."""

from __future__ import annotations

from collections.abc import Iterator

from gavelkit.core.report import JudgeSummary, Report
from gavelkit.reports.gate_lines import gate_lines
from gavelkit.reports.grid import grid
from gavelkit.reports.judge_lines import asked, done
from gavelkit.reports.standings_table import standings_table
from gavelkit.reports.subjects import legend
from gavelkit.reports.terminal import printable, wrapped

_NARROWEST = 80
_WIDEST = 100


def render_table(report: Report, *, width: int = _WIDEST) -> str:
    """The whole report within `width` columns (held between 80 and 100), ending in a line feed.

    First what is unfinished, then a row per judge and system, then the standings of systems compared, then what each
    judge did and cost, the gates, the notes. Every name in it is safe for a terminal.
    """
    fitting = max(_NARROWEST, min(width, _WIDEST))
    blocks = [
        list(_heading(report, fitting)),
        [*grid(report, width=fitting), *_legend(report, fitting)],
        *(list(standings_table(each, width=fitting)) for each in report.contests),
        [line for judge in report.judges for line in _judge(report, judge, fitting)],
        [line for text in gate_lines(report) for line in wrapped(printable("  ".join(text)), fitting)],
        [line for note in report.notes for line in wrapped(f"note: {printable(note)}", fitting)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _heading(report: Report, width: int) -> Iterator[str]:
    if report.folder:
        yield from wrapped(f"run {printable(report.folder)}", width)
    if not report.finished:
        yield f"unfinished: {report.planned - report.pending:,} of {report.planned:,}"


def _legend(report: Report, width: int) -> Iterator[str]:
    if words := legend(report):
        yield ""
        yield from wrapped(words, width)


def _judge(report: Report, judge: JudgeSummary, width: int) -> Iterator[str]:
    yield from wrapped(f"{printable(judge.name)}: {asked(judge)}", width)
    for text in done(report, judge):
        yield from wrapped(text, width, indent="  ")
