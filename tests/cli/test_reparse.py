"""`gavel reparse`: the stored replies read again, as the configuration says now, without a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.integrations.bench import Echo
from tests.makers import Counting, a_judge, some_rows

import gavelkit
from gavelkit.integrations.context_bench import AnswerQuality, evaluate

from .conftest import Gavel, configure, judged


@pytest.fixture
def run(gavel: Gavel, here: Path) -> Path:
    """A finished run whose replies are gone from their file."""
    assert gavel("run", "judge.yaml").code == 0
    (here / "replies.jsonl").write_text("")
    return here


def counts(document: Any) -> dict[str, int]:
    return {name: count for name, count in document["judges"][0]["counts"].items() if count}


def test_nothing_changes_where_nothing_changed(gavel: Gavel, run: Path) -> None:
    ended = gavel("reparse", "--json")
    assert ended.code == 0
    assert counts(ended.json) == {"ok": 10}
    assert "stored replies were read again, without a call: accuracy" in ended.err


def test_the_runs_own_configuration_is_read_as_it_is_now(gavel: Gavel, run: Path) -> None:
    configure(run, judges=judged(scale=[0, 6]))
    ended = gavel("reparse", "out", "--json", "--quiet")
    assert counts(ended.json) == {"ok": 6, "out_of_range": 4}
    assert ended.err == ""
    assert gavel("report", "out", "--format", "json").json["metrics"][0]["value"] == 3.5


def test_another_configuration_can_be_named(gavel: Gavel, run: Path) -> None:
    configure(run, judges=judged(scale=[0, 6], clamp=True))
    (run / "judge.yaml").rename(run / "other.yaml")
    assert counts(gavel("reparse", "out", "--config", "other.yaml", "--json").json) == {"ok": 10}


def test_without_the_file_the_record_knows_the_configuration(gavel: Gavel, run: Path) -> None:
    (run / "judge.yaml").unlink()
    assert counts(gavel("reparse", "out", "--json").json) == {"ok": 10}


def test_flags_of_the_run_still_hold(gavel: Gavel, run: Path) -> None:
    gavel("run", "judge.yaml", "--threshold", "4")
    assert gavel("reparse", "out", "--json").json["judges"][0]["threshold"] == 4


def test_another_question_is_refused(gavel: Gavel, run: Path) -> None:
    configure(run, judges=judged(system_prompt="Be fair."))
    ended = gavel("reparse", "out")
    assert (ended.code, ended.out) == (2, "")
    assert "asks something else" in ended.err


def test_a_run_from_python_needs_a_configuration(gavel: Gavel, here: Path) -> None:
    gavelkit.evaluate(some_rows(3), a_judge(Counting()), output=here / "python")
    ended = gavel("reparse", "python")
    assert ended.code == 2
    assert "the run was made from Python and names no configuration; give one with --config" in ended.err


def test_a_run_read_by_code_is_run_again_instead(gavel: Gavel, here: Path) -> None:
    kept = evaluate([Echo()], [{"answer": "a"}], [AnswerQuality()], progress=False, cache_dir=here / "python")
    ended = gavel("reparse", kept.config["folder"])
    assert ended.code == 2
    assert "the replies are read by code (answer_quality)" in ended.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [(["nowhere"], 5, "there is no run here"), (["out", "--config", "none.yaml"], 2, "none.yaml: cannot be read")],
)
def test_what_is_not_there_is_told(gavel: Gavel, run: Path, arguments: list[str], code: int, words: str) -> None:
    ended = gavel("reparse", *arguments)
    assert ended.code == code
    assert words in ended.err
