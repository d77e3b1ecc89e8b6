"""An evaluation as Markdown, JSON, JSON Lines and a table: its figures, its rows, and its judge's failures aloud."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.integrations.context_bench import (
    EvalResult,
    EvalRow,
    to_html,
    to_json,
    to_jsonl,
    to_markdown,
    to_table,
)
from gavelkit.reports.terminal import cells, printable

ROWS = [
    EvalRow("mine", 1, {"judge_score": 0.75}, 10, 4, {"judge_status": "ok"}),
    EvalRow("mine", 2, {"judge_score": 0.0}, 10, 4, {"judge_status": "parse_error", "judge_error": "no digit"}),
    EvalRow("other", 1, {"judge_score": 1.0}, 10, 4, {"judge_status": "ok"}),
]
RESULT = EvalResult(
    ROWS,
    {"mine": {"mean_score": 0.375, "cost_of_pass": math.inf, "num_passing": 0.0}, "other": {"mean_score": 1.0}},
    {"mine": 1.0, "other": 2.5},
    {"num_examples": 2},
)
UNJUDGED = EvalResult([EvalRow("mine", 1, {"f1": 0.5}, 1, 1)], {"mine": {"mean_score": 0.5}})
TOLD = "the judge failed on 1 of 2 rows (1 parse_error)"


def test_markdown_has_a_row_for_each_system_and_a_column_for_each_figure() -> None:
    assert to_markdown(RESULT).splitlines() == [
        "# Evaluation results",
        "",
        "| System | mean_score | cost_of_pass | num_passing |",
        "| --- | ---: | ---: | ---: |",
        "| mine | 0.3750 | inf | 0 |",
        "| other | 1.0000 | - | - |",
        "",
        (
            f"**mine: {TOLD}; a judge_score of 0 there is no rating, and the mean of the others is 0.7500. "
            "First example 2: no digit**"
        ),
        "",
        "- 2 examples",
        "- mine: 1.00 s",
        "- other: 2.50 s",
    ]


def test_a_table_has_a_line_for_each_figure_and_the_systems_side_by_side() -> None:
    assert to_table(RESULT).splitlines() == [
        "                mine   other",
        "mean_score    0.3750  1.0000",
        "cost_of_pass     inf       -",
        "num_passing        0       -",
        "",
        f"!! mine: {TOLD}; a judge_score of 0 there is no rating, and",
        "the mean of the others is 0.7500. First example 2: no digit",
        "",
        "2 examples",
        "mine: 1.00 s",
        "other: 2.50 s",
    ]


def test_more_systems_than_have_room_are_shown_below_one_another() -> None:
    table = to_table(EvalResult([], {f"system-{at}": {"mean_score": at / 10} for at in range(5)}))
    assert table.count("mean_score") == 2
    assert all(f"system-{at}" in table and f"0.{at}000" in table for at in range(5))


def test_json_is_that_of_the_result_and_counts_the_failures() -> None:
    assert to_json(RESULT) == RESULT.to_json()
    assert json.loads(to_json(RESULT))["judge_failures"] == {"mine": {"parse_error": 1}}


def test_json_lines_have_a_line_for_each_row_that_tells_how_its_judgment_ended() -> None:
    lines = [json.loads(line) for line in to_jsonl(RESULT).splitlines()]
    assert [(line["system"], line["example_id"]) for line in lines] == [("mine", 1), ("mine", 2), ("other", 1)]
    assert lines[1]["metadata"] == {"judge_status": "parse_error", "judge_error": "no digit"}
    assert to_jsonl(EvalResult([], {})) == ""


@pytest.mark.parametrize("report", [to_markdown, to_table, to_html])
def test_failures_are_told_aloud_only_where_there_are_any(report: Callable[[EvalResult], str]) -> None:
    assert TOLD in report(RESULT)
    assert "failed" not in report(UNJUDGED)


@pytest.mark.parametrize("report", [to_markdown, to_table])
def test_a_result_without_figures_says_so(report: Callable[[EvalResult], str]) -> None:
    assert "Nothing was evaluated." in report(EvalResult([], {}))
    assert "No figures were computed." in report(EvalResult([], {"mine": {}}))


def test_a_name_in_markdown_becomes_no_markup() -> None:
    told = to_markdown(EvalResult([], {"a|b\n<script>[x](y)": {"mean|score": 1.0}}))
    assert "<script>" not in told
    assert "[x]" not in told
    assert len([line for line in told.splitlines() if line.startswith("|")]) == 3
    assert "| b" not in told


@settings(max_examples=30)
@given(st.text(max_size=150), st.text(max_size=150), st.floats())
def test_a_table_is_safe_for_a_terminal_and_no_wider_than_its_width(system: str, name: str, value: float) -> None:
    rows = [EvalRow(system, 1, {}, 0, 0, {"judge_status": name})]
    for line in to_table(EvalResult(rows, {system: {name: value}}, {system: 1.0})).removesuffix("\n").split("\n"):
        assert printable(line) == line
        assert len(name) > 60 or abs(value) > 1e9 or cells(line) <= 100
