"""From a record to the HTML report."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from tests.makers import Counting, a_judge, an_arena, asked_about, better, rows_of_systems, some_rows

import gavelkit
from gavelkit.core.errors import StorageError
from gavelkit.run.report_page import html_report, report_page


def reply(prompt: str) -> str:
    number = asked_about(prompt)
    return "no idea" if number == 7 else f"Because of {number}.\nScore: {number % 11}"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    judges = [
        a_judge(Counting(reply), max_error_rate=1.0),
        a_judge(Counting(lambda _: "Score: 10"), "generous"),
        a_judge(Counting(lambda _: "Score: 500"), "free", scale=None),
    ]
    gavelkit.evaluate(some_rows(12), judges, output=folder)
    return folder


def test_the_page_holds_the_ends_the_failures_and_their_prompts(run: Path) -> None:
    page = report_page(run)
    accuracy = page.telling[0]
    assert [row.entry.judgment.slot.example_id for row in accuracy.lowest] == ["r11", "r1", "r12", "r2", "r3"]
    assert [row.entry.judgment.score for row in accuracy.highest] == [10, 9, 8, 6, 5]
    assert [row.entry.judgment.slot.example_id for row in accuracy.failed] == ["r7"]
    assert accuracy.failed[0].prompt == "Rate this.\nQ: What is 7?\nA: It is 7."
    assert accuracy.failures == 1


def test_judges_with_a_scale_are_compared(run: Path) -> None:
    page = report_page(run)
    widest = page.differences[0]
    assert widest.gap == 1.0
    assert [(each.judge, each.score) for each in widest.opinions] == [("accuracy", 0), ("generous", 10)]
    assert widest.opinions[0].row.entry.judgment.slot.example_id == "r11"
    assert page.scales == {"accuracy": (0, 10), "generous": (0, 10)}


def test_histograms_count_every_score(run: Path) -> None:
    page = report_page(run)
    assert [(drawn.judge, drawn.total) for drawn in page.histograms] == [
        ("accuracy", 11),
        ("generous", 12),
        ("free", 12),
    ]
    assert [(bar.label, bar.count) for bar in page.histograms[2].bars] == [("500", 12)]


def test_the_bars_of_contests_say_who_won(tmp_path: Path) -> None:
    gavelkit.evaluate(rows_of_systems(3), an_arena(better), output=tmp_path)
    (drawn,) = report_page(tmp_path).histograms
    assert drawn.system == "bad vs good"
    assert [(bar.label, bar.count) for bar in drawn.bars] == [("good won", 3), ("tie", 0), ("bad won", 0)]
    assert '<span class="chip"><bdi>good</bdi> won</span>' in html_report(tmp_path)


def test_the_file_tells_it_all(run: Path) -> None:
    text = html_report(run)
    for told in ("Because of 3.", "Q: What is 7?", "It is 12.", "no idea", "1 parse_error"):
        assert told in text


def test_a_folder_without_a_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        html_report(tmp_path)


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        folder = tmp_path / str(count)
        rows = [{**row, "response": "x" * 20_000} for row in some_rows(count)]
        gavelkit.evaluate(rows, a_judge(Counting()), output=folder)
        tracemalloc.start()
        try:
            report_page(folder)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = peak(50), peak(400)
    assert many < few + 2_000_000
