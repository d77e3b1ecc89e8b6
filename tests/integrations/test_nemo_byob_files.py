"""The numbers in `byob_results.json`, and the words for what became of a sample."""

from __future__ import annotations

import json
import math
import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.completion import Completion
from gavelkit.core.failure import Failure
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.integrations.nemo_byob_files import Results, _json, status_of

SLOT = Slot("qa", "0", ("m",))


def sample(parts: dict[str, Any], status: Status = Status.OK) -> Judgment:
    return Judgment(SLOT, status, score=1.0 if status is Status.OK else None, grade=Grade("", parts=parts))


def scores_of(*samples: Judgment) -> dict[str, dict[str, Any]]:
    results = Results("qa")
    for each in samples:
        results.add(each, "scored")
    return results.scores


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20))
def test_the_statistics_are_those_of_the_population(values: list[float]) -> None:
    (found,) = scores_of(*(sample({"x": value}) for value in values)).values()
    spread = statistics.pstdev(values)
    assert found["stats"]["count"] == len(values)
    assert found["value"] == found["stats"]["mean"] == pytest.approx(statistics.fmean(values), abs=1e-4)
    assert found["stats"]["stddev"] == pytest.approx(spread, abs=1e-4)
    assert found["stats"]["stderr"] == pytest.approx(spread / math.sqrt(len(values)), abs=1e-4)


def test_true_is_one_and_texts_are_left_out() -> None:
    found = scores_of(sample({"ok": True, "grade": "C"}), sample({"ok": False, "grade": "I"}))
    assert list(found) == ["ok"]
    assert found["ok"]["value"] == 0.5


def test_a_key_counts_where_it_stands_and_what_is_not_finite_nowhere() -> None:
    found = scores_of(sample({"a": 1.0}), sample({"a": math.nan, "b": 2}), sample({"a": 0.5}))
    assert (found["a"]["stats"]["count"], found["a"]["value"]) == (2, 0.75)
    assert found["b"]["stats"] == {"count": 1, "mean": 2.0, "stddev": 0.0, "stderr": 0.0}


def test_the_first_reason_of_each_way_to_fail_is_kept() -> None:
    results = Results("qa")
    for number, why in enumerate(("bad", "worse")):
        slot = Slot("qa", str(number), ("m",))
        told = {"judge_1": {"status": "parse_error", "error": why}}
        results.add(Judgment(slot, Status.CALL_ERROR, failure=Failure(why)), "skipped_scorer_error")
        graded = Grade("", parts={"judge_failures": told})
        results.add(Judgment(slot, Status.PARSE_ERROR, grade=graded, failure=Failure(why)), "scored")
    assert results.reasons == {"skipped_scorer_error": "sample 0: bad"}
    assert results.judge_reasons == {"judge_1": "sample 0: bad"}


def test_without_the_failures_nothing_may_be_left() -> None:
    found = scores_of(sample({"a": 0.0}, Status.PARSE_ERROR))
    assert found["a"]["judged"] == {"count": 0, "failed": 1, "mean": None}


@pytest.mark.parametrize(
    ("judgment", "status"),
    [
        (sample({"a": 1}), "scored"),
        (sample({"a": 0.0}, Status.CALL_ERROR), "scored"),
        (Judgment(SLOT, Status.INVALID_INPUT), "skipped_missing_field"),
        (Judgment(SLOT, Status.CALL_ERROR), "skipped_model_error"),
        (Judgment(SLOT, Status.CALL_ERROR, steps=(Step("answer of m", Completion("x")),)), "skipped_scorer_error"),
    ],
)
def test_what_became_of_a_sample_is_said_in_the_words_of_the_page(judgment: Judgment, status: str) -> None:
    assert status_of(judgment) == status


def test_where_responses_were_there_already_only_the_scorer_can_fail() -> None:
    assert status_of(Judgment(SLOT, Status.CALL_ERROR), answered=True) == "skipped_scorer_error"


def test_what_is_written_is_strict_json() -> None:
    written = _json({"b": math.nan, "a": [math.inf, {"c": "\ud800"}]}, indent=2)
    assert json.loads(written) == {"a": [None, {"c": "\ud800"}], "b": None}
    assert written.decode().index('"a"') < written.decode().index('"b"')
