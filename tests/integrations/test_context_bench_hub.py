"""The hub's datasets, with a stand-in for the package `datasets`: what is asked for, and what becomes of the rows."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gavelkit.core.errors import DataError, UsageError
from gavelkit.integrations.context_bench_hub import hub_datasets, hub_rows

Stand = Callable[..., list[tuple[object, ...]]]

ROWS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "alpaca-eval": ({"instruction": "q", "output": "a", "generator": "g"}, {"question": "q", "answer": "a"}),
    "arc-challenge": (
        {"id": "x", "question": "q", "choices": {"text": ["no", "yes"], "label": ["1", "2"]}, "answerKey": "2"},
        {"id": "x", "answer": "yes", "correct_letter": "B", "context": "q\n\nA) no\nB) yes"},
    ),
    "bbh": ({"input": "q", "target": "a"}, {"question": "q", "answer": "a", "context": "q"}),
    "dialogsum": ({"id": "x", "dialogue": "d", "summary": "a"}, {"answer": "a", "context": "d"}),
    "drop": (
        {"query_id": "x", "passage": "p", "question": "q", "answers_spans": {"spans": ["a", "b"], "types": []}},
        {"id": "x", "question": "q", "answer": "a", "context": "p"},
    ),
    "frames": ({"Prompt": "q", "Answer": "a"}, {"question": "q", "answer": "a"}),
    "govreport": ({"report": "r", "summary": "a"}, {"answer": "a", "context": "r"}),
    "gsm8k": ({"question": "q", "answer": "1 + 1 = 2\n#### 2"}, {"question": "q", "answer": "2", "context": "q"}),
    "hotpotqa": (
        {
            "id": "x",
            "question": "q",
            "answer": "a",
            "context": {"title": ["One", "Two"], "sentences": [["It is. ", "So."], ["Else."]]},
        },
        {"id": "x", "answer": "a", "context": "One: It is. So.\nTwo: Else."},
    ),
    "longbench": ({"input": "q", "context": "c", "answers": ["a"]}, {"question": "q", "answer": "a", "context": "c"}),
    "mgsm": ({"question": "q", "answer": None, "answer_number": 18}, {"question": "q", "answer": "18"}),
    "mmlu": (
        {"question": "q", "choices": ["w", "x", "y", "z"], "answer": 2, "subject": "s"},
        {"answer": "y", "correct_letter": "C", "choices": ["w", "x", "y", "z"]},
    ),
    "mt-bench": (
        {"prompt_id": 7, "prompt": ["p", "q"], "reference": [], "category": "c"},
        {"id": 7, "question": "q", "answer": "", "context": "p", "multi_turn": True},
    ),
    "natural-questions": ({"question": "q", "answer": ["a", "b"]}, {"question": "q", "answer": "a", "context": "q"}),
    "squad": (
        {"id": "x", "question": "q", "context": "c", "answers": {"text": ["a"], "answer_start": [0]}},
        {"id": "x", "question": "q", "answer": "a", "context": "c"},
    ),
    "triviaqa": (
        {
            "question_id": "x",
            "question": "q",
            "answer": {"value": "a"},
            "search_results": {"search_context": ["c", "", "d"]},
        },
        {"id": "x", "question": "q", "answer": "a", "context": "c\nd"},
    ),
    "truthfulqa": ({"question": "q", "best_answer": "a"}, {"question": "q", "answer": "a", "context": "q"}),
}
"""A row of each dataset in the form that the hub has it, and some of what it becomes."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Stand:
    """Puts rows where the package would load them from, and keeps what was asked for."""

    def stand(*rows: dict[str, Any]) -> list[tuple[object, ...]]:
        asked: list[tuple[object, ...]] = []

        def load_dataset(path: str, name: str | None = None, *, split: str) -> list[dict[str, Any]]:
            asked.append((path, name, split))
            return list(rows)

        monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
        return asked

    return stand


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_each_dataset_becomes_a_row_of_context_bench(name: str, hub: Stand) -> None:
    given, becomes = ROWS[name]
    hub(given)
    (row,) = hub_rows(name)
    assert {key: row[key] for key in becomes} == becomes
    assert row.keys() >= {"id", "question", "answer", "context"}
    assert all(isinstance(row[key], str) for key in ("question", "answer", "context"))
    assert row["question"]


def test_every_dataset_of_the_list_is_tested_and_named_in_the_documentation() -> None:
    assert hub_datasets().keys() == ROWS.keys()
    page = (Path(__file__).parents[2] / "docs" / "context-bench.md").read_text(encoding="utf-8")
    listed, _, takers = page.partition("The hub's names: ")[2].partition(" take a config")[0].partition(". ")
    assert re.findall("`(.+?)`", listed) == sorted(ROWS)
    assert re.findall("`(.+?)`", takers) == sorted(name for name, each in hub_datasets().items() if each.configs)


def test_path_config_and_split_are_those_of_the_list(hub: Stand) -> None:
    asked = hub(ROWS["gsm8k"][0])
    list(hub_rows("gsm8k"))
    list(hub_rows("squad", 0))
    assert asked == [("openai/gsm8k", "main", "test"), ("rajpurkar/squad", None, "validation")]


def test_a_config_is_the_users_where_there_is_a_choice(hub: Stand) -> None:
    asked = hub(ROWS["mmlu"][0])
    list(hub_rows("mmlu", config="anatomy"))
    assert asked == [("cais/mmlu", "anatomy", "test")]


def test_a_config_without_a_choice_is_refused(hub: Stand) -> None:
    hub()
    with pytest.raises(UsageError, match="'squad' has no configs to choose from; these have: bbh, longbench, mgsm, mm"):
        list(hub_rows("squad", config="x"))


def test_rows_are_numbered_and_no_more_than_asked_for(hub: Stand) -> None:
    hub(*[ROWS["bbh"][0]] * 3)
    assert [row["id"] for row in hub_rows("bbh", 2)] == [0, 1]


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UsageError, match="'squad' is loaded from the hub by a package more: pip install datasets"):
        list(hub_rows("squad"))


def test_what_the_package_cannot_load_is_said_in_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_dataset(*_given: object, **_named: object) -> None:
        message = "dataset scripts are no longer supported"
        raise RuntimeError(message)

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    with pytest.raises(DataError, match=r"^squad: rajpurkar/squad cannot be loaded: dataset scripts .*; a file of its"):
        list(hub_rows("squad"))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("squad", {"question": "q"}),
        ("mmlu", {"question": "q", "choices": ["a"], "answer": 4}),
        ("mmlu", {"question": "q", "choices": ["a"], "answer": None}),
        ("arc-challenge", {"id": 1, "question": "q", "choices": {"text": ["a"], "label": ["A"]}, "answerKey": "E"}),
    ],
)
def test_a_row_with_other_columns_is_an_error_and_no_empty_answer(name: str, row: dict[str, Any], hub: Stand) -> None:
    hub(row)
    with pytest.raises(DataError, match=f"^{name}: row 0: its columns are no longer those of the list: "):
        list(hub_rows(name))
