"""`gavel run`: judge, resume, and say how it ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.makers import some_rows, write_rows

from .conftest import Gavel, configure, judged, replies


def test_results_go_to_stdout_and_the_rest_to_stderr(gavel: Gavel, here: Path) -> None:
    ended = gavel("run", "judge.yaml")
    assert ended.code == 0
    assert ended.out.startswith("run out\n")
    assert "5.50" in ended.out
    assert "judging answers.jsonl into out" in ended.err
    assert "10 of 10 judged" in ended.err
    assert "5.50" not in ended.err


def test_quiet_says_nothing_but_the_results(gavel: Gavel, here: Path) -> None:
    ended = gavel("run", "judge.yaml", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert "5.50" in ended.out


def test_json_is_one_document(gavel: Gavel, here: Path) -> None:
    document = gavel("run", "judge.yaml", "--json").json
    assert document["metrics"][0]["value"] == 5.5
    assert (document["planned"], document["finished"], document["folder"]) == (10, True, "out")


def test_the_same_command_again_shows_the_same_and_judges_nothing(gavel: Gavel, here: Path) -> None:
    first = gavel("run", "judge.yaml")
    (here / "replies.jsonl").write_text("")
    again = gavel("run", "judge.yaml")
    assert (again.code, again.out) == (0, first.out)
    assert "10 judgments are on disk already" in again.err


def test_without_output_the_folder_is_found_again_and_is_the_latest(gavel: Gavel, here: Path) -> None:
    configure(here, run={})
    folder = gavel("run", "judge.yaml", "--json").json["folder"]
    assert folder.startswith("runs/judge-")
    assert gavel("run", "judge.yaml", "--json").json["folder"] == folder
    assert gavel("report", "--format", "json").json["metrics"][0]["value"] == 5.5
    assert gavel("run", "judge.yaml", "--new-run", "--json").json["folder"] == f"{folder}-2"
    assert gavel("run", "judge.yaml", "--new-run", "--json").json["folder"] == f"{folder}-3"


@pytest.mark.parametrize("flag", ["-o", "--output", "--output-path", "--output_path"])
def test_the_output_has_all_its_names(gavel: Gavel, here: Path, flag: str) -> None:
    assert gavel("run", "judge.yaml", "--json", flag, "mine").json["folder"] == "mine"


def test_flags_win_over_the_file(gavel: Gavel, here: Path) -> None:
    write_rows(here / "others.jsonl", some_rows(4))
    flags = [
        "--data",
        "others.jsonl",
        "--limit",
        "3",
        "--threshold",
        "2",
        "--max-error-rate",
        "0.5",
        "--on-failure",
        "worst",
    ]
    document = gavel("run", "judge.yaml", "--json", *flags).json
    assert document["planned"] == 3
    assert document["judges"][0]["threshold"] == 2
    assert document["judges"][0]["max_error_rate"] == 0.5
    assert document["details"]["on_failure"] == "worst"


def test_a_mapping_can_be_given_as_flags(gavel: Gavel, here: Path) -> None:
    rows = [{"id": f"r{n}", "doc": {"q": f"What is {n}?"}, "x": "one", "y": "two"} for n in range(1, 11)]
    write_rows(here / "answers.jsonl", rows)
    flags = ["--map", "question=doc.q", "--map", "response.a=x", "--map", "response.b=y"]
    document = gavel("run", "judge.yaml", "--json", *flags).json
    assert [metric["system"] for metric in document["metrics"] if metric["name"] == "mean"] == ["a", "b"]
    assert document["planned"] == 20


def test_a_repeat_at_temperature_zero_is_remarked_upon(gavel: Gavel, here: Path) -> None:
    ended = gavel("run", "judge.yaml", "--repeat", "2", "--json")
    assert "judge 'accuracy' repeats at temperature 0" in ended.err
    assert ended.json["planned"] == 20


def test_too_many_failures_end_with_three_and_a_report(gavel: Gavel, here: Path) -> None:
    replies(here, bad=2)
    ended = gavel("run", "judge.yaml", "--json")
    assert ended.code == 3
    assert ended.json["judges"][0]["counts"]["parse_error"] == 2
    assert "gavel: judge 'accuracy': 20.0% of its judgments failed, and 10.0% may" in ended.err
    assert "everything judged is kept" in ended.err
    assert "with --retry-errors unreadable replies too" in ended.err
    assert gavel("run", "judge.yaml", "--max-error-rate", "0.2").code == 0


def test_unreadable_replies_are_asked_for_again_on_request(gavel: Gavel, here: Path) -> None:
    replies(here, bad=2)
    assert gavel("run", "judge.yaml").code == 3
    replies(here)
    assert gavel("run", "judge.yaml").code == 3
    assert gavel("run", "judge.yaml", "--retry-errors").code == 0


def test_another_question_is_refused_with_the_difference(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    configure(here, judges=judged(system_prompt="Be fair."))
    ended = gavel("run", "judge.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert "judge 'accuracy' asks something else than this run recorded; use --new-run" in ended.err
    assert 'system_prompt: recorded null, now "Be fair."' in ended.err
    assert gavel("run", "judge.yaml", "--new-run").code == 0


def test_another_scale_is_read_again(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    (here / "replies.jsonl").write_text("")
    configure(here, judges=judged(scale=[0, 20]))
    ended = gavel("run", "judge.yaml")
    assert ended.code == 0
    assert "stored replies were read again, without a call: accuracy" in ended.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["none.yaml"], 2, "none.yaml: cannot be read: No such file or directory"),
        (["judge.yaml", "--concurrency", "0"], 2, "concurrency must be a whole number from 1 up, or auto, not 0"),
        (["judge.yaml", "--concurrency", "["], 2, "concurrency must be a whole number from 1 up, or auto, not '['"),
        (["judge.yaml", "--threshold", "high"], 2, "threshold must be a number, not 'high'"),
        (["judge.yaml", "--data", "none.jsonl"], 2, "none.jsonl: there is no such file"),
        (["judge.yaml", "--map", "question=nowhere"], 2, "answers.jsonl:1: no field 'nowhere'"),
        (["judge.yaml", "--map", "question=a..b"], 2, "map: question: 'a..b' is not a path"),
        (["judge.yaml", "--replies", "none.jsonl"], 2, "the recorded replies cannot be read"),
        (["judge.yaml", "-o", "judge.yaml"], 5, "File exists"),
    ],
)
def test_what_cannot_be_used_is_told_by_its_exit_code(
    gavel: Gavel, here: Path, arguments: list[str], code: int, words: str
) -> None:
    ended = gavel("run", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert words in ended.err


def test_a_key_in_the_file_ends_the_command_before_anything_runs_and_is_not_shown(gavel: Gavel, here: Path) -> None:
    configure(here, judges=judged(api_key="sk-secret"))
    ended = gavel("run", "judge.yaml")
    assert ended.code == 2
    assert "sk-secret" not in ended.err
    assert "export LLM_JUDGE_ACCURACY_API_KEY" in ended.err
    assert not (here / "out").exists()


def test_a_damaged_run_ends_with_five_and_says_how_to_go_on(gavel: Gavel, here: Path) -> None:
    (here / "out").mkdir()
    (here / "out" / "run.db").write_bytes(b"garbage" * 999)
    ended = gavel("run", "judge.yaml", "--limit", "3")
    assert ended.code == 5
    assert "damaged, or no record of a run" in ended.err
    assert "to go on: gavel run judge.yaml --limit 3" in ended.err


def test_what_is_recorded_holds_no_key(gavel: Gavel, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_JUDGE_API_KEY", "sk-secret-0123456789")
    configure(here, judges=judged(api_key="dummy"))
    assert gavel("run", "judge.yaml").code == 0
    assert b"sk-secret" not in (here / "out" / "run.db").read_bytes()


def test_hostile_names_reach_no_terminal(gavel: Gavel, here: Path) -> None:
    name = "evil\x1b(0\x07"
    replies(here, judge=name)
    configure(here, judges=judged(name=name))
    ended = gavel("run", "judge.yaml")
    assert ended.code == 0
    assert "\x1b" not in ended.out + ended.err
    assert json.loads(gavel("report", "out", "--format", "json").out)["judges"][0]["name"] == name
