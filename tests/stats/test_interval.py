"""Intervals give the published numbers and agree with SciPy."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gavelkit.stats.interval import student_t, wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (30, 30, 0.8865, 1.0),
    ],
)
def test_wilson_gives_the_numbers_of_newcombe(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson(successes, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert (interval.method, interval.level) == ("wilson", 0.95)


@settings(deadline=None)  # SciPy's first call is slow
@given(
    st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.5, 0.9, 0.99])
)
def test_wilson_agrees_with_scipy(case: tuple[int, int], level: float) -> None:
    successes, n = case
    interval = wilson(successes, n, level=level)
    expected = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert interval.low == pytest.approx(expected.low, rel=1e-12, abs=1e-15)
    assert interval.high == pytest.approx(expected.high, rel=1e-12)


@settings(deadline=None)  # SciPy's first call is slow
@given(st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_stays_within_zero_and_one(case: tuple[int, int]) -> None:
    successes, n = case
    interval = wilson(successes, n)
    assert 0.0 <= interval.low <= successes / n <= interval.high <= 1.0
    assert math.copysign(1.0, interval.low) == 1.0


def test_no_success_prints_zero_and_no_failure_prints_one() -> None:
    assert str(wilson(0, 7).low) == "0.0"
    assert str(wilson(7, 7).high) == "1.0"


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (3, 2), (-1, 2), (0.5, 2)])
def test_wilson_refuses_what_is_no_count(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="whole successes"):
        wilson(successes, n)


@settings(deadline=None)  # SciPy's first call is slow
@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 10**6))
def test_student_t_agrees_with_scipy(mean: float, stderr: float, n: int) -> None:
    interval = student_t(mean, stderr, n)
    low, high = stats.t.interval(0.95, n - 1, loc=mean, scale=stderr)
    assert interval.low == pytest.approx(low, rel=1e-10, abs=1e-10 * stderr)
    assert interval.high == pytest.approx(high, rel=1e-10, abs=1e-10 * stderr)


def test_student_t_without_spread_is_the_point() -> None:
    interval = student_t(4.0, 0.0, 5)
    assert (interval.low, interval.high, interval.method) == (4.0, 4.0, "student t")


def test_student_t_needs_two_values() -> None:
    with pytest.raises(ValueError, match="two values"):
        student_t(4.0, 0.0, 1)
    with pytest.raises(ValueError, match="standard error"):
        student_t(4.0, math.nan, 5)


def test_a_level_lies_between_zero_and_one() -> None:
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, level=95)
