"""The HTML report: whole, self-contained, and safe whatever the data holds."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.report import Report
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.reports import render_html
from gavelkit.reports.page import Bar, Histogram, Page, TellingRow, TellingRows

from .attacks import attacks
from .pages import a_page, an_entry, joined

ANYWHERE = "http://127.0.0.1:9"
VOID = {"meta", "line", "rect", "circle", "br"}


class Tree(HTMLParser):
    """What a browser makes of a page: its tags with their attributes, its text, and whether every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, Mapping[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.balanced = self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def tags(page: str) -> set[str]:
    """The names of all elements."""
    names = set(re.findall(r"<([a-z][a-z0-9]*)[\s>/]", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)))
    return names - {"style"}


def shape(page: str) -> list[tuple[str, frozenset[str]]]:
    """Every element with the names of its attributes."""
    return [(tag, frozenset(attributes)) for tag, attributes in Tree(page).seen]


def test_the_page_is_the_golden_one(golden: Callable[[str, str], None]) -> None:
    golden("report.html", render_html(a_page()))


def test_the_page_needs_nothing_else() -> None:
    page = render_html(a_page())
    for tag, attributes in Tree(page).seen:
        assert tag not in {"script", "link", "img", "iframe", "object", "form", "base"}
        assert all(name not in {"src", "style", "ping"} and not name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_allows_its_own_style_alone_and_stands_before_any_data() -> None:
    page = render_html(a_page())
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in page.partition("<title>")[0]


def test_every_link_leads_to_a_part_of_the_page_and_every_name_is_used_once() -> None:
    seen = Tree(render_html(joined([a_page(), a_page(judge="strict")]))).seen
    names = [attributes["id"] for _, attributes in seen if "id" in attributes]
    assert len(names) == len(set(names))
    for _, attributes in seen:
        if href := attributes.get("href"):
            assert href.removeprefix("#") in names
        for name in (attributes.get("aria-labelledby") or "").split():
            assert name in names


@pytest.mark.parametrize("attack", attacks(ANYWHERE))
def test_no_attack_in_any_field_changes_the_page(attack: str) -> None:
    harmless = render_html(a_page(judge="x", system="x", identifier="x", word="x"))
    page = render_html(a_page(judge=attack, system=attack, identifier=attack, word=attack))
    assert [tag for tag, _ in shape(page)] == [tag for tag, _ in shape(harmless)]
    assert shape(page) == shape(harmless)


@given(st.text(min_size=1))
def test_no_text_changes_the_page(text: str) -> None:
    word = f"x{text}"
    harmless = render_html(a_page(judge="x", system="x", identifier="x", word="x"))
    assert shape(render_html(a_page(judge=word, system=word, identifier=word, word=word))) == shape(harmless)


def test_the_words_are_those_of_the_data() -> None:
    shown = Tree(render_html(a_page(word="<b>1 & 2</b>"))).text
    assert shown.count("<b>1 & 2</b>") > 20


def test_hidden_characters_are_shown_and_every_name_stands_apart() -> None:
    page = render_html(a_page(identifier="a\u202eb\x1bc", judge="شك"))
    assert "<bdi>a\\u202eb\\x1bc</bdi>" in page
    assert "<bdi>شك</bdi>" in page
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)


def test_a_very_long_reply_is_cut_and_says_so() -> None:
    page = render_html(a_page(word="x" * 25_000))
    assert max(map(len, re.findall("x+", page))) == 20_000
    assert "5,000 more characters" in page
    assert f"<bdi>{'x' * 2_000}…</bdi>" in page


def test_the_summary_says_how_many_judgments_ended_how() -> None:
    page = render_html(a_page())
    assert '<span class="tag">2 ok</span> <span class="tag bad">1 parse_error</span>' in page
    assert "2.50 to 9.50" in page


def test_a_histogram_tells_its_counts_to_those_who_cannot_see_it() -> None:
    page = render_html(a_page())
    assert '<desc id="histogram-1-counts">2 scores. 0 to below 1: 1; 2: 1</desc>' in page
    assert '<title id="histogram-1">Scores of accuracy on harbor</title>' in page


def test_large_counts_fit_their_bars_and_many_bars_share_labels() -> None:
    bars = tuple(Bar(str(at), str(at), count) for at, count in enumerate([9_999, 12_345, 3_000_000, *[0] * 18]))
    page = render_html(replace(a_page(), histograms=(Histogram("accuracy", "harbor", bars),)))
    shown = re.findall(r'<text class="count"[^>]*>([^<]*)<', page)
    assert shown == ["9999", "12k", "3M"]
    assert re.findall(r'<text class="place"[^>]*>([^<]*)<', page) == [str(at) for at in range(0, 21, 2)]
    assert "3,000,000" in page


def test_a_row_shows_response_reference_reply_reasoning_and_prompt() -> None:
    row = TellingRow(an_entry(3, word="said"), "asked")
    (telling,) = a_page().telling
    page = render_html(replace(a_page(), telling=(replace(telling, lowest=(row,)),)))
    for title in ("Response of <bdi>harbor</bdi>", "Reference", "Reply", "Refusal", "Explanation"):
        assert f"<h6>{title}</h6>" in page
    assert "<summary>Reasoning</summary>" in page
    assert '<summary>Prompt</summary><pre dir="auto">\nasked</pre>' in page


def test_a_prompt_that_can_no_longer_be_told_says_so() -> None:
    (telling,) = a_page().telling
    rows = replace(telling, lowest=(TellingRow(an_entry(3), None),))
    assert "can no longer be told" in render_html(replace(a_page(), telling=(rows,)))


