"""A summary says what a slow plain twin says, whatever the order of the rows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.errors import GavelError
from gavelkit.core.judgment import Judgment
from gavelkit.core.report import Metric
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.stats import JudgeFacts, OnFailure, summarise

LIKERT = JudgeFacts("likert", Criterion("likert", Range(1, 5)), threshold=4)
FREE = JudgeFacts("free", Criterion("free"))
YES_NO = JudgeFacts("right", Criterion("right", Options({"yes": 1.0, "no": 0.0})))
HARM = JudgeFacts("harm", Criterion("harm", Range(0, 10), higher_is_better=False))

Outcome: TypeAlias = float | Status
Rows: TypeAlias = list[list[Outcome]]
"""Per example, what became of each repeat."""

OUTCOMES = st.one_of(st.floats(1, 5), st.sampled_from([1.0, 4.0, 5.0, *(s for s in Status if s is not Status.OK)]))
ROWS = st.lists(st.lists(OUTCOMES, min_size=1, max_size=3), max_size=12)


def judgments(rows: Rows, *, judge: str = "likert", system: str = "") -> Iterator[Judgment]:
    for at, outcomes in enumerate(rows):
        for repeat, outcome in enumerate(outcomes):
            yield judgment(Slot(judge, str(at), (system,), repeat), outcome)


def judgment(slot: Slot, outcome: Outcome) -> Judgment:
    if isinstance(outcome, Status):
        return Judgment(slot, outcome)
    return Judgment(slot, Status.OK, score=outcome)


def summary(rows: Rows, facts: JudgeFacts = LIKERT, *, on_failure: OnFailure = "missing") -> dict[str, Metric]:
    metrics = summarise(judgments(rows, judge=facts.name), [facts], on_failure=on_failure)
    return {metric.name: metric for metric in metrics}


def singles(*outcomes: Outcome) -> Rows:
    return [[outcome] for outcome in outcomes]


def slow_mean(rows: Rows, price: float | None) -> float | None:
    """The mean in fractions, from the definition."""
    means = []
    for outcomes in rows:
        values = [Fraction(o) for o in outcomes if not isinstance(o, Status)]
        if price is not None:
            values += [Fraction(price) for o in outcomes if isinstance(o, Status) and o.failed]
        if values:
            means.append(Fraction(float(sum(values, Fraction(0)) / len(values))))
    return float(sum(means, Fraction(0)) / len(means)) if means else None


@given(ROWS)
def test_the_slow_twin_agrees_to_the_bit(rows: Rows) -> None:
    prices: dict[OnFailure, float | None] = {"missing": None, "raise": None, "worst": 1.0, "zero": 0.0}
    for on_failure, price in prices.items():
        found = summary(rows, on_failure=on_failure)
        if not rows:
            assert not found
            continue
        assert found["mean"].value == slow_mean(rows, price)
        assert found["mean_failures_worst"].value == slow_mean(rows, 1.0)
        assert found["mean_failures_best"].value == slow_mean(rows, 5.0)
        assert ("mean_ok" in found) == (on_failure in {"worst", "zero"})


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_repeats_changes_no_byte(rows: Rows, shuffler: random.Random) -> None:
    shuffled = [shuffler.sample(outcomes, len(outcomes)) for outcomes in rows]
    shuffler.shuffle(shuffled)
    assert repr(summary(rows)) == repr(summary(shuffled))


@given(ROWS)
def test_repeating_every_judgment_with_the_same_outcome_changes_no_number(rows: Rows) -> None:
    once, twice = summary(rows), summary([outcomes * 2 for outcomes in rows])
    for name, metric in once.items():
        assert twice[name].value == metric.value
        assert twice[name].n == metric.n
        assert twice[name].stderr == metric.stderr
        assert twice[name].planned == 2 * metric.planned


@given(ROWS)
def test_the_counts_of_every_metric_add_up_to_the_plan(rows: Rows) -> None:
    for metric in summary(rows).values():
        assert metric.planned == sum(map(len, rows))


def test_a_failure_is_missing_and_its_price_stands_beside() -> None:
    found = summary(singles(1, Status.PARSE_ERROR, 3))
    assert found["mean"].value == 2.0
    assert found["mean"].n == 2
    assert found["mean"].failed == 1
    assert found["mean_failures_worst"].value == 5 / 3
    assert found["mean_failures_best"].value == 3.0
    assert list(found) == ["mean", "mean_failures_worst", "mean_failures_best", "pass_rate"]


def test_zero_is_literally_zero_and_worst_is_the_end_of_the_scale() -> None:
    rows = singles(5, Status.CALL_ERROR)
    assert summary(rows, on_failure="zero")["mean"].value == 2.5
    assert summary(rows, on_failure="worst")["mean"].value == 3.0
    assert summary(rows, on_failure="worst")["mean_ok"].value == 5.0
    assert summary(rows, HARM, on_failure="worst")["mean"].value == 7.5


def test_without_a_scale_the_mean_at_worst_is_null_and_says_why() -> None:
    found = summary(singles(5, 6, Status.CALL_ERROR), FREE)
    assert found["mean"].value == 5.5
    assert found["mean_failures_worst"].value is None
    assert found["mean_failures_best"].value is None
    assert "no scale" in found["mean_failures_worst"].reason
    assert found["mean_failures_best"].reason == found["mean_failures_worst"].reason
    assert summary(singles(5, 6), FREE, on_failure="worst")["mean"].value is None


def test_nothing_judged_is_null_with_the_reason() -> None:
    found = summary(singles(Status.PENDING, Status.CALL_ERROR))
    mean = found["mean"]
    assert (mean.value, mean.stderr, mean.interval, mean.n) == (None, None, None, 0)
    assert mean.reason == "none of 2 judgments is ok"
    assert found["pass_rate"].value is None


def test_one_example_has_a_mean_and_no_spread() -> None:
    mean = summary([[4.0, 2.0]])["mean"]
    assert (mean.value, mean.n, mean.stderr, mean.interval) == (3.0, 1, None, None)
    assert "one example" in mean.reason


def test_equal_scores_have_the_point_as_interval() -> None:
    mean = summary(singles(4, 4, 4))["mean"]
    assert mean.stderr == 0.0
    assert mean.interval is not None
    assert (mean.interval.low, mean.interval.high) == (4.0, 4.0)


def test_a_share_gets_the_interval_of_wilson() -> None:
    rows = singles(*[1.0] * 81, *[0.0] * 182)
    for facts in (YES_NO, FREE):
        interval = summary(rows, facts)["mean"].interval
        assert interval is not None
        assert (interval.method, round(interval.low, 4), round(interval.high, 4)) == ("wilson", 0.2553, 0.3662)


def test_a_scale_of_numbers_gets_the_interval_of_student_even_where_all_are_zero_or_one() -> None:
    interval = summary(singles(0, 1, 1), HARM)["mean"].interval
    assert interval is not None
    assert interval.method == "student t"


def test_the_pass_rate_is_a_share_of_examples() -> None:
    rate = summary(singles(4, 5, 1, Status.REFUSED))["pass_rate"]
    assert rate.value == 2 / 3
    assert rate.n == 3
    assert rate.interval is not None
    assert rate.interval.method == "wilson"


def test_with_repeats_that_differ_the_pass_rate_says_its_method() -> None:
    rate = summary([[4.0, 1.0], [5.0, 5.0]])["pass_rate"]
    assert rate.value == 0.75
    assert rate.interval is not None
    assert rate.interval.method.startswith("student t on each example's share")
    assert (rate.interval.low, rate.interval.high) == (0.0, 1.0)


def test_an_interval_too_large_for_a_number_is_null_with_the_reason() -> None:
    mean = summary(singles(1.7e308, -1.7e308), FREE)["mean"]
    assert mean.value == 0.0
    assert mean.interval is None
    assert "larger than" in mean.reason


def test_judges_stand_as_given_and_systems_as_they_appear() -> None:
    streams = [
        *judgments(singles(1, 2), judge="likert", system="zebra"),
        *judgments(singles(1, 2), judge="free", system="ant"),
        *judgments(singles(1, 2), judge="likert", system="ant"),
    ]
    found = summarise(streams, [FREE, LIKERT], on_failure="missing")
    means = [(metric.judge, metric.system) for metric in found if metric.name == "mean"]
    assert means == [("free", "ant"), ("likert", "zebra"), ("likert", "ant")]


def test_a_contest_is_named_by_both_its_systems() -> None:
    contest = Judgment(Slot("free", "1", ("a", "b")), Status.OK, score=1.0)
    assert summarise([contest], [FREE], on_failure="missing")[0].system == "a vs b"


def test_a_judgment_of_nobody_is_an_error_that_names_it() -> None:
    with pytest.raises(GavelError, match="'stranger', which is none of the judges likert"):
        summarise(judgments(singles(1), judge="stranger"), [LIKERT], on_failure="missing")
