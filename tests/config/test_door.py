"""`evaluate` from Python: what it takes and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.makers import Counting, a_judge, some_rows, write_rows

import gavelkit
from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.event import Event
from gavelkit.run import find_run


def test_a_file_by_its_path_or_its_name_or_rows_of_any_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_rows(tmp_path / "a.jsonl", some_rows(3))
    for data in (path, str(path), some_rows(3), tuple(some_rows(3)), iter(some_rows(3))):
        assert gavelkit.evaluate(data, a_judge(Counting())).planned == 3


def test_a_files_run_lies_under_runs_and_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "answers.jsonl", some_rows(3))
    counting = Counting()
    first = gavelkit.evaluate("answers.jsonl", a_judge(counting))
    assert first.folder.startswith("runs/answers-")
    assert find_run(None) == Path(first.folder)
    assert gavelkit.evaluate("answers.jsonl", a_judge(counting)) == first
    assert len(counting.prompts) == 3


def test_a_mapping_names_what_a_row_holds_where(tmp_path: Path) -> None:
    counting = Counting()
    rows = [{"doc": {"q": "What is 4?"}, "resps": ["It is 4."]}]
    report = gavelkit.evaluate(rows, a_judge(counting), map={"question": "doc.q", "response": "resps[0]"})
    assert report.metric("accuracy").value == 4
    assert "A: It is 4." in counting.prompts[0]


def test_whoever_observes_hears_of_it(tmp_path: Path) -> None:
    events: list[Event] = []
    gavelkit.evaluate(some_rows(3), a_judge(Counting()), output=tmp_path, observe=events.append)
    assert len(events) >= 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"repeat": 0}, "evaluate: repeat must be a whole number from 1 to 256, not 0"),
        ({"on_failure": "skip"}, "evaluate: on_failure must be one of"),
        ({"limt": 3}, "evaluate: there is no setting 'limt'; did you mean limit?"),
        ({"concurrency": 3}, "evaluate: there is no setting 'concurrency'"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        gavelkit.evaluate(some_rows(1), a_judge(Counting()), **options)
    assert words in str(caught.value)


def test_two_judges_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="evaluate: two judges are called 'accuracy' and 'accuracy'"):
        gavelkit.evaluate(some_rows(1), [a_judge(str), a_judge(str)])


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(DataError, match="there is no such file"):
        gavelkit.evaluate("none.jsonl", a_judge(str))


def test_gates_are_what_the_run_must_reach() -> None:
    kept = gavelkit.evaluate(some_rows(3), a_judge(Counting()), gates={"accuracy.mean": "== 2", "accuracy.n": "> 2"})
    assert [gate.passed for gate in kept.gates] == [True, True]
    with pytest.raises(gavelkit.RunFailed, match=r"^gate accuracy\.mean > 2: 2 \(interval .*\)$") as failed:
        gavelkit.evaluate(some_rows(3), a_judge(Counting()), gates={"accuracy.mean": "> 2"})
    assert [gate.value for gate in failed.value.report.gates] == [2.0]
    counting = Counting()
    with pytest.raises(ConfigError, match="did you mean accuracy"):
        gavelkit.evaluate(some_rows(3), a_judge(counting), gates={"acuracy.mean": "> 2"})
    assert counting.prompts == []


def test_a_gate_on_a_system_of_rows_that_are_read_once_is_judged_at_the_end() -> None:
    with pytest.raises(gavelkit.RunFailed, match=r"no value: there is no judgment of accuracy\[b\]"):
        gavelkit.evaluate(iter(some_rows(3)), a_judge(Counting()), gates={"accuracy[b].mean": "> 2"})
