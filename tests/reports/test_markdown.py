"""The Markdown report: a table that no name can break."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gavelkit.core.report import Report
from gavelkit.core.status import Status
from gavelkit.reports import render_markdown
from gavelkit.reports.markdown_text import escaped

from .attacks import attacks
from .pages import a_report
from .test_table import one, several

Golden = Callable[[str, str], None]
ANYWHERE = "http://127.0.0.1:9"
HTML = MarkdownIt("commonmark").enable("table").enable("strikethrough")
COMMENT = "<!-- -->"


def rendered(text: str) -> str:
    """What a reader of the rendered page gets, without the comments that keep addresses from becoming links."""
    return str(HTML.render(text)).replace(COMMENT, "")


def structure(report: Report) -> list[str]:
    return re.findall(r"</?[a-z0-9]+[^>]*>", rendered(render_markdown(report)))


def test_one_judge(golden: Golden) -> None:
    golden("report_one_judge.md", render_markdown(one()))


def test_several_judges(golden: Golden) -> None:
    golden("report_several.md", render_markdown(several()))


def test_a_gate_a_note_and_a_missing_number(golden: Golden) -> None:
    golden("report_gates.md", render_markdown(a_report()))


def test_an_empty_run_is_a_report_too() -> None:
    assert render_markdown(Report("", (), ())) == "## Run\n\nNothing was judged.\n"


@pytest.mark.parametrize("attack", attacks(ANYWHERE))
def test_no_attack_in_any_field_changes_the_page(attack: str) -> None:
    assert structure(a_report(judge=attack, system=attack, word=attack)) == structure(
        a_report(judge="x", system="x", word="x")
    )


@given(st.text(min_size=1))
def test_no_text_changes_the_page(text: str) -> None:
    word = f"x{text}"
    assert structure(a_report(judge=word, system=word, word=word)) == structure(
        a_report(judge="x", system="x", word="x")
    )


@pytest.mark.parametrize(
    "name",
    [
        "a|b",
        "a\\|b",
        "`a`",
        "**a**",
        "_a_",
        "snake_case",
        "[a](b)",
        "~~a~~",
        "\\<b>",
        "&lt;",
        "meta/Llama-3.1_x",
        "$a$",
    ],
)
def test_a_name_reads_as_it_is(name: str) -> None:
    shown = rendered(f"| a | b |\n|---|---|\n| {escaped(name)} | {escaped(name)} |")
    cell = name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert shown.count(f"<td>{cell}</td>") == 2


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("http://a.b/c", f"http:{COMMENT}/{COMMENT}/a.b/c"),
        ("WWW.a.b", f"WWW{COMMENT}.a.b"),
        ("a@b", f"a@{COMMENT}b"),
        ("#12", f"#{COMMENT}12"),
        ("MAILTO:x", f"MAILTO:{COMMENT}x"),
    ],
)
def test_addresses_mentions_and_numbers_do_not_become_links(text: str, source: str) -> None:
    assert escaped(text) == source


def test_everything_stays_on_its_line() -> None:
    assert escaped("a\nb\rc\u2028d\u202e") == "a\\x0ab\\x0dc\\u2028d\\u202e".replace("\\", "&#92;")


def test_an_unfinished_run_is_headed_as_one() -> None:
    report = a_report()
    (judge,) = report.judges
    pending = replace(judge, counts={Status.OK: 1, Status.PENDING: 2}, preset="", model="", higher_is_better=False)
    shown = render_markdown(replace(report, judges=(pending,)))
    assert "\n\n**Unfinished: 1 of 3**\n\n| judge |" in shown
    assert "| accuracy (lower is better) | harbor |" in shown
