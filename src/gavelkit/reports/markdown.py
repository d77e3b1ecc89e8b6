"""A report as GitHub-flavoured Markdown, for a pull request, an issue or a job's summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gavelkit.core.report import JudgeSummary, Report
from gavelkit.core.status import Status
from gavelkit.reports.gate_lines import gate_lines
from gavelkit.reports.judge_lines import asked, done
from gavelkit.reports.markdown_text import escaped, table_row
from gavelkit.reports.standings_markdown import standings_markdown
from gavelkit.reports.subjects import Subject, has_best, interval_title, legend, subjects


def render_markdown(report: Report) -> str:
    """The whole report, ending in a line feed. Nothing in a name or message becomes markup, a link or a mention."""
    blocks = [
        list(_heading(report)),
        list(_table(report)),
        [escaped(legend(report))],
        list(_below(report)),
        *(list(standings_markdown(each)) for each in report.contests),
        [line for judge in report.judges for line in _judge(report, judge)],
        [f"- **{mark}** {escaped(told)}" for mark, told in gate_lines(report)],
        [f"- note: {escaped(note)}" for note in report.notes],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if any(block)) + "\n"


def _heading(report: Report) -> Iterator[str]:
    yield f"## Run {escaped(report.folder)}" if report.folder else "## Run"
    if not report.finished:
        yield ""
        yield f"**Unfinished: {report.planned - report.pending:,} of {report.planned:,}**"


def _table(report: Report) -> Iterator[str]:
    every = [subject for judge in report.judges for subject in subjects(report, judge)]
    if not every:
        yield "Nothing was judged."
        return
    titles = _titles(report, every)
    yield table_row(titles)
    yield table_row(["---", "---", *["---:"] * (len(titles) - 3), "---"])
    for subject in every:
        yield table_row(_cells(subject, titles))


def _titles(report: Report, every: Sequence[Subject]) -> list[str]:
    names = {metric.name for metric in report.metrics}
    return [
        *("judge", "system", "mean", interval_title(every), "std error", "n"),
        *(["mean ok"] if "mean_ok" in names else []),
        "at worst",
        *(["at best"] if has_best(every) else []),
        *(["passed"] if "pass_rate" in names else []),
        "judgments",
    ]


def _cells(subject: Subject, titles: Sequence[str]) -> list[str]:
    ok = f"{subject.main.counts.get(Status.OK, 0):,} {Status.OK}"
    return [
        *(_name(subject.judge), escaped(subject.system)),
        *(subject.shown("mean"), subject.interval, subject.stderr, f"{subject.main.n:,}"),
        *([subject.shown("mean_ok")] if "mean ok" in titles else []),
        subject.shown("mean_failures_worst"),
        *([subject.shown("mean_failures_best")] if "at best" in titles else []),
        *([subject.passed] if "passed" in titles else []),
        escaped(", ".join([ok, *subject.others])),
    ]


def _name(judge: JudgeSummary) -> str:
    return escaped(judge.name) + ("" if judge.higher_is_better else " (lower is better)")


def _below(report: Report) -> Iterator[str]:
    """Why a number is missing, and metrics without a column."""
    for judge in report.judges:
        for subject in subjects(report, judge):
            named = f"{subject.judge.name}[{subject.system}]" if subject.system else subject.judge.name
            for text in (*subject.reasons(), *subject.further()):
                yield f"- {escaped(named)}: {escaped(text)}"


def _judge(report: Report, judge: JudgeSummary) -> Iterator[str]:
    yield f"- {escaped(judge.name)}: {escaped(asked(judge))}"
    for text in done(report, judge):
        yield f"  - {escaped(text)}"
