"""Figures as reports write them, and what they say of a judge that failed."""

from __future__ import annotations

import math

import pytest

from gavelkit.integrations.context_bench import EvalResult, EvalRow
from gavelkit.integrations.context_bench_figures import about, figure_names, shown, warnings


def rows(*statuses: str, score: float = 0.0, system: str = "a") -> list[EvalRow]:
    return [
        EvalRow(system, at, {"judge_score": score}, 0, 0, {"judge_status": status})
        for at, status in enumerate(statuses)
    ]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("mean_score", 0.12345, "0.1235"),
        ("mean_score", -0.00001, "0.0000"),
        ("num_passing", 1234.0, "1,234"),
        ("judge_failed", 0.0, "0"),
        ("pareto_rank", 2.0, "2"),
        ("cost_of_pass", math.inf, "inf"),
        ("cost_of_pass", -math.inf, "-inf"),
        ("mean_judged", math.nan, "-"),
        ("mean_score", None, "-"),
    ],
)
def test_a_figure_has_four_decimals_and_a_count_none(name: str, value: float | None, text: str) -> None:
    assert shown(name, value) == text


def test_each_figure_is_named_once_in_the_order_in_which_they_come() -> None:
    assert figure_names(EvalResult([], {"a": {"z": 1.0}, "b": {"a": 1.0, "z": 2.0}})) == ["z", "a"]


def test_examples_and_times_are_told_where_they_are_known() -> None:
    assert list(about(EvalResult([], {}, {"a": 1.234}, {"num_examples": 1200}))) == ["1,200 examples", "a: 1.23 s"]
    assert list(about(EvalResult([], {}))) == []


def test_a_failing_judge_is_told_for_each_system_with_the_mean_of_the_others() -> None:
    every = [*rows("call_error", "call_error", "truncated"), *rows("ok", score=0.5), *rows("ok", system="b")]
    (told,) = warnings(EvalResult(every, {}))
    assert told == (
        "a: the judge failed on 3 of 4 rows (2 call_error, 1 truncated); "
        "a judge_score of 0 there is no rating, and the mean of the others is 0.5000"
    )


def test_where_all_failed_there_is_no_mean_and_where_none_failed_no_word() -> None:
    (told,) = warnings(EvalResult(rows("call_error"), {}))
    assert told.startswith("a: the judge failed on 1 of 1 row (1 call_error)")
    assert told.endswith("the mean of the others is -")
    assert list(warnings(EvalResult(rows("ok"), {}))) == []


def test_a_judges_first_failure_says_why() -> None:
    failed = EvalRow("a", 7, {"judge_score": 0.0}, 0, 0, {"judge_status": "call_error", "judge_error": "HTTP 500"})
    (told,) = warnings(EvalResult([*rows("ok"), failed], {}))
    assert told.endswith(". First example 7: HTTP 500")


def test_a_system_that_gave_no_response_is_told_with_its_first_reason() -> None:
    failed = [EvalRow("a", at, {}, 0, 0, {"status": "call_error", "error": f"boom {at}"}) for at in (3, 4)]
    (told,) = warnings(EvalResult([*rows("ok"), *failed], {}))
    assert told == "a: 2 of 3 rows have no response, and so no scores. First example 3: boom 3"


def test_each_evaluator_that_raised_is_told_with_its_first_reason() -> None:
    failed = [
        EvalRow("a", 1, {}, 0, 0, {"evaluator_errors": {"mine": "ValueError: bad"}}),
        EvalRow("a", 2, {}, 0, 0, {"evaluator_errors": {"mine": "KeyError: 'x'", "yours": "TypeError: no"}}),
    ]
    assert list(warnings(EvalResult(failed, {}))) == [
        "a: 2 of 2 rows have no scores of 'mine', which raised. First example 1: ValueError: bad",
        "a: 1 of 2 rows has no scores of 'yours', which raised. First example 2: TypeError: no",
    ]
