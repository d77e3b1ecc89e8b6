"""A report as one HTML file that needs nothing else: no script, no network, no second file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gavelkit.core.report import Report
from gavelkit.reports.gate_lines import gate_lines
from gavelkit.reports.html_frame import HTML_END, html_head
from gavelkit.reports.html_rows import differences, telling_rows
from gavelkit.reports.html_summary import distributions, judges, summary
from gavelkit.reports.html_text import as_text, inline
from gavelkit.reports.page import Page
from gavelkit.reports.standings_html import standings_html

_SECTIONS = {
    "summary": "Summary",
    "standings": "Standings",
    "gates": "Gates",
    "scores": "Scores",
    "differences": "Where judges differ",
    "rows": "Rows worth reading",
    "judges": "Judges",
    "notes": "Notes",
}


def render_html(page: Page) -> str:
    """The whole page, ending in a line feed. Whatever a reply or a name holds, it stays text.

    Data is escaped; beyond that, the page's own policy forbids scripts, forms and loading anything.
    """
    return "".join([html_head(f"{_name(page.report)}: gavel report"), *_body(page), HTML_END])


def _body(page: Page) -> Iterator[str]:
    parts = {name: "\n".join(part) for name, part in _parts(page).items()}
    shown = {name: part for name, part in parts.items() if part}
    yield f"<header>{''.join(_heading(page.report))}{_contents(shown)}</header>\n<main>\n"
    for name, part in shown.items():
        yield f'<section id="{name}"><h2>{_SECTIONS[name]}</h2>\n{part}\n</section>\n'
    yield "</main>\n"


def _parts(page: Page) -> dict[str, Iterable[str]]:
    return {
        "summary": summary(page),
        "standings": standings_html(page.report.contests),
        "gates": _gates(page.report),
        "scores": distributions(page),
        "differences": _explained(
            "The same response, each judge's score on 0 to 1 with 1 the better end.", differences(page)
        ),
        "rows": telling_rows(page),
        "judges": judges(page) if page.report.judges else (),
        "notes": _notes(page.report),
    }


def _explained(words: str, parts: Iterable[str]) -> Iterator[str]:
    for at, part in enumerate(parts):
        if at == 0:
            yield f'<p class="quiet">{words}</p>'
        yield part


def _gates(report: Report) -> Iterator[str]:
    if report.gates:
        yield "<ul>"
        for mark, told in gate_lines(report):
            bad = "" if mark == "PASS" else " bad"
            yield f'<li><span class="tag{bad}">{mark}</span> {inline(told)}</li>'
        yield "</ul>"


def _heading(report: Report) -> Iterator[str]:
    yield f'<p class="eyebrow">gavel report</p><h1>{inline(_name(report))}</h1>'
    data = as_text(report.details.get("data") or "")
    about = [f"data {inline(data)}" if data else "", f"{report.planned:,} judgments planned"]
    yield f'<p class="quiet">{" · ".join(each for each in about if each)}</p>'
    if not report.finished:
        yield f'<p class="banner">Unfinished: {report.planned - report.pending:,} of {report.planned:,}</p>'
    for judge in report.judges:
        if judge.too_many_failed:
            yield f'<p class="banner bad">{inline(judge.name)}: too many judgments failed</p>'


def _contents(shown: Iterable[str]) -> str:
    links = "".join(f'<li><a href="#{name}">{_SECTIONS[name]}</a></li>' for name in shown)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _notes(report: Report) -> Iterator[str]:
    if report.notes:
        yield "<ul>"
        yield from (f"<li>{inline(note)}</li>" for note in report.notes)
        yield "</ul>"


def _name(report: Report) -> str:
    return report.folder or "run"
