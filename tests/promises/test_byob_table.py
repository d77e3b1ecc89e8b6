"""The table of NeMo Evaluator's judge page: each row is tested or says why not, and no name of the page is missing."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from gavelkit.integrations.nemo_byob import DEFAULT_SCORE_MAPPINGS, TEMPLATES, JudgeConfig

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "integrations"
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
SECTION = "What NeMo Evaluator's judge page promises, and the test of each"

NAMES = [
    "benchmark",
    "scorer",
    "ScorerInput",
    "judge_score",
    "parse_grade",
    "nemo_evaluator.contrib.byob",
    "nemo_evaluator.contrib.byob.judge",
]
ARGUMENTS = [
    "name",
    "dataset",
    "prompt",
    "extra",
    "sample",
    "template",
    "criteria",
    "grade_pattern",
    "score_mapping",
    "judge_key",
    "response_format",
    "template_kwargs",
    "my_criteria",
    "sample.config",
    "sample.metadata",
    "sample.response",
    "sample.target",
    "metadata",
]
OTHERS = [
    "judge_grade",
    "judge",
    "judge_1",
    "judge_2",
    "quality",
    "CALL_ERROR",
    "PARSE_ERROR",
    "GRADE",
    "NVIDIA_API_KEY",
    "os.environ",
    "json_object",
    "qa.jsonl",
    "{question}",
    "{response}",
    "{reference}",
    "{criteria}",
]

_TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
_REASON = re.compile(r"differs, because \S|not yet: \S")


def table() -> list[list[str]]:
    (_, told) = PAGE.split(f"## {SECTION}\n")
    lines = told.partition("\n## ")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d", line)]


@cache
def written_tests(file: str) -> set[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


def quoted() -> str:
    """What stands in backticks, besides the names of tests."""
    texts = re.findall(r"`([^`]+)`", _TEST.sub("", " ".join(cell for row in table() for cell in row)))
    return f" {' '.join(texts)} "


def test_the_rows_are_numbered_and_have_three_cells() -> None:
    assert [int(row[0]) for row in table()] == list(range(1, len(table()) + 1))
    assert {len(row) for row in table()} == {3}
    assert len({row[1] for row in table()}) == len(table()) > 40


def test_every_promise_has_a_test_or_says_how_it_differs_and_why() -> None:
    assert [row[0] for row in table() if not (_TEST.search(row[2]) or _REASON.search(row[2]))] == []


def test_a_cell_holds_nothing_but_tests_and_one_reason() -> None:
    for number, _promise, cell in table():
        rest = _TEST.sub("", cell).strip(", ;")
        assert not rest or _REASON.match(rest), f"row {number}: {rest}"


def test_every_test_that_is_named_exists() -> None:
    named = {found for row in table() for found in _TEST.findall(row[-1])}
    assert [name for file, name in named if name not in written_tests(file)] == []


@pytest.mark.parametrize("name", [*(each.name for each in fields(JudgeConfig)), *TEMPLATES])
def test_every_setting_and_every_template_has_a_row_of_its_own(name: str) -> None:
    assert [row for row in table() if row[1].startswith(f"`{name}`")]


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_row_of_a_template_names_its_grades(name: str) -> None:
    (row,) = (row for row in table() if row[1].startswith(f"`{name}` "))
    first, *_between, last = DEFAULT_SCORE_MAPPINGS[name]
    assert f"`{first}`" in row[1]
    assert f"`{last}`" in row[1]


@pytest.mark.parametrize("name", [*NAMES, *ARGUMENTS, *OTHERS])
def test_every_name_of_the_page_occurs(name: str) -> None:
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", quoted())
