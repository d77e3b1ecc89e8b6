"""The tables of docs/promises.md, one a page: rows of number, promise, and tests or a reason; no test is here."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "promises.md").read_text(encoding="utf-8")
NAMED_TEST = re.compile(r"`((?:cli/)?test_\w+\.py)::(test_\w+)`")
REASON = re.compile(r"differs, because \S|not yet: \S")


@dataclass(frozen=True)
class Table:
    """The table below one heading."""

    section: str

    @property
    def rows(self) -> list[list[str]]:
        """The cells of each row."""
        (_, told) = PAGE.split(f"## {self.section}\n")
        lines = told.partition("\n## ")[0].splitlines()
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d", line)]

    @property
    def texts(self) -> list[str]:
        """What stands in backticks, besides the names of tests."""
        return re.findall(r"`([^`]+)`", NAMED_TEST.sub("", " ".join(cell for row in self.rows for cell in row)))

    @property
    def quoted(self) -> str:
        """The same as one text."""
        return f" {' '.join(self.texts)} "


@cache
def written_tests(file: str) -> set[str]:
    """The tests in the one file of that name that the doors' promises are held by."""
    (path,) = [each for each in (TESTS / file, TESTS / "integrations" / file) if each.exists()]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {each.name for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")}
