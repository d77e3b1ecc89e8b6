"""`EvalResult`: its rows filtered, as JSON, and as a DataFrame."""

from __future__ import annotations

import json
import math
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.core.errors import UsageError
from gavelkit.core.status import Status
from gavelkit.integrations.context_bench import EvalResult, EvalRow

ROWS = [
    EvalRow("a", 1, {"f1": 1.0}, 10, 4, {"judge_status": "ok"}, 0.5, "squad"),
    EvalRow("a", 2, {"f1": 0.5}, 10, 4, {"total_tokens": 9}, 0.25, "drop"),
    EvalRow("b", 1, {"f1": 0.0}, 10, 4, {}, 0.0, "squad"),
]
RESULT = EvalResult(ROWS, {"a": {"mean_score": 0.75}, "b": {"mean_score": 0.0}}, {"a": 1.0, "b": 2.0}, {"systems": 2})


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


def test_rows_and_summary_are_enough() -> None:
    assert (EvalResult([], {}).timing, EvalResult([], {}).config) == ({}, {})


def test_a_filter_leaves_the_rows_whose_attributes_are_those() -> None:
    assert RESULT.filter(system="a", dataset="squad").rows == ROWS[:1]
    assert RESULT.filter().rows == ROWS
    assert RESULT.rows == ROWS


def test_a_filter_keeps_the_whole_figures_of_the_systems_that_are_left() -> None:
    left = RESULT.filter(example_id=2)
    assert (left.summary, left.timing, left.config) == ({"a": {"mean_score": 0.75}}, {"a": 1.0}, {"systems": 2})


def test_a_filter_by_no_attribute_of_a_row_is_refused() -> None:
    with pytest.raises(UsageError, match="rows have no attribute 'sytem'; did you mean system"):
        RESULT.filter(sytem="a")


def test_json_has_the_keys_of_context_bench_in_their_order() -> None:
    told = strict(RESULT.to_json())
    assert list(told) == ["rows", "summary", "timing", "config"]
    assert list(told["rows"][0]) == [
        "system",
        "example_id",
        "dataset",
        "scores",
        "input_tokens",
        "output_tokens",
        "latency",
        "metadata",
    ]
    assert told["rows"][1]["metadata"] == {"total_tokens": 9}
    assert told["summary"] == RESULT.summary
    assert RESULT.to_json().startswith('{\n  "rows": [\n    {')


def test_failed_judgments_are_told_under_a_key_of_their_own() -> None:
    failed = EvalRow("a", 3, {"judge_score": 0.0}, 1, 1, {"judge_status": Status.CALL_ERROR})
    told = strict(EvalResult([*ROWS, failed], {}).to_json())
    assert told["judge_failures"] == {"a": {"call_error": 1}}
    assert told["rows"][3]["metadata"] == {"judge_status": "call_error"}


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_number_that_json_does_not_have_is_null(value: float) -> None:
    told = strict(EvalResult([], {"a": {"cost_of_pass": value}}).to_json())
    assert told["summary"] == {"a": {"cost_of_pass": None}}


@settings(max_examples=30)
@given(
    st.text(), st.floats(), st.one_of(st.text(), st.integers(), st.binary(), st.dictionaries(st.text(), st.floats()))
)
def test_whatever_rows_hold_their_json_is_strict(name: str, score: float, value: object) -> None:
    row = EvalRow(name, name, {name: score}, 0, 0, {"value": value})
    assert len(strict(EvalResult([row], {name: {name: score}}).to_json())["rows"]) == 1


def test_a_data_frame_has_a_column_for_each_attribute_score_and_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """pandas is a stand-in that gives back what it is given."""
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    row = EvalRow("a", 1, {"f1": 1.0, "latency": 9.0}, 10, 4, {"f1": "no", "total_tokens": 9}, 0.5, "squad")
    (record,) = EvalResult([row], {}).to_dataframe()
    assert record == {
        "system": "a",
        "example_id": 1,
        "dataset": "squad",
        "input_tokens": 10,
        "output_tokens": 4,
        "latency": 0.5,
        "f1": 1.0,
        "total_tokens": 9,
    }


def test_without_pandas_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pandas"):
        RESULT.to_dataframe()
