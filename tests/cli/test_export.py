"""`gavel export`: every judgment of a run to a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gavelkit.simulator import running_simulator

from .conftest import Gavel


def test_every_judgment_is_a_line(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    ended = gavel("export", "out", "-o", "all.jsonl")
    assert (ended.code, ended.out, ended.err) == (0, "", "10 judgments written to all.jsonl\n")
    rows = [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()]
    assert [row["score"] for row in rows] == list(range(1, 11))
    assert "prompt" not in rows[0]


def test_the_last_run_is_meant_where_none_is_named_and_prompts_can_be_added(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    assert gavel("export", "-o", "all.jsonl", "--prompts").code == 0
    assert json.loads(Path("all.jsonl").read_text().splitlines()[0])["prompt"].startswith("Rate this.")


def test_the_prompt_of_a_judgment_in_steps_is_its_whole_conversation(gavel: Gavel, here: Path) -> None:
    with running_simulator() as simulator:
        arguments = ["answers.jsonl", "--criterion", "Is it so?", "--api-base", simulator.url, "--model", "m"]
        assert gavel("score", *arguments).code == 0
    assert gavel("export", "-o", "all.jsonl", "--prompts").code == 0
    for line in Path("all.jsonl").read_text().splitlines():
        row = json.loads(line)
        assessed, _, chosen = row["prompt"].partition(f"\n\n{row['explanation']}\n\n")
        assert assessed.endswith("Assessment:")
        assert chosen.startswith("Now choose the option")


@pytest.mark.parametrize("flags", [[], ["--raw"]])
def test_a_table_for_spreadsheets(gavel: Gavel, here: Path, flags: list[str]) -> None:
    gavel("run", "judge.yaml")
    assert gavel("export", "out", "-o", "all.csv", *flags).code == 0
    assert len(Path("all.csv").read_text(encoding="utf-8-sig").splitlines()) > 10


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["out", "-o", "all.txt"], 2, "all.txt: an export ends in .jsonl or .csv"),
        (["out", "-o", "all.jsonl", "--raw"], 2, "--raw is for .csv"),
        (["none", "-o", "all.csv"], 5, "there is no run here"),
        (["out", "-o", "none/all.csv"], 5, "none/all.csv cannot be written"),
    ],
)
def test_what_cannot_be_written_is_told(gavel: Gavel, here: Path, arguments: list[str], code: int, words: str) -> None:
    gavel("run", "judge.yaml")
    ended = gavel("export", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert words in ended.err
    assert "to go on" not in ended.err