def test_a_repeat_is_named() -> None:
    (telling,) = a_page().telling
    rows = replace(telling, lowest=(TellingRow(an_entry(3, repeat=2), "p"),))
    assert "repeat 2" in render_html(replace(a_page(), telling=(rows,)))


@pytest.mark.parametrize(("passed", "told"), [(True, " · passed</span>"), (False, " · not passed</span>")])
def test_a_row_says_whether_its_score_reached_the_threshold(*, passed: bool, told: str) -> None:
    (telling,) = a_page().telling
    judgment = replace(an_entry(3).judgment, passed=passed)
    rows = replace(telling, lowest=(TellingRow(replace(an_entry(3), judgment=judgment), None),))
    assert told in render_html(replace(a_page(), telling=(rows,)))
    assert told not in render_html(a_page())


def test_a_contest_says_who_won() -> None:
    (telling,) = a_page().telling
    (row,) = telling.lowest
    for score, told in (
        (1.0, "<bdi>a</bdi> won"),
        (0.5, "tie"),
        (0.0, "<bdi>b</bdi> won"),
        (0.8, "<bdi>a</bdi> won, 0.80"),
    ):
        judgment = replace(row.entry.judgment, score=score, slot=Slot("accuracy", "r1", ("a", "b")))
        contest = TellingRow(replace(row.entry, judgment=judgment), None)
        page = render_html(replace(a_page(), telling=(replace(telling, lowest=(contest,)),)))
        assert f'<span class="chip">{told}</span>' in page
        assert "<h4>The second of two systems ahead</h4>" in page


@pytest.mark.parametrize("attack", attacks(ANYWHERE))
def test_no_attack_in_a_winners_name_changes_the_page(attack: str) -> None:
    def page(name: str) -> str:
        (telling,) = a_page().telling
        judgment = replace(an_entry(1).judgment, score=1.0, slot=Slot("accuracy", "r1", (name, "b")))
        rows = (TellingRow(replace(an_entry(1), judgment=judgment), None),)
        bars = (Bar("b won", "b won", 0), Bar(f"{name} won", f"{name} won", 1))
        drawn = (Histogram("accuracy", f"{name} vs b", bars),)
        return render_html(replace(a_page(), telling=(replace(telling, lowest=rows),), histograms=drawn))

    assert shape(page(attack)) == shape(page("x"))


def test_where_lower_is_better_it_says_so_beside_every_score() -> None:
    page = a_page()
    (judge,) = page.report.judges
    lower = replace(page, report=replace(page.report, judges=(replace(judge, higher_is_better=False),)))
    told = '<bdi>accuracy</bdi> <span class="quiet">lower is better</span>'
    for section in ("summary", "scores", "differences", "rows"):
        part = render_html(lower).partition(f'<section id="{section}">')[2].partition("<section id=")[0]
        assert told in part
    assert told not in render_html(page)


def test_the_best_case_stands_where_something_failed() -> None:
    page = a_page()
    best = replace(page.report.metrics[0], name="mean_failures_best", value=7.125)
    shown = render_html(replace(page, report=replace(page.report, metrics=(*page.report.metrics, best))))
    assert ">at best</th>" in shown
    assert ">7.12</td>" in shown
    assert ">at best</th>" not in render_html(page).partition('id="standings"')[0]


def test_an_unfinished_run_and_too_many_failures_stand_at_the_top() -> None:
    page = a_page()
    (judge,) = page.report.judges
    pending = replace(judge, counts={Status.OK: 1, Status.CALL_ERROR: 1, Status.PENDING: 2})
    shown = render_html(replace(page, report=replace(page.report, judges=(pending,)))).partition("<main>")[0]
    assert "Unfinished: 2 of 4" in shown
    assert "too many judgments failed" in shown


def test_an_empty_run_is_a_page_too() -> None:
    page = render_html(Page(Report("", (), ()), {}, (), (), ()))
    assert "Nothing was judged." in page
    assert Tree(page).balanced


def test_a_mean_is_placed_on_its_scale_and_only_there() -> None:
    page = a_page()
    (mean, *others) = page.report.metrics
    for report, scales, drawn in (
        (page.report, {"accuracy": (0.0, 10.0)}, '<circle class="mean" cx="71.2"'),
        (page.report, {"accuracy": (6.0, 6.0)}, '<circle class="mean" cx="4.0"'),
        (
            replace(page.report, metrics=(replace(mean, interval=None), *others)),
            page.scales,
            'x="71.2" y="5" width="1.0"',
        ),
    ):
        assert drawn in render_html(replace(page, report=report, scales=scales))
    page = replace(page, report=replace(page.report, contests=()))
    without = replace(page.report, metrics=(replace(mean, value=None), *others))
    assert '<svg class="whisker"' not in render_html(replace(page, report=without))
    assert '<svg class="whisker"' not in render_html(replace(page, scales={}))


def test_a_judge_without_a_row_says_so() -> None:
    empty = TellingRows("accuracy", (), (), (), failures=0)
    assert "Nothing was judged yet." in render_html(replace(a_page(), telling=(empty,), histograms=()))


def test_one_unnamed_system_has_no_name() -> None:
    page = render_html(a_page(system=""))
    assert "<h6>Response</h6>" in page
    assert "<figcaption>2 scores</figcaption>" in page
    assert '<title id="histogram-1">Scores of accuracy</title>' in page
