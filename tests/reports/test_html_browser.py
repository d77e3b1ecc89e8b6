"""A real browser opens a report that is full of attacks: no script runs and no request leaves."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.makers import endpoint

from gavelkit.reports import render_html
from gavelkit.simulator.server import HttpAnswer, HttpRequest

from .attacks import CANARY, attacks
from .pages import a_page, joined
from .test_html_page import tags

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--virtual-time-budget=2000",  # timers and handlers have their turn before the page is read
)
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here; .ci/run installs it")


@pytest.fixture
def reached() -> Iterator[tuple[str, list[str]]]:
    """An address, and what was asked of it."""
    asked: list[str] = []

    def answer(request: HttpRequest) -> HttpAnswer:
        asked.append(request.path)
        return HttpAnswer(200, b"")

    with endpoint(answer) as url:
        yield url, asked


def opened(page: str, folder: Path) -> str:
    """The document as the browser holds it after opening the page from disk."""
    file = folder / "report.html"
    file.write_text(page, encoding="utf-8")
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", file.as_uri()]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)  # noqa: S603 - our page
    return ended.stdout


def hostile(url: str) -> str:
    """A report with every attack in every field."""
    corpus = attacks(url)
    pages = [a_page(judge=each, system=each, identifier=each, word=each) for each in corpus]
    return render_html(joined(pages))


def title(document: str) -> str:
    found = re.search(r"<title>(.*?)</title>", document, re.DOTALL)
    assert found
    return html.unescape(found[1])


@pytest.mark.parametrize("guarded", [True, False], ids=["as it is", "without its policy"])
def test_no_script_of_the_data_runs_and_no_request_leaves(
    reached: tuple[str, list[str]], tmp_path: Path, *, guarded: bool
) -> None:
    """Escaping alone holds, and the policy is the second wall."""
    url, asked = reached
    page = hostile(url)
    assert len(POLICY.findall(page)) == 1
    document = opened(page if guarded else POLICY.sub("", page), tmp_path)
    assert title(document) == title(page) != "pwned"
    assert tags(document) <= tags(render_html(a_page())) | {"tbody"}
    assert asked == []


def test_the_policy_alone_stops_the_attacks(reached: tuple[str, list[str]], tmp_path: Path) -> None:
    url, asked = reached
    page = render_html(a_page())
    document = opened(page.replace("<main>", "<main>" + "".join(scripts(url))), tmp_path)
    assert title(document) == title(page)
    assert asked == []


def test_without_both_walls_an_attack_is_seen(reached: tuple[str, list[str]], tmp_path: Path) -> None:
    """What the tests above look for would be there."""
    url, asked = reached
    page = POLICY.sub("", render_html(a_page()))
    document = opened(page.replace("<main>", "<main>" + "".join(scripts(url))), tmp_path)
    assert title(document) == "pwned"
    assert asked != []


def scripts(url: str) -> list[str]:
    """Attacks that leave the page where it is, so that it can be looked at."""
    return [each for each in attacks(url) if CANARY in each and "<iframe" not in each][:5]


def test_a_click_away_is_there_without_a_script(tmp_path: Path) -> None:
    document = opened(render_html(a_page()), tmp_path)
    assert document.count('<details class="row">') == 4
    assert "<summary>Prompt</summary>" in document
