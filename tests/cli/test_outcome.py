"""What `run`, `score` and `report` leave for programs: gates, files, JUnit XML and annotations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from gavelkit.reports.as_json import SCHEMA

from .conftest import Gavel, configure, judged, replies


def made(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith("run.")}


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def cases(file: Path) -> dict[str, bool]:
    return {str(case.get("name")): case.find("failure") is None for case in ET.parse(file).iter("testcase")}  # noqa: S314 - our own


def test_a_gate_that_is_met_ends_well_and_is_shown(gavel: Gavel, here: Path) -> None:
    configure(here, gates={"accuracy.mean": ">= 5"})
    ended = gavel("run", "judge.yaml")
    assert ended.code == 0
    assert "PASS  accuracy.mean >= 5: 5.5 (interval" in ended.out


def test_a_gate_that_is_not_met_fails_once_everything_is_written(gavel: Gavel, here: Path) -> None:
    configure(here, gates={"accuracy.mean": ">= 7", "accuracy.failed": "== 0", "accuracy[].n": "> 10"})
    ended = gavel("run", "judge.yaml")
    assert ended.code == 3
    assert "gavel: gate accuracy.mean >= 7: 5.5 (interval 3.3341 to 7.6659); gate accuracy[].n > 10: 10\n" in ended.err
    assert "PASS  accuracy.failed == 0: 0\n" in ended.out
    assert {"results.json", "judgments.jsonl"} < made(here / "out")
    assert [gate["passed"] for gate in results(here / "out")["gates"]] == [False, True, False]


def test_the_report_shows_the_gates_of_the_last_start_again(gavel: Gavel, here: Path) -> None:
    configure(here, gates={"accuracy.mean": ">= 7"})
    assert gavel("run", "judge.yaml").code == 3
    shown = gavel("report", "out", "--format", "json")
    assert shown.code == 0
    assert shown.json["schema"] == SCHEMA
    assert shown.json["gates"][0]["passed"] is False
    configure(here)
    assert gavel("run", "judge.yaml").code == 0
    assert gavel("report", "out", "--format", "json").json["gates"] == []


@pytest.mark.parametrize(
    ("gates", "message"),
    [
        ({"acuracy.mean": ">= 7"}, "did you mean accuracy?"),
        ({"accuracy.maen": ">= 7"}, "did you mean mean?"),
        ({"accuracy.mean": "7"}, "and a number"),
        ({"accuracy[b].mean": ">= 7"}, "no row has a response of the system 'b'"),
        (["accuracy.mean >= 7"], "gates must be a mapping"),
    ],
)
def test_a_gate_that_cannot_be_judged_is_refused_before_any_call(
    gavel: Gavel, here: Path, gates: Any, message: str
) -> None:
    configure(here, gates=gates)
    ended = gavel("run", "judge.yaml")
    assert ended.code == 2
    assert message in ended.err
    assert not (here / "out").exists()


def test_a_finished_run_leaves_its_files_and_the_same_command_changes_none(gavel: Gavel, here: Path) -> None:
    replies(here, bad=1)
    assert gavel("run", "judge.yaml").code == 0
    (lines,) = (here / "out").glob("llm_judge_answers_accuracy_recorded_*.jsonl")
    assert made(here / "out") == {"results.json", "judgments.jsonl", lines.name}
    before = {name: (here / "out" / name).read_bytes() for name in made(here / "out")}
    assert gavel("run", "judge.yaml").code == 0
    assert {name: (here / "out" / name).read_bytes() for name in made(here / "out")} == before
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [row["idx"] for row in rows] == list(range(10))
    assert rows[0]["error"].startswith("parse_error: ")


def test_the_files_are_the_same_where_too_much_failed(gavel: Gavel, here: Path) -> None:
    replies(here, bad=5)
    assert gavel("run", "judge.yaml").code == 3
    assert len(made(here / "out")) == 3
    assert results(here / "out")["counts"]["answers"]["llm_judge_accuracy"]["parse_error"] == 5


def test_save_details_false_leaves_out_the_lines_alone(gavel: Gavel, here: Path) -> None:
    configure(here, judges=judged(save_details=False))
    assert gavel("run", "judge.yaml").code == 0
    assert made(here / "out") == {"results.json", "judgments.jsonl"}


def test_an_unnamed_judge_is_called_llm_judge(gavel: Gavel, here: Path) -> None:
    (judge,) = judged()
    del judge["name"]
    configure(here, judges=[judge], run={"output": "out", "max_error_rate": 1.0})
    assert gavel("run", "judge.yaml").code == 0
    assert list(results(here / "out")["results"]["answers"]) == ["llm_judge"]
    assert len(list((here / "out").glob("llm_judge_answers_recorded_*.jsonl"))) == 1


def test_a_presets_name_counts_as_a_name(gavel: Gavel, here: Path) -> None:
    replies(here, judge="score_0_10")
    command = ("score", "answers.jsonl", "--judge", "score_0_10", "--replies", "replies.jsonl", "-o", "out")
    assert gavel(*command, "--junit", "gates.xml").code == 0
    assert list(results(here / "out")["results"]["answers"]) == ["llm_judge_score_0_10"]
    assert cases(here / "gates.xml") == {"error rate": True}


@pytest.mark.parametrize("mean", [">= 5", ">= 7"])
def test_junit_has_a_case_for_each_gate_from_the_run_and_from_the_report(gavel: Gavel, here: Path, mean: str) -> None:
    configure(here, gates={"accuracy.mean": mean})
    gavel("run", "judge.yaml", "--junit", "run.xml")
    assert gavel("report", "out", "--junit", "report.xml").code == 0
    assert cases(here / "run.xml") == {"error rate": True, f"accuracy.mean {mean}": mean == ">= 5"}
    assert (here / "report.xml").read_bytes() == (here / "run.xml").read_bytes()


def test_junit_into_a_folder_that_is_missing_is_refused_before_any_call(gavel: Gavel, here: Path) -> None:
    ended = gavel("run", "judge.yaml", "--junit", "nowhere/run.xml")
    assert (ended.code, (here / "out").exists()) == (2, False)
    assert "--junit: the folder of nowhere/run.xml does not exist" in ended.err


def test_github_is_told_on_stderr_and_nobody_else(gavel: Gavel, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(here, gates={"accuracy.mean": ">= 7"})
    assert "::" not in gavel("run", "judge.yaml").err
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ended = gavel("run", "judge.yaml", "--json")
    assert "::error title=gavel%3A accuracy.mean >= 7::accuracy.mean >= 7: 5.5" in ended.err
    assert "::notice title=gavel%3A accuracy::accuracy: mean 5.50" in ended.err
    assert ended.json["gates"][0]["value"] == 5.5
    assert "::notice" in gavel("report", "out").err
