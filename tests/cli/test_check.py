"""`gavel check`: everything that can be wrong, the first prompt, and what a run would judge; nothing is called."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.makers import some_rows, write_rows

from .conftest import Gavel, configure, judged


def test_the_first_prompt_and_the_plan_are_shown(gavel: Gavel, here: Path) -> None:
    configure(here, judges=judged(system_prompt="Be fair."))
    ended = gavel("check", "judge.yaml", "--repeat", "3")
    assert (ended.code, ended.err) == (0, "")
    assert "judge accuracy: model recorded, parser score, scale 0 to 10" in ended.out
    assert (
        "the first prompt, about answers.jsonl:1:\n--- system\nBe fair.\n--- user\nRate this.\nQ: What is 1?"
        in ended.out
    )
    assert ended.out.endswith("ok: 10 rows, 1 judge, 30 judgments to make; nothing was called\n")
    assert not (here / "out").exists()


def test_a_system_is_named_and_judges_are_counted(gavel: Gavel, here: Path) -> None:
    configure(here, judges=[*judged(), *judged(name="tone", scale=None)], map={"response": {"a": "response"}})
    text = gavel("check", "judge.yaml").out
    assert "about answers.jsonl:1, system 'a':" in text
    assert "judge tone: model recorded, parser score, scale any number" in text
    assert "10 rows, 2 judges, 20 judgments to make" in text


def test_what_a_row_holds_moves_no_cursor(gavel: Gavel, here: Path) -> None:
    write_rows(here / "answers.jsonl", [{"question": "\x1b[2J", "response": "x\u202ey"}])
    text = gavel("check", "judge.yaml").out
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([*some_rows(3), {"id": "x", "response": "y"}], "'question' is undefined"),
        ([*some_rows(3), *some_rows(1)], "answers.jsonl:4: the id 'r1' stands already in line 1"),
        ([], "there is no row to judge"),
    ],
)
def test_what_a_run_would_refuse_is_refused(gavel: Gavel, here: Path, rows: list[dict[str, str]], words: str) -> None:
    write_rows(here / "answers.jsonl", rows)
    ended = gavel("check", "judge.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
