"""docs/security.md: every claim names tests, and every test that it names is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "security.md"
_TEST = re.compile(r"`((?:\w+/)?test_\w+\.py)::(test_\w+)`")


def claims() -> list[tuple[str, str]]:
    """Each row of the page's tables of claims: what is claimed, and what stands beside it."""
    tables = re.findall(
        r"^\| claim \| test \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    rows = (line.strip("| ").split(" | ") for table in tables for line in table.splitlines())
    return [(claim, beside) for claim, beside in rows]


@cache
def written(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_there_are_claims() -> None:
    assert len(claims()) > 40


@pytest.mark.parametrize(("claim", "beside"), claims())
def test_a_claim_is_held_by_tests_that_are_there(claim: str, beside: str) -> None:
    named = _TEST.findall(beside)
    assert named, claim
    assert [f"{file}::{name}" for file, name in named if name not in written(file)] == []
    assert _TEST.sub("", beside).strip(", ") == ""


def test_every_test_of_this_folder_is_named() -> None:
    named = set(_TEST.findall(PAGE.read_text(encoding="utf-8")))
    here = {
        (f"security/{path.name}", name)
        for path in Path(__file__).parent.glob("test_*.py")
        if path != Path(__file__)
        for name in written(f"security/{path.name}")
        if name.startswith("test_")
    }
    assert here - named == set()
