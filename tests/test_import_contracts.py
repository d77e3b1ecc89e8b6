"""Each import contract catches the import it is there for, and lets the package as it is pass."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = Path(sys.executable).with_name("lint-imports")

BREAKS = {
    "the flow's layers, one way": ("core/slot.py", "from gavelkit.run import settings"),
    "no circles inside a room": ("parsing/number.py", "from gavelkit.parsing import rating"),
    "judges reach prompts, parsing and core": ("judges/verdict.py", "from gavelkit.storage import schema"),
    "systems reach prompts and core": ("systems/__init__.py", "from gavelkit.parsing import score"),
    "the simulator reaches catalog, parsing and core": ("simulator/scale.py", "from gavelkit.engines import clock"),
}
"""For each contract a file and an import that breaks it."""

SIDEWAYS = [
    ("stats/moments.py", "from gavelkit.reports import figures"),
    ("engines/clock.py", "from gavelkit.storage import schema"),
    ("simulator/scale.py", "from gavelkit.config import schema"),
]
"""Imports between rooms of one line, which never import each other."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder that holds the contracts and the package's Python files, and nothing else."""
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    shutil.copytree(
        ROOT / "src" / "gavelkit",
        tmp_path / "gavelkit",
        ignore=lambda folder, names: [
            name for name in names if name == "__pycache__" or not (name.endswith(".py") or Path(folder, name).is_dir())
        ],
    )
    return tmp_path


def lint(folder: Path) -> tuple[int, str]:
    """The exit code and what was written, about the package in this folder and no other."""
    ended = subprocess.run(  # noqa: S603 - a tool of ours
        [LINT, "--no-cache"], cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout + ended.stderr


def plant(folder: Path, name: str, line: str) -> None:
    path = folder / "gavelkit" / name
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")


def broken(shown: str) -> set[str]:
    return set(re.findall(r"^(.*\S) BROKEN", shown, re.MULTILINE))


def test_every_contract_has_an_import_that_breaks_it() -> None:
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert [contract["name"] for contract in configured["tool"]["importlinter"]["contracts"]] == list(BREAKS)


def test_the_package_as_it_is_keeps_every_contract(copy: Path) -> None:
    code, shown = lint(copy)
    assert (code, broken(shown)) == (0, set()), shown
    assert f"Contracts: {len(BREAKS)} kept, 0 broken." in shown


@pytest.mark.parametrize("contract", BREAKS)
def test_a_breaking_import_is_caught_by_its_contract(copy: Path, contract: str) -> None:
    plant(copy, *BREAKS[contract])
    code, shown = lint(copy)
    assert code == 1, shown
    assert contract in broken(shown), shown


@pytest.mark.parametrize(("name", "line"), SIDEWAYS)
def test_rooms_of_one_line_do_not_import_each_other(copy: Path, name: str, line: str) -> None:
    plant(copy, name, line)
    code, shown = lint(copy)
    assert code == 1, shown
    assert "the flow's layers, one way" in broken(shown)


def test_a_new_room_needs_its_place(copy: Path) -> None:
    (copy / "gavelkit" / "attic").mkdir()
    (copy / "gavelkit" / "attic" / "__init__.py").write_text(
        '"""Nobody said where this belongs."""\n', encoding="utf-8"
    )
    code, shown = lint(copy)
    assert code != 0
    assert "attic" in shown
