"""A run's judgments to a file, prompts rendered again and checked against what was sent."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import pytest
from tests.makers import TEMPLATE, Counting, a_judge, asked_about, chat_answer, chat_body, endpoint, some_rows

import gavelkit
from gavelkit.core.errors import CallError, StorageError
from gavelkit.core.failure import FailureKind
from gavelkit.run.export import export_run
from gavelkit.simulator.server import HttpAnswer, HttpRequest


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


def test_a_line_says_what_its_replies_cost_and_what_was_sent_otherwise(tmp_path: Path) -> None:
    def short(request: HttpRequest) -> HttpAnswer:
        body = chat_body("Score: 7")
        if json.loads(request.body)["max_tokens"] == 16:
            body = chat_body("Let me think")
            body["choices"][0]["finish_reason"] = "length"
        return chat_answer(body)

    with endpoint(short) as base:
        judge = gavelkit.judge(
            prompt_template=TEMPLATE, model="gpt-4", api_base=base, max_tokens=16, name="j", preflight_check=False
        )
        gavelkit.evaluate(some_rows(1), judge, output=tmp_path / "run")
    export_run(tmp_path / "run", tmp_path / "all.jsonl")
    (line,) = [json.loads(each) for each in (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (line["score"], line["attempts"], line["effective"]) == (7.0, 2, {"judge": {"max_tokens": 32}})
    assert line["usd"] == pytest.approx(2 * (7 * 30 + 3 * 60) / 1e6)
