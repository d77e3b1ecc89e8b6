"""The table of unitxt's page: each row is tested or says why not, and no name of the page is missing."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from gavelkit.integrations.unitxt import LLMJudge

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "integrations"
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
SECTION = "What unitxt's judge page promises, and the test of each"

NAMES = ["LLMJudge", "LLMJudgeDirect", "LLMJudgePairwise", "BulkInstanceMetric", "Criteria", "CriteriaWithOptions"]
METHODS = [
    "before_process_multi_stream",
    "clean_results",
    "compute",
    "get_contexts",
    "get_criteria",
    "perform_evaluation_step",
    "prepare",
]
ARGUMENTS = [
    "references",
    "predictions",
    "task_data",
    "eval_count",
    "instances",
    "task",
    "template",
    "previous_messages",
]
DIRECT_KEYS = [
    "score",
    "positional_bias",
    "selected_option",
    "positional_bias_selected_option",
    "assessment",
    "positional_bias_assessment",
    "summary",
    "positional_bias_summary",
    "prompts",
    "summarization",
    "option_selection",
    "positional_bias_option_selection",
    "posional_bias_option_selection",
    "option_selection_completion",
    "positional_bias_option_selection_completion",
    "role",
    "content",
    "__type__",
    "answer_relevance_using_granite3.0-2b_litellm",
]
EXAMPLE_KEYS = [
    "positional_bias",
    "selected_option",
    "positional_bias_selected_option",
    "assessment",
    "positional_bias_assessment",
    "summary",
    "positional_bias_summary",
    "prompts",
    "option_selection_completion",
    "positional_bias_option_selection_completion",
    "criteria",
]
CONTEST_KEYS = [
    "summaries",
    "contest_results",
    "selections",
    "compared_to",
    "assessments",
    "positional_bias_assessments",
    "option_selection_outputs",
    "positional_bias_selection",
    "winrate",
    "llm_as_judge",
    "ranking",
    "response_name",
    "system1",
    "system2",
    "system3",
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
    assert len({row[1] for row in table()}) == len(table()) > 90


def test_every_promise_has_a_test_or_says_how_it_differs_and_why() -> None:
    assert [row[0] for row in table() if not (_TEST.search(row[2]) or _REASON.search(row[2]))] == []


def test_a_cell_holds_nothing_but_tests_and_one_reason() -> None:
    for number, _promise, cell in table():
        rest = _TEST.sub("", cell).strip(", ;")
        assert not rest or _REASON.match(rest), f"row {number}: {rest}"


def test_every_test_that_is_named_exists() -> None:
    named = {found for row in table() for found in _TEST.findall(row[-1])}
    assert [name for file, name in named if name not in written_tests(file)] == []


@pytest.mark.parametrize("name", [each.name for each in fields(LLMJudge)])
def test_every_keyword_of_the_page_has_a_row_of_its_own(name: str) -> None:
    assert [row for row in table() if row[1].startswith(f"`{name}`")]


@pytest.mark.parametrize("name", [*NAMES, *METHODS, *ARGUMENTS, *DIRECT_KEYS, *CONTEST_KEYS])
def test_every_name_of_the_page_occurs(name: str) -> None:
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", quoted())


@pytest.mark.parametrize("name", EXAMPLE_KEYS)
def test_every_key_of_the_pages_example_occurs(name: str) -> None:
    assert f" answer_relevance_{name} " in quoted()
