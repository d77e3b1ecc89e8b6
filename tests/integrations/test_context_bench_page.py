"""The HTML page: whole in itself, and whatever its data holds, it stays text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from gavelkit.integrations.context_bench import EvalResult, EvalRow, to_html

ATTACKS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "'><a href=javascript:alert(1)>x</a>",
    "<!--",
    "]]><x>",
    "\u202eevil",
    "\x1b[2J",
]


class Tags(HTMLParser):
    """Which elements and attributes a page has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def result(text: str) -> EvalResult:
    metadata = {"judge_status": "call_error", "judge_error": text, text: text, "nested": {"value": [text]}}
    scores: dict[str, Any] = {"f1": 0.5, text: 0.25, "label": text}
    row = EvalRow(text, text, scores, 10, 4, metadata, 1.5, text)
    return EvalResult([row], {text: {"mean_score": 0.5, text: 1.0}}, {text: 1.0}, {"num_examples": 1, "x": text})


PLAIN = Tags(to_html(result("plain")))


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_of_the_data_becomes_an_element_or_an_attribute(attack: str) -> None:
    page = to_html(result(attack))
    tags = Tags(page)
    assert (tags.tags, tags.attributes) == (PLAIN.tags, PLAIN.attributes)
    assert attack not in page


def test_the_page_has_no_script_and_its_policy_comes_before_any_data() -> None:
    page = to_html(result("mine"))
    assert "script" not in PLAIN.tags
    assert not any(name.startswith("on") or name in {"src", "href"} for name in PLAIN.attributes)
    assert "default-src 'none'; style-src 'sha256-" in page
    assert page.index("Content-Security-Policy") < page.index("mine")


def test_the_page_shows_the_figures_each_row_and_what_the_judge_failed_at() -> None:
    page = to_html(result("mine"))
    assert '<th scope="row"><bdi>mine</bdi></th><td class="number">0.5000</td>' in page
    assert '<td class="bad"><bdi>call_error</bdi>: <bdi>mine</bdi></td>' in page
    assert '<p class="banner bad"><bdi>mine: the judge failed on 1 of 1 row (1 call_error)' in page
    assert '<td class="number">10</td><td class="number">4</td><td class="number">1.50</td>' in page
    assert "&quot;nested&quot;" in page


def test_a_judge_that_did_not_fail_is_no_warning() -> None:
    row = EvalRow("a", 1, {"judge_score": 0.0}, 1, 1, {"judge_status": "ok"})
    page = to_html(EvalResult([row], {"a": {"mean_score": 0.0}}))
    assert "banner" not in page.partition("<body>")[2]
    assert "<td><bdi>ok</bdi></td>" in page


def test_a_result_of_nothing_is_a_page_as_well() -> None:
    page = to_html(EvalResult([], {}))
    assert "No figures were computed." in page
    assert "There are no rows." in page
    assert page.endswith("</html>\n")
