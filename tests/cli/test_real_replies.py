"""The recorded MT-bench gradings of GPT-4 through `gavel run`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gavelkit.cli.main import main

MEANS = {
    "gpt-4-1106-preview": (160, 9.228125),
    "mistralai/Mixtral-8x7B-Instruct-v0.1": (160, 8.340625),
    "martian": (160, 8.3125),
    "unify": (159, 8.757862),
}


@pytest.fixture
def gradings(shared_data: Path) -> list[dict[str, Any]]:
    with gzip.open(shared_data / "mtbench_single_gpt4.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture
def configuration(
    gradings: list[dict[str, Any]], shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.chdir(tmp_path)
    replies = [
        {"example_id": str(n), "judge": "mt_bench_single", "system": row["model"], "reply": row["judgment"]}
        for n, row in enumerate(gradings, start=1)
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)), encoding="utf-8")
    path = tmp_path / "mt_bench.yaml"
    settings = {
        "data": str(shared_data / "mtbench_single_gpt4.jsonl.gz"),
        "map": {"question": "user_prompt", "response": "user_prompt", "system": "model"},
        "judges": [{"preset": "mt_bench_single", "replies": "replies.jsonl"}],
        "run": {"output": "run"},
    }
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path


def test_639_of_640_recorded_gradings_give_the_recorded_score_and_one_cannot_be_read(
    configuration: Path, gradings: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(configuration), "--quiet", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    means = {m["system"]: (m["n"], m["value"]) for m in report["metrics"] if m["name"] == "mean"}
    assert {system: (n, round(value, 6)) for system, (n, value) in means.items()} == MEANS
    judged = export(tmp_path / "run", tmp_path / "judgments.jsonl")
    pairs = [(row["score"], line["score"]) for row, line in zip(gradings, judged, strict=True)]
    assert sum(recorded == score for recorded, score in pairs) == 639
    assert [pair for pair in pairs if pair[0] != pair[1]] == [(-1, None)]
    assert [line["status"] for line in judged if line["score"] is None] == ["parse_error"]


def test_every_exported_prompt_is_the_one_that_was_asked(configuration: Path, tmp_path: Path) -> None:
    assert main(["run", str(configuration), "--quiet", "--limit", "40"]) == 0
    judged = export(tmp_path / "run", tmp_path / "judgments.jsonl")
    assert len(judged) == 40
    assert all("[[rating]]" in line["prompt"] for line in judged)


def export(run: Path, file: Path) -> list[dict[str, Any]]:
    assert main(["export", str(run), "-o", str(file), "--prompts"]) == 0
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
