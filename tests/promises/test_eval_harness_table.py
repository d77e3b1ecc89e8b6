"""The table of eval_harness's page: each row is tested or says how it differs, and no name of the page is missing."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = {
    "test_eval_harness.py": ROOT / "tests" / "integrations" / "test_eval_harness.py",
    "test_calibration.py": ROOT / "tests" / "test_calibration.py",
}
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
SECTION = "What eval_harness's judge page promises, and the test of each"

NAMES = [
    "DEFAULT_THRESHOLD",
    "DEFAULT_MODEL",
    "RUBRIC_PROMPT",
    "JudgeParseError",
    "_parse_judge_response",
    "LLMJudgeScorer",
    "Scorer",
    "ScoreResult",
    "OllamaProvider",
    "build_prompt",
    "score",
    "generate",
    "eval_harness.scorers.judge",
    "eval_harness.scorers.base",
    "eval_harness.providers.ollama",
    "procedural_001",
    "data/human_labels.yaml",
    "tests/test_calibration.py",
]
ARGUMENTS = [
    "threshold",
    "judge_fn",
    "model",
    "timeout",
    "temperature",
    "raw",
    "question",
    "output",
    "expected",
]
KEYS = ["reasoning", "correctness", "relevance", "passed", "reason", "name", "judge"]

_TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
_REASON = re.compile(r"differs, because \S|not yet: \S")


def table() -> list[list[str]]:
    (_, told) = PAGE.split(f"## {SECTION}\n")
    lines = told.partition("\n## ")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d", line)]


@cache
def written_tests(file: str) -> set[str]:
    tree = ast.parse(FILES[file].read_text(encoding="utf-8"))
    return {each.name for each in tree.body if isinstance(each, ast.FunctionDef) and each.name.startswith("test_")}


def test_the_rows_are_numbered_and_have_three_cells() -> None:
    assert [int(row[0]) for row in table()] == list(range(1, len(table()) + 1))
    assert {len(row) for row in table()} == {3}
    assert len({row[1] for row in table()}) == len(table()) > 35


def test_every_promise_has_a_test_or_says_how_it_differs_and_why() -> None:
    assert [row[0] for row in table() if not (_TEST.search(row[2]) or _REASON.search(row[2]))] == []


def test_a_cell_holds_nothing_but_tests_and_one_reason() -> None:
    for number, _promise, cell in table():
        rest = _TEST.sub("", cell).strip(", ;")
        assert not rest or _REASON.match(rest), f"row {number}: {rest}"


def test_every_test_that_is_named_exists() -> None:
    named = {found for row in table() for found in _TEST.findall(row[-1])}
    assert [name for file, name in named if name not in written_tests(file)] == []


@pytest.mark.parametrize("name", [*NAMES, *ARGUMENTS, *KEYS])
def test_every_name_of_the_page_occurs(name: str) -> None:
    quoted = " ".join(re.findall(r"`([^`]+)`", _TEST.sub("", " ".join(cell for row in table() for cell in row))))
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", quoted)
