"""Global scores: reductions, intervals, and what is said of failures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest

from gavelkit.integrations.unitxt import LLMJudgeDirect, LLMJudgePairwise, UnitxtError

OPTIONS = json.dumps({"option_map": {"Good": 1.0, "Fair": 0.25, "Bad": -1.0}})


def direct(**settings: Any) -> LLMJudgeDirect:
    return LLMJudgeDirect(**{"inference_engine": str, "criteria": "answer_relevance", **settings})


def instances(scores: Sequence[float], *, main: str = "answer_relevance", prefix: str = "") -> list[dict[str, Any]]:
    return [
        {
            prefix + main: score,
            f"{prefix}{main}_using_x_y": score,
            f"{prefix}{main}_criteria": OPTIONS,
            "score": score,
            "score_name": prefix + main,
        }
        for score in scores
    ]


def contests(rates: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    return [
        {
            "1_winrate": one,
            "1_response_name": "1",
            "other_winrate": other,
            "other_response_name": "other",
            "score": one,
            "score_name": "1_winrate",
        }
        for one, other in rates
    ]


SIX = (0.75, 0.0, 1.0, 0.75, 0.0, 1.0)


def test_the_mean_of_the_main_score_comes_with_its_interval_twice() -> None:
    found = direct().aggregate(instances(SIX))
    assert list(found) == [
        "num_of_instances",
        "num_of_failed_instances",
        "answer_relevance",
        "score",
        "score_name",
        "answer_relevance_ci_low",
        "answer_relevance_ci_high",
        "score_ci_low",
        "score_ci_high",
    ]
    assert found["num_of_instances"] == 6
    assert found["score"] == found["answer_relevance"] == pytest.approx(0.583333, abs=1e-6)
    assert found["score_name"] == "answer_relevance"
    assert 0.12 < found["score_ci_low"] == found["answer_relevance_ci_low"] < 0.26
    assert found["score_ci_high"] == found["answer_relevance_ci_high"] == pytest.approx(0.875)


def test_the_same_instances_have_the_same_interval_in_any_order() -> None:
    assert direct().aggregate(instances(SIX)) == direct().aggregate(instances(tuple(reversed(SIX))))


@pytest.mark.parametrize(
    ("scores", "settings"),
    [
        ((0.5,), {}),
        ((0.5, 0.5, 0.5), {}),
        (SIX, {"n_resamples": None}),
        (SIX, {"n_resamples": 1}),
        ((math.nan, 0.5), {}),
    ],
)
def test_where_there_is_no_spread_or_no_wish_for_it_there_is_no_interval(
    scores: Sequence[float], settings: dict[str, Any]
) -> None:
    found = direct(**settings).aggregate(instances(scores))
    assert not [name for name in found if "_ci_" in name]
    assert not math.isnan(found["score"])


def test_a_wider_level_gives_a_wider_interval() -> None:
    narrow, wide = (direct(confidence_level=level).aggregate(instances(SIX)) for level in (0.5, 0.99))
    assert wide["score_ci_low"] < narrow["score_ci_low"] < narrow["score_ci_high"] < wide["score_ci_high"]


def test_fields_that_are_named_get_the_intervals() -> None:
    found = direct(ci_scores=["answer_relevance_using_x_y"]).aggregate(instances(SIX))
    assert "answer_relevance_using_x_y_ci_low" in found
    assert "score_ci_low" not in found


def test_the_weighted_win_rate_counts_wins_over_battles() -> None:
    metric = direct(reduction_map={"weighted_win_rate": ["llm_as_judge"]})
    assert metric.aggregate(instances([3, 0, -3, 3]))["score"] == pytest.approx(7 / 11)
    assert metric.aggregate(instances([3, 0, -3, 3], main="llm_as_judge"))["llm_as_judge"] == pytest.approx(7 / 11)


def test_a_map_of_the_users_is_obeyed_also_where_all_rows_share_a_criterion() -> None:
    metric = direct(reduction_map={"mean": ["answer_relevance_using_x_y"], "weighted_win_rate": ["answer_relevance"]})
    found = metric.aggregate(instances([3, 0, -3, 3]))
    assert found["answer_relevance_using_x_y"] == pytest.approx(0.75)
    assert found["answer_relevance"] == found["score"] == pytest.approx(7 / 11)


def test_failures_are_outside_the_mean_counted_and_bounded() -> None:
    found = direct().aggregate(instances([1.0, 0.25, math.nan, math.nan]))
    assert found["num_of_instances"] == 4
    assert found["num_of_failed_instances"] == 2
    assert found["score"] == 0.625
    assert found["score_if_failed_lowest"] == pytest.approx((1.25 - 2) / 4)
    assert found["score_if_failed_highest"] == pytest.approx((1.25 + 2) / 4)


def test_null_from_a_file_counts_as_a_failure_too() -> None:
    (one, other) = instances([1.0, 0.0])
    other["answer_relevance"] = None
    assert direct().aggregate([one, other])["num_of_failed_instances"] == 1


def test_where_everything_failed_the_score_is_no_number() -> None:
    found = direct().aggregate(instances([math.nan, math.nan]))
    assert math.isnan(found["score"])
    assert found["num_of_failed_instances"] == 2


def test_a_prefix_stands_before_the_fields_and_not_before_the_score() -> None:
    found = direct(score_prefix="pre_").aggregate(instances(SIX, prefix="pre_"))
    assert {"pre_answer_relevance", "pre_answer_relevance_ci_low", "score", "score_ci_low"} <= found.keys()
    assert found["score_name"] == "pre_answer_relevance"


def test_pairwise_reduces_the_score_and_every_win_rate() -> None:
    metric = LLMJudgePairwise(inference_engine=str, criteria="funny_joke", ci_scores=["1_winrate", "other_winrate"])
    found = metric.aggregate(contests([(1, 0), (0, 1), (0, 1), (1, 0), (0, 1)]))
    assert found["1_winrate"] == found["score"] == pytest.approx(0.4)
    assert found["other_winrate"] == pytest.approx(0.6)
    assert {"1_winrate_ci_low", "other_winrate_ci_high", "score_ci_low"} <= found.keys()
    assert found["score_name"] == "1_winrate"


def test_pairwise_obeys_a_map_of_the_users() -> None:
    metric = LLMJudgePairwise(inference_engine=str, criteria="funny_joke", reduction_map={"mean": ["other_winrate"]})
    found = metric.aggregate(contests([(1, 0), (0, 1)]))
    assert found["other_winrate"] == 0.5
    assert "score" in found
    found = LLMJudgePairwise(
        inference_engine=str, criteria="funny_joke", reduction_map={"weighted_win_rate": ["1_winrate"]}
    ).aggregate(contests([(1, 0), (0, 1)]))
    assert found["score"] == pytest.approx(2 / 3)
    assert "other_winrate" not in found


def test_a_failed_contest_is_bounded_by_defeat_and_by_victory() -> None:
    metric = LLMJudgePairwise(inference_engine=str, criteria="funny_joke")
    found = metric.aggregate(contests([(1, 0), (math.nan, math.nan)]))
    assert (found["score_if_failed_lowest"], found["score_if_failed_highest"]) == (0.5, 1.0)


def test_what_compute_returns_is_what_is_reduced() -> None:
    replies = iter(["Fine.", "Excellent", "Bad.", "Bad"])

    async def in_turn(prompt: str) -> str:
        return next(replies)

    metric = LLMJudgeDirect(
        inference_engine=in_turn,
        criteria="answer_relevance",
        context_fields=None,
        check_positional_bias=False,
    )
    results = [result for text in ("one", "two") for result in metric.compute([[]], [text], [{"question": "?"}])]
    assert metric.aggregate(results)["score"] == 0.5


@pytest.mark.parametrize(
    ("given", "settings", "said"),
    [
        ([], {}, "nothing to reduce"),
        ([*instances([1]), *instances([1], main="other")], {}, "answer_relevance, other"),
        (instances([1]), {"reduction_map": {"mean": ["answer_relevanc"]}}, "Perhaps you meant 'answer_relevance'"),
        (instances([1]), {"reduction_map": {"mean": ["answer_relevance_criteria"]}}, "no number"),
    ],
)
def test_what_cannot_be_reduced_is_refused(given: list[dict[str, Any]], settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UnitxtError, match=said):
        direct(**settings).aggregate(given)
