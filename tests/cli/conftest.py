"""What the command line's tests share: a folder with rows, replies and a configuration, and a way to run a command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.makers import TEMPLATE, some_rows, write_rows

from gavelkit.cli.main import main

CONFIGURATION = {
    "data": "answers.jsonl",
    "judges": [{"name": "accuracy", "prompt_template": TEMPLATE, "scale": [0, 10], "replies": "replies.jsonl"}],
    "run": {"output": "out"},
}


@dataclass(frozen=True)
class Ended:
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its results, read as JSON."""
        return json.loads(self.out)


Gavel = Callable[..., Ended]


@pytest.fixture
def gavel(capsys: pytest.CaptureFixture[str]) -> Gavel:
    """Run a command in this process, as a shell would."""

    def run(*arguments: str) -> Ended:
        capsys.readouterr()
        try:
            code = main(list(arguments))
        except SystemExit as ending:
            code = int(ending.code or 0)
        found = capsys.readouterr()
        return Ended(code, found.out, found.err)

    return run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in: ten rows, a recorded reply to each, and `judge.yaml`, which judges them."""
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "answers.jsonl", some_rows(10))
    replies(tmp_path)
    configure(tmp_path)
    return tmp_path


def configure(folder: Path, **changes: Any) -> None:
    """Write `judge.yaml`; JSON is YAML."""
    (folder / "judge.yaml").write_text(json.dumps({**CONFIGURATION, **changes}))


def judged(**settings: Any) -> list[dict[str, Any]]:
    """The configuration's judges with these settings."""
    (judge,) = CONFIGURATION["judges"]
    assert isinstance(judge, dict)
    return [{**judge, **settings}]


def replies(folder: Path, *, bad: int = 0, judge: str = "accuracy") -> None:
    """A reply to every row, the first few of them unreadable."""
    lines = [
        {"example_id": f"r{n}", "judge": judge, "reply": "no idea" if n <= bad else f"Fine.\nScore: {n % 11}"}
        for n in range(1, 11)
    ]
    (folder / "replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
