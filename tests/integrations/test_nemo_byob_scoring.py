"""What a scorer's result comes to: a score, no score, or the failure of a judge."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.byob_files import a_file

from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.status import Status
from gavelkit.integrations.nemo_byob_face import Failed
from gavelkit.integrations.nemo_byob_load import load_benchmark
from gavelkit.integrations.nemo_byob_scoring import _checked, _takes_config, failures_of, scored, source_hash

CUT_OFF = Failed("judge_1", Status.CALL_ERROR, Failure("nobody there", FailureKind.CONNECT))
UNREAD = Failed("judge", Status.PARSE_ERROR, Failure("no grade"))


@pytest.mark.parametrize(
    ("found", "score"),
    [
        ({"judge_score": 0.5, "judge_grade": "P"}, 0.5),
        ({"label": "x", "correct": True, "length": 3}, 1.0),
        ({"n": 7}, 7.0),
    ],
)
def test_the_first_number_is_the_score_and_all_that_was_returned_is_kept(found: dict[str, Any], score: float) -> None:
    result = scored(found, [])
    assert (result.status, result.score) == (Status.OK, score)
    assert result.grade is not None
    assert dict(result.grade.parts) == found


def test_a_result_without_a_number_is_no_score_and_no_failure() -> None:
    result = scored({"said": "nothing"}, [])
    assert (result.status, result.score) == (Status.ABSTAINED, None)


@pytest.mark.parametrize("strange", [math.nan, math.inf])
def test_a_number_that_is_not_finite_is_no_score(strange: float) -> None:
    result = scored({"a": 1.0, "b": strange}, [])
    assert (result.status, result.score) == (Status.OUT_OF_RANGE, None)
    assert result.failure is not None
    assert "'b'" in result.failure.message


def test_a_judges_failure_is_the_samples_and_its_zero_is_no_score() -> None:
    found = {"judge_score": 0.0, "judge_grade": "PARSE_ERROR", "judge_status": "parse_error", "judge_error": "no grade"}
    result = scored(found, [UNREAD])
    assert (result.status, result.score, result.failure) == (Status.PARSE_ERROR, None, UNREAD.failure)
    assert result.grade is not None
    assert result.grade.value == "PARSE_ERROR"


def test_a_failure_that_the_result_does_not_tell_counts_too() -> None:
    result = scored({"judge_score": 1.0, "judge_grade": "C", "quality": 0.0}, [CUT_OFF])
    assert (result.status, result.failure) == (Status.CALL_ERROR, CUT_OFF.failure)
    assert result.grade is not None
    assert failures_of(result.grade.parts) == {("judge_1", "call_error"): 1}


def test_a_scorer_that_has_mended_a_failure_says_so() -> None:
    result = scored({"judge_score": 1.0, "judge_status": "ok"}, [CUT_OFF])
    assert (result.status, result.score) == (Status.OK, 1.0)


def test_a_status_without_a_noted_failure_and_an_unknown_one_are_failures() -> None:
    told = scored({"x": 0.0, "judge_status": "parse_error", "judge_error": "mine"}, [])
    assert (told.status, told.failure) == (Status.PARSE_ERROR, Failure("mine"))
    assert scored({"x": 0.0, "judge_status": "odd"}, []).status is Status.CALL_ERROR


def test_numbers_of_numpy_are_plain_numbers_and_what_is_no_mapping_is_refused() -> None:
    numpy = pytest.importorskip("numpy")

    def scorer(_sample: Any) -> Any: ...

    found = _checked({"a": numpy.float32(0.5), "b": numpy.bool_(True), "c": numpy.array([1])}, scorer)  # noqa: FBT003 - numpy's own
    assert (found["a"], found["b"]) == (0.5, True)
    assert type(found["a"]) is float
    with pytest.raises(TypeError, match="returned float"):
        _checked(0.5, scorer)


def test_a_scorer_of_two_arguments_gets_the_config() -> None:
    def one(sample: Any) -> Any: ...

    def two(sample: Any, settings: Any) -> Any: ...

    def named(sample: Any, config: Any = None) -> Any: ...

    def own(sample: Any, most: int = 3) -> Any: ...

    assert [_takes_config(each) for each in (one, two, named, own)] == [False, True, True, False]


def test_an_edited_file_has_another_hash(tmp_path: Path) -> None:
    before = source_hash(load_benchmark(a_file(tmp_path, "return {'x': 1}")).scorer_fn)
    assert before == source_hash(load_benchmark(a_file(tmp_path, "return {'x': 1}")).scorer_fn)
    assert before != source_hash(load_benchmark(a_file(tmp_path, "return {'x': 2}")).scorer_fn)
