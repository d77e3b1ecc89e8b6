"""Moments are exact: a slow twin in fractions agrees, and no order changes a bit."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.stats.moments import Moments

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCORES = st.one_of(FINITE, st.sampled_from([0.0, -0.0, 1.0, 7.5, 0.1, 10.0, 1 / 3]))


def slow_mean(values: list[float]) -> Fraction:
    return sum(map(Fraction, values), Fraction(0)) / len(values)


def slow_variance_of_the_mean(values: list[float]) -> Fraction:
    mean = slow_mean(values)
    n = len(values)
    return sum(((Fraction(value) - mean) ** 2 for value in values), Fraction(0)) / (n * (n - 1))


@given(st.lists(SCORES, min_size=1))
def test_the_mean_is_the_exact_one_rounded_once(values: list[float]) -> None:
    assert Moments(values).mean == float(slow_mean(values))


@given(st.lists(SCORES, min_size=2))
def test_the_standard_error_squared_is_the_exact_variance(values: list[float]) -> None:
    stderr = Moments(values).stderr
    exact = slow_variance_of_the_mean(values)
    near, far = Fraction(math.nextafter(stderr, 0)), Fraction(math.nextafter(stderr, math.inf))
    assert near**2 <= exact <= far**2


@given(st.lists(SCORES, min_size=2).flatmap(lambda values: st.tuples(st.just(values), st.permutations(values))))
def test_no_order_changes_a_bit(case: tuple[list[float], list[float]]) -> None:
    one, other = (Moments(values) for values in case)
    assert (repr(one.mean), repr(one.stderr)) == (repr(other.mean), repr(other.stderr))


@given(SCORES, st.integers(2, 50))
def test_equal_values_have_themselves_as_mean_and_no_spread(value: float, n: int) -> None:
    moments = Moments([value] * n)
    assert moments.mean == value
    assert moments.stderr == 0.0


@given(st.lists(SCORES, min_size=2, max_size=20), st.integers(2, 4))
def test_duplicating_every_value_keeps_the_mean_to_the_bit(values: list[float], times: int) -> None:
    assert Moments(values * times).mean == Moments(values).mean


def test_scores_at_the_end_of_the_float_range_do_not_overflow() -> None:
    moments = Moments([1.7e308, 1.7e308, -1.7e308])
    assert moments.mean == pytest.approx(1.7e308 / 3)
    assert math.isfinite(moments.stderr)


def test_the_standard_error_is_that_of_the_textbook() -> None:
    assert Moments([1, 1, 0, 0, 1, 0]).stderr == pytest.approx(0.2236068, abs=5e-8)


def test_ones_are_counted_only_where_nothing_else_came() -> None:
    assert Moments([1.0, 0.0, 1.0]).ones == 2
    assert not Moments([1.0, 0.5]).zero_one
    with pytest.raises(ValueError, match="not all 0 or 1"):
        _ = Moments([1.0, 0.5]).ones


def test_what_is_not_there_is_an_error_not_a_zero() -> None:
    with pytest.raises(ValueError, match="no mean"):
        _ = Moments().mean
    with pytest.raises(ValueError, match="two values"):
        _ = Moments([3.0]).stderr
