"""The examples run offline, from their folder and from the root, and print their results."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .pages import NO_NETWORK, ROOT

EXAMPLES = ROOT / "examples"
PROGRAMS = {
    "python_function.py": "scored: 2, failed: 1, of them unreadable: 1",
    "two_systems.py": "8 calls, error rate 0%",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy, so that runs leave nothing in ours."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    return tmp_path


def printed(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, **NO_NETWORK, "PYTHONWARNINGS": "error"}
    ended = subprocess.run(  # noqa: S603 - our own programs
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.suffix == ".py"} == set(PROGRAMS)
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir() and path.name != "__pycache__"} == {"recorded"}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("place", ["", "examples"])
def test_an_example_prints_its_result_wherever_it_is_started(checkout: Path, program: str, place: str) -> None:
    path = program if place else f"examples/{program}"
    assert PROGRAMS[program] in printed(checkout / place, path)


@pytest.mark.parametrize("place", ["", "examples", "examples/recorded"])
def test_recorded_replies_are_judged_wherever_the_command_is_typed(checkout: Path, place: str) -> None:
    configuration = os.path.relpath(checkout / "examples" / "recorded" / "judge.yaml", checkout / place)
    shown = printed(checkout / place, "-m", "gavelkit", "run", configuration, "--quiet")
    assert "failures: 1 parse_error" in shown
    assert shown.count("66.7 %") == 1


def test_the_tutorial_shows_the_files_of_the_example() -> None:
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    for name in ("answers.jsonl", "replies.jsonl"):
        assert (EXAMPLES / "recorded" / name).read_text(encoding="utf-8") in tutorial
