"""The table of promises: each row is tested or says why not, each test is in it, and no name of the page is missing."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from gavelkit.config.task_file import SETTINGS

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "promises.md").read_text(encoding="utf-8")
SECTION = "What the llm_judge metric's page promises, and the test of each"

PARAMETERS = [
    "metric",
    "aggregation",
    "higher_is_better",
    "name",
    "api_base",
    "model",
    "api_key",
    "temperature",
    "max_tokens",
    "concurrency",
    "save_details",
    "retry_attempts",
    "retry_min_wait",
    "retry_max_wait",
    "max_error_rate",
    "preflight_check",
    "prompt_template",
    "response_format",
    "score_field",
    "include",
    "metric_list",
    "metadata.extra_llm_judge_fields",
    "doc_to_target",
    "process_results",
]
FLAGS = ["--run_llm_judge", "--output_path", "--limit", "--tasks"]
VARIABLES = [
    "LLM_JUDGE_API_BASE",
    "LLM_JUDGE_API_KEY",
    "LLM_JUDGE_MODEL",
    "OPENAI_API_KEY",
    "LLM_JUDGE_ACCURACY_API_BASE",
    "LLM_JUDGE_ACCURACY_API_KEY",
    "LLM_JUDGE_ACCURACY_MODEL",
    "LOGLEVEL",
]
IN_TEMPLATES = [
    "Score: X.XX",
    "{{ prediction }}",
    "{{ reference }}",
    "{{ doc }}",
    "{{ doc.field_name }}",
    "{{ doc.field }}",
    "{{ doc[source_field] }}",
    "{{ response_format }}",
    "{% if reference %}",
]
FILES = [
    "model_name_sanitized",
    "results_<timestamp>.json",
    "samples_<task>_<timestamp>.jsonl",
    "llm_judge_<task>_<judge_model>_<timestamp>.jsonl",
    "llm_judge_<task>_<name>_<judge_model>_<timestamp>.jsonl",
    "llm_judge_*.jsonl",
]
KEYS = [
    "llm_judge",
    "llm_judge_accuracy",
    "llm_judge_fluency",
    "idx",
    "score",
    "judgment_raw",
    "judgment_parsed",
    "explanation",
    "formatted_prompt",
    "prediction",
    "reference",
    "error",
    "json_schema",
    "type",
]
OTHERS = [
    "openai",
    "jinja2",
    "tqdm",
    "tenacity",
    "genson",
    "llm_judge_fn",
    "llm_judge_agg",
    "exact_match",
    "bleu",
    "chrf",
    "lm-eval",
    "gpt-4",
]

_TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
_REASON = re.compile(r"differs, because \S|not yet: \S")


def table() -> list[list[str]]:
    (_, told) = PAGE.split(f"## {SECTION}\n")
    lines = told.partition("\n## ")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d", line)]


def written_tests(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
    return {name for name in found if name.startswith("test_")}


def named() -> set[tuple[str, str]]:
    return {(file, name) for row in table() for file, name in _TEST.findall(row[-1])}


def test_the_rows_are_numbered_and_have_three_cells() -> None:
    assert [int(row[0]) for row in table()] == list(range(1, len(table()) + 1))
    assert {len(row) for row in table()} == {3}
    assert len({row[1] for row in table()}) == len(table()) > 100


def test_every_promise_has_a_test_or_says_how_it_differs_and_why() -> None:
    assert [row[0] for row in table() if not (_TEST.search(row[2]) or _REASON.search(row[2]))] == []


def test_a_cell_holds_nothing_but_tests_and_one_reason() -> None:
    for number, _promise, cell in table():
        rest = _TEST.sub("", cell).strip(", ;")
        assert not rest or _REASON.match(rest), f"row {number}: {rest}"


@pytest.mark.parametrize("file", ["test_llm_judge.py"])
def test_every_test_that_is_named_exists_and_every_test_is_named(file: str) -> None:
    assert {name for where, name in named() if where == file} == written_tests(HERE / file)


def test_no_test_of_another_file_is_named() -> None:
    assert {where for where, _ in named()} == {"test_llm_judge.py"}


def quoted() -> set[str]:
    """What stands in backticks, besides the names of tests."""
    return set(re.findall(r"`([^`]+)`", _TEST.sub("", " ".join(cell for row in table() for cell in row))))


@pytest.mark.parametrize("name", [*PARAMETERS, *VARIABLES, *IN_TEMPLATES, *FILES, *KEYS])
def test_every_name_of_the_page_occurs(name: str) -> None:
    assert name in quoted() | {each.partition("=")[0] for each in quoted()}


@pytest.mark.parametrize("name", [*FLAGS, *OTHERS])
def test_every_flag_and_package_of_the_page_occurs(name: str) -> None:
    assert any(name in each.split() for each in quoted())


def test_every_setting_that_a_task_file_takes_is_on_the_page() -> None:
    assert set(PARAMETERS) >= SETTINGS
