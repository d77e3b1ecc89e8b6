"""Where a run lies: the same command finds the same folder, and `latest` the last run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.makers import a_judge

from gavelkit.core.errors import StorageError
from gavelkit.core.event import Committed, Planned
from gavelkit.run import default_folder, find_run, next_free, pointing
from gavelkit.run.folder import point_latest

JUDGE = a_judge(str)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def a_run(folder: str) -> Path:
    path = Path(folder)
    path.mkdir(parents=True)
    (path / "run.db").touch()
    return path


def test_a_folder_is_named_for_the_run_and_what_it_asks() -> None:
    folder = default_folder("my answers/2", [JUDGE], {}, "data.jsonl")
    assert folder.parent == Path("runs")
    assert re.fullmatch(r"my-answers__2-[0-9a-f]{8}-[0-9a-f]{8}", folder.name)
    assert folder == default_folder("my answers/2", [a_judge(str, threshold=5.0)], {}, "data.jsonl")


@pytest.mark.parametrize(
    ("judges", "mapping", "data"),
    [
        ([a_judge(str, model="other")], {}, "data.jsonl"),
        ([JUDGE, a_judge(str, "tone")], {}, "data.jsonl"),
        ([JUDGE], {"question": "q"}, "data.jsonl"),
        ([JUDGE], {}, "other.jsonl"),
    ],
)
def test_what_asks_otherwise_lies_elsewhere(judges: list[object], mapping: dict[str, str], data: str) -> None:
    assert default_folder("x", judges, mapping, data) != default_folder("x", [JUDGE], {}, "data.jsonl")  # type: ignore[arg-type] # judges


def test_the_next_free_folder_counts_up_from_two() -> None:
    assert next_free(Path("runs/a")) == Path("runs/a")
    a_run("runs/a")
    assert next_free(Path("runs/a")) == Path("runs/a-2")
    a_run("runs/a-2")
    assert next_free(Path("runs/a")) == Path("runs/a-3")


def test_latest_leads_to_the_last_run_wherever_it_lies() -> None:
    for folder in ("runs/a", "elsewhere/b"):
        point_latest(a_run(folder))
        assert find_run(None) == Path(folder)
    assert sorted(each.name for each in Path("runs").iterdir()) == ["a", "latest"]


def test_a_file_of_the_users_called_latest_stays() -> None:
    Path("runs").mkdir()
    Path("runs/latest").write_text("mine")
    point_latest(a_run("runs/a"))
    assert Path("runs/latest").read_text() == "mine"
    assert sorted(each.name for each in Path("runs").iterdir()) == ["a", "latest"]


def test_without_links_there_is_no_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(Path, "symlink_to", refuse)
    point_latest(a_run("runs/a"))
    assert not Path("runs/latest").exists()


def test_latest_moves_only_once_the_run_is_open() -> None:
    seen: list[object] = []
    observe = pointing(seen.append, a_run("runs/a"))
    observe(Committed(()))
    assert not Path("runs/latest").exists()
    observe(Planned(1, 0, 0.0))
    assert find_run(None).name == "a"
    assert seen == [Committed(()), Planned(1, 0, 0.0)]


def test_a_run_that_is_named_is_used() -> None:
    a_run("runs/a")
    assert find_run("runs/a") == Path("runs/a")
    with pytest.raises(StorageError, match=r"nowhere: there is no run here \(run.db is missing\)"):
        find_run("nowhere")
    with pytest.raises(StorageError, match="runs/latest: there is no run yet; name a run's folder"):
        find_run(None)
