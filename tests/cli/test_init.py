"""`gavel init`: two files to start from, and nothing of the user's written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from gavelkit.simulator import running_simulator

from .conftest import Gavel


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_it_writes_runs_as_it_is(gavel: Gavel, empty: Path) -> None:
    ended = gavel("init")
    assert (ended.code, ended.out) == (0, "")
    assert "answers.jsonl written: three invented rows" in ended.err
    assert "judge.yaml written; next: gavel simulate in another terminal, then gavel run judge.yaml" in ended.err
    with running_simulator() as simulator:
        text = (empty / "judge.yaml").read_text()
        (empty / "judge.yaml").write_text(text.replace("http://127.0.0.1:8010/v1", simulator.url))
        assert gavel("check", "judge.yaml").code == 0
        ended = gavel("run", "judge.yaml", "--json")
    assert (ended.code, ended.json["planned"], ended.json["finished"]) == (0, 3, True)


def test_it_writes_where_it_is_told(gavel: Gavel, empty: Path) -> None:
    (empty / "deep").mkdir()
    assert gavel("init", "deep/mine.yaml").code == 0
    assert sorted(path.name for path in (empty / "deep").iterdir()) == ["answers.jsonl", "mine.yaml"]
    assert "gavel run deep/mine.yaml" in (empty / "deep" / "mine.yaml").read_text()


def test_a_configuration_that_is_there_stays_unless_forced(gavel: Gavel, empty: Path) -> None:
    (empty / "judge.yaml").write_text("mine")
    ended = gavel("init")
    assert (ended.code, ended.out) == (2, "")
    assert "judge.yaml is there already; name another file, or write over it with --force" in ended.err
    assert (empty / "judge.yaml").read_text() == "mine"
    assert not (empty / "answers.jsonl").exists()
    assert gavel("init", "--force").code == 0
    assert "score_0_10" in (empty / "judge.yaml").read_text()


def test_rows_that_are_there_stay_always(gavel: Gavel, empty: Path) -> None:
    (empty / "answers.jsonl").write_text("mine")
    ended = gavel("init", "--force")
    assert "answers.jsonl is there already and stays as it is" in ended.err
    assert (empty / "answers.jsonl").read_text() == "mine"


def test_a_folder_that_is_not_there_is_told(gavel: Gavel, empty: Path) -> None:
    ended = gavel("init", "none/judge.yaml")
    assert ended.code == 2
    assert "none/judge.yaml: cannot be written: No such file or directory" in ended.err
