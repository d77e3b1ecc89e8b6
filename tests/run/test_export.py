"""A run's judgments to a file, prompts rendered again and checked against what was sent."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import pytest
from tests.makers import Counting, a_judge, asked_about, some_rows

import gavelkit
from gavelkit.core.errors import CallError, StorageError
from gavelkit.core.failure import FailureKind
from gavelkit.run.export import export_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    def reply(prompt: str) -> str:
        if asked_about(prompt) == 2:
            message = "slow"
            raise CallError(FailureKind.TIMEOUT, message)
        return "Fine.\nScore: 5"

    folder = tmp_path / "run"
    judge = a_judge(
        Counting(reply), max_error_rate=1.0, system_prompt="Mind {{ what }}.", variables={"what": "the facts"}
    )
    gavelkit.evaluate(some_rows(3), judge, output=folder)
    return folder


def test_one_line_a_judgment(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    assert export_run(run, file) == 3
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(row["id"], row["status"], row["score"], row["reply"]) for row in rows] == [
        ("r1", "ok", 5.0, "Fine.\nScore: 5"),
        ("r2", "call_error", None, None),
        ("r3", "ok", 5.0, "Fine.\nScore: 5"),
    ]
    assert "prompt" not in rows[0]


def test_the_prompts_are_what_was_sent(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    export_run(run, file, prompts=True)
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert rows[0]["prompt"] == "Mind the facts.\n\nRate this.\nQ: What is 1?\nA: It is 1."
    assert "What is 2?" in rows[1]["prompt"]


def test_a_prompt_that_can_no_longer_be_told_is_none(run: Path, tmp_path: Path) -> None:
    with sqlite3.connect(run / "run.db") as connection:
        connection.execute("UPDATE call SET key=zeroblob(16) WHERE call=1")
        connection.execute("""UPDATE example SET row='[{},{},{"":"x"},[]]' WHERE id='r3'""")
    connection.close()
    file = tmp_path / "out.jsonl"
    export_run(run, file, prompts=True)
    prompts = [json.loads(line)["prompt"] for line in file.read_text().splitlines()]
    assert [prompt is None for prompt in prompts] == [True, False, True]


def test_a_table_for_spreadsheets(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    assert export_run(run, file, prompts=True) == 3
    with file.open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["status"] for row in rows] == ["ok", "call_error", "ok"]
    assert rows[0]["prompt"].endswith("A: It is 1.")


def test_an_old_export_stays_where_the_run_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("old")
    with pytest.raises(StorageError):
        export_run(tmp_path / "none", file)
    assert file.read_text() == "old"
