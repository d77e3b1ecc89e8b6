"""The files beside a finished run: every row has its line, and a set of files stays as long as nothing changes."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fake_clock import FakeClock
from tests.makers import a_judge, an_arena, better, rows_of_systems, some_rows, write_rows

from gavelkit import evaluate
from gavelkit.core.errors import StorageError
from gavelkit.core.report import Report
from gavelkit.judges import Direct, Pairwise
from gavelkit.run import files
from gavelkit.run.files import write_files


class Clock(FakeClock):
    """A clock whose wall time goes on by a second with every look."""

    looks = 0

    def utc(self) -> str:
        self.looks += 1
        return f"2026-11-20T12:54:{self.looks:02}.000+00:00"


CLOCK = Clock()


def reply(prompt: str) -> str:
    return "no idea" if "is 2?" in prompt else "Fine.\nScore: 8"


def judged(folder: Path, rows: Sequence[Any], *judges: Direct | Pairwise, **options: Any) -> Report:
    data = write_rows(folder / "answers.jsonl", rows)
    report = evaluate(data, list(judges), output=folder / "out", max_error_rate=1.0, **options)
    write_files(report, judges, task="answers", clock=CLOCK)
    return report


def results(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "out" / "results.json").read_text())
    return found


def lines(folder: Path, beginning: str = "llm_judge_") -> list[dict[str, Any]]:
    (file,) = (folder / "out").glob(f"{beginning}*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


def names(folder: Path) -> set[str]:
    return {path.name for path in (folder / "out").iterdir() if not path.name.startswith("run.")}


def test_every_row_has_its_line_in_order_whatever_failed(tmp_path: Path) -> None:
    judged(tmp_path, some_rows(3), a_judge(reply))
    found = lines(tmp_path, "llm_judge_answers_accuracy_")
    assert [(line["idx"], line["score"]) for line in found] == [(0, 8.0), (1, None), (2, 8.0)]
    assert [line["error"] is None for line in found] == [True, False, True]
    assert found[1]["error"].startswith("parse_error: ")
    assert found[1]["judgment_raw"] == "no idea"
    assert found[0]["formatted_prompt"] == "Rate this.\nQ: What is 1?\nA: It is 1."


def test_the_results_have_the_mean_by_task_and_judge_and_what_it_rests_on(tmp_path: Path) -> None:
    judge = a_judge(reply, threshold=7)
    report = judged(tmp_path, some_rows(3), judge, gates={"accuracy.mean": ">= 7"})
    found = results(tmp_path)
    assert found["results"] == {"answers": {"llm_judge_accuracy": 8.0}}
    assert found["n"] == {"answers": {"llm_judge_accuracy": 2}}
    assert found["stderr"] == {"answers": {"llm_judge_accuracy": 0.0}}
    assert found["interval"]["answers"]["llm_judge_accuracy"]["method"] == "student t"
    assert found["counts"]["answers"]["llm_judge_accuracy"]["parse_error"] == 1
    assert found["systems"] == {"answers": {"llm_judge_accuracy": {}}}
    assert found["gates"] == [
        {"gate": "accuracy.mean >= 7", "value": 8.0, "passed": True, "found": "8 (interval 8 to 8)"}
    ]
    assert found["config"]["judges"]["llm_judge_accuracy"]["model"] == report.judges[0].model
    assert set(found["versions"]) == {"gavelkit", "python"}
    assert set(found["files"]) == names(tmp_path) - {"results.json"}


def test_a_mean_that_is_missing_is_null_and_says_why(tmp_path: Path) -> None:
    judged(tmp_path, some_rows(2), a_judge(lambda _: "no idea"))
    found = results(tmp_path)
    assert found["results"] == {"answers": {"llm_judge_accuracy": None}}
    assert found["reason"] == {"answers": {"llm_judge_accuracy": "none of 2 judgments is ok"}}


def test_several_systems_stand_one_by_one_and_none_speaks_for_all(tmp_path: Path) -> None:
    rows = [{"id": "1", "question": "What is 1?", "outputs": [{"id": n, "output": n} for n in ("b", "a")]}]
    judged(tmp_path, rows, a_judge(lambda prompt: f"Score: {8 if 'A: a' in prompt else 4}"), repeat=2)
    found = results(tmp_path)
    assert found["results"] == {"answers": {"llm_judge_accuracy": None}}
    systems = found["systems"]["answers"]["llm_judge_accuracy"]
    assert {name: system["mean"] for name, system in systems.items()} == {"a": 8.0, "b": 4.0}
    assert found["counts"]["answers"]["llm_judge_accuracy"]["ok"] == 4
    assert [(line["idx"], line["prediction"]) for line in lines(tmp_path)] == [(0, "b"), (0, "b"), (0, "a"), (0, "a")]


def test_contests_stand_in_the_results_and_row_by_row_in_a_file_of_their_own(tmp_path: Path) -> None:
    arena = an_arena(better)
    judged(tmp_path, rows_of_systems(3, ("good", "bad", "fine")), arena, a_judge(reply))
    found = results(tmp_path)
    contests = found["contests"]["answers"]
    assert list(contests) == ["llm_judge_arena"]
    assert [each["system"] for each in contests["llm_judge_arena"]["standings"]] == ["good", "fine", "bad"]
    assert found["config"]["judges"]["llm_judge_arena"]["position_bias"]["value"] == 0.0
    assert "standings.jsonl" in found["files"]
    standings = lines(tmp_path, "standings")
    assert [(line["id"], line["systems"]["good"]["rank"]) for line in standings] == [("r1", 1), ("r2", 1), ("r3", 1)]


def test_a_run_whose_judges_compare_nothing_any_more_leaves_no_standings(tmp_path: Path) -> None:
    judged(tmp_path, rows_of_systems(2), an_arena(better))
    assert "standings.jsonl" in names(tmp_path)
    judged(tmp_path, rows_of_systems(2), a_judge(reply))
    assert "standings.jsonl" not in names(tmp_path)
    assert results(tmp_path)["contests"] == {"answers": {}}


def test_the_bounds_stand_beside_the_mean(tmp_path: Path) -> None:
    judged(tmp_path, some_rows(2), a_judge(reply))
    assert results(tmp_path)["bounds"] == {"answers": {"llm_judge_accuracy": {"worst": 4.0, "best": 9.0}}}


def test_a_judge_for_whom_lower_is_better_is_said_to_be_one(tmp_path: Path) -> None:
    judged(tmp_path, some_rows(1), a_judge(reply, higher_is_better=False))
    assert results(tmp_path)["config"]["judges"]["llm_judge_accuracy"]["higher_is_better"] is False


def test_a_judge_without_details_has_no_file_and_one_without_a_name_none_in_it(tmp_path: Path) -> None:
    silent = a_judge(reply, "silent", save_details=False)
    unnamed = replace(a_judge(reply, "llm_judge"), named=False)
    judged(tmp_path, some_rows(1), silent, unnamed)
    assert set(results(tmp_path)["results"]["answers"]) == {"llm_judge_silent", "llm_judge"}
    (file,) = names(tmp_path) - {"results.json", "judgments.jsonl"}
    assert file.startswith("llm_judge_answers_reply-")


def test_the_same_again_keeps_the_names_and_a_change_replaces_the_set(tmp_path: Path) -> None:
    judge = a_judge(reply)
    judged(tmp_path, some_rows(3), judge)
    first, before = names(tmp_path), results(tmp_path)
    judged(tmp_path, some_rows(3), judge)
    assert (names(tmp_path), results(tmp_path)) == (first, before)
    judged(tmp_path, some_rows(4), judge)
    assert len(names(tmp_path)) == 3
    assert names(tmp_path) != first
    assert results(tmp_path)["timestamp"] > before["timestamp"]
    assert len(lines(tmp_path)) == 4
    assert set(results(tmp_path)["files"]) == names(tmp_path) - {"results.json"}


def test_another_threshold_of_a_gate_is_a_change(tmp_path: Path) -> None:
    judge = a_judge(reply)
    judged(tmp_path, some_rows(3), judge, gates={"accuracy.mean": ">= 7"})
    before = results(tmp_path)
    judged(tmp_path, some_rows(3), judge, gates={"accuracy.mean": ">= 6"})
    assert results(tmp_path)["timestamp"] > before["timestamp"]


def test_lines_follow_the_data_as_it_is_now(tmp_path: Path) -> None:
    judge = a_judge(reply)
    rows = some_rows(4)
    judged(tmp_path, rows[:3], judge)
    judged(tmp_path, [rows[3], rows[2], rows[0]], judge)
    assert [(line["idx"], line["prediction"]) for line in lines(tmp_path)] == [
        (0, "It is 4."),
        (1, "It is 3."),
        (2, "It is 1."),
    ]


def test_no_name_leads_out_of_the_folder_and_no_two_meet(tmp_path: Path) -> None:
    hostile = a_judge(reply, "//x/" + "y" * 300, model="m/" + "z" * 300)
    first, second = a_judge(reply, "a_b", model="c"), a_judge(reply, "a", model="b_c")
    judged(tmp_path, some_rows(1), hostile, first, second)
    made = names(tmp_path) - {"results.json", "judgments.jsonl"}
    assert len(made) == 3
    assert all(len(name) < 255 for name in made)
    assert {path.name for path in tmp_path.iterdir()} == {"answers.jsonl", "out"}


def test_results_that_are_none_of_ours_name_no_file_to_remove(tmp_path: Path) -> None:
    judge = a_judge(reply)
    judged(tmp_path, some_rows(1), judge)
    kept = tmp_path / "precious.jsonl"
    kept.write_text("x")
    for foreign in ("[]", "{", '{"timestamp": "../x", "files": [], "content": ""}', '{"timestamp": 3, "files": 4}'):
        (tmp_path / "out" / "results.json").write_text(foreign)
        judged(tmp_path, some_rows(1), judge)
    document = {**results(tmp_path), "files": ["../precious.jsonl", "run.db"], "content": "other"}
    (tmp_path / "out" / "results.json").write_text(json.dumps(document))
    judged(tmp_path, some_rows(1), judge)
    assert kept.exists()
    assert (tmp_path / "out" / "run.db").exists()


def test_a_failure_leaves_the_old_set_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = a_judge(reply)
    judged(tmp_path, some_rows(2), judge)
    before = {name: (tmp_path / "out" / name).read_bytes() for name in names(tmp_path)}

    def full(*_: object, **__: object) -> bytes:
        message = "no space left on device"
        raise OSError(message)

    monkeypatch.setattr(files, "page_line", full)
    with pytest.raises(StorageError):
        judged(tmp_path, some_rows(3), judge)
    assert {name: (tmp_path / "out" / name).read_bytes() for name in names(tmp_path)} == before


def test_a_prompt_that_could_not_be_sent_is_null(tmp_path: Path) -> None:
    rows = [{"id": "1", "question": "What is 1?", "response": "\ud800"}]
    judged(tmp_path, rows, a_judge(reply))
    (line,) = lines(tmp_path)
    assert (line["formatted_prompt"], line["score"], line["prediction"]) == (None, None, "\ufffd")
    assert line["error"].startswith("invalid_input: ")


def test_lines_are_written_as_they_stream_by(tmp_path: Path) -> None:
    judge = a_judge(lambda _: f"{'x' * 4000}\nScore: 8", "long")
    report = judged(tmp_path, some_rows(1000), judge)
    tracemalloc.start()
    write_files(report, [judge], task="answers", clock=CLOCK)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (file,) = (tmp_path / "out").glob("llm_judge_*.jsonl")
    assert file.stat().st_size > 4_000_000
    assert peak < 1_000_000
