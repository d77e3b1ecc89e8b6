"""Quantiles agree with SciPy and with the tables."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gavelkit.stats import quantile
from gavelkit.stats.quantile import normal_quantile, student_t_cdf, student_t_quantile

DEGREES = [0.3, 0.5, 1, 1.5, 2, 3, 4, 5, 7.3, 10, 30, 99, 100, 101, 250, 1e3, 9999, 1e4, 10_001, 62_286, 1e6, 1e8, 1e12]
PROBABILITIES = [1e-12, 1e-6, 1e-3, 0.005, 0.025, 0.05, 0.1, 0.2, 0.2499, 0.25, 0.3, 0.4, 0.49]


@pytest.mark.parametrize("df", DEGREES)
def test_the_t_quantile_agrees_with_scipy(df: float) -> None:
    for lower in PROBABILITIES:
        for probability in (lower, 1 - lower):
            expected = float(stats.t.ppf(probability, df))
            assert student_t_quantile(probability, df) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("df", DEGREES)
def test_the_t_distribution_function_agrees_with_scipy(df: float) -> None:
    for t in (-40.0, -8.0, -3.0, -1.96, -1.0, -0.1, -1e-5, 0.0, 1e-5, 0.1, 1.0, 1.96, 3.0, 8.0, 40.0):
        assert student_t_cdf(t, df) == pytest.approx(float(stats.t.cdf(t, df)), rel=1e-10)


@pytest.mark.parametrize(
    ("df", "expected"), [(1, 12.706204736), (2, 4.302652730), (9, 2.262157163), (29, 2.045229642), (99, 1.984216952)]
)
def test_the_t_quantile_is_the_one_in_the_tables(df: int, expected: float) -> None:
    assert student_t_quantile(0.975, df) == pytest.approx(expected, abs=5e-10)


@given(
    probability=st.floats(1e-10, 1 - 1e-10).filter(lambda p: abs(p - 0.5) > 1e-6),
    df=st.floats(0.5, 1e9),
)
def test_the_quantile_and_the_distribution_function_undo_each_other(probability: float, df: float) -> None:
    assert student_t_cdf(student_t_quantile(probability, df), df) == pytest.approx(probability, rel=1e-9)


@given(st.floats(1e-12, 1 - 1e-12), st.floats(0.01, 1e12))
def test_a_quantile_takes_few_steps(probability: float, df: float) -> None:
    """62 286 degrees of freedom once took ten thousand steps, each undoing the rounding of the last."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quantile, "_STEPS", 300)
        quick = student_t_quantile(probability, df)
    assert quick == student_t_quantile(probability, df)


def test_the_middle_is_zero_and_the_sides_mirror_each_other() -> None:
    assert student_t_quantile(0.5, 7) == 0.0
    assert student_t_quantile(0.25, 7) == -student_t_quantile(0.75, 7)
    assert student_t_cdf(math.inf, 7) == 1.0
    assert student_t_cdf(-math.inf, 7) == 0.0


def test_a_quantile_too_large_for_a_float_is_infinite() -> None:
    assert student_t_quantile(1e-300, 0.05) == -math.inf


def test_the_normal_quantile_is_the_one_in_the_tables() -> None:
    assert normal_quantile(0.975) == pytest.approx(1.959963984540054, rel=1e-15)


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, math.nan])
def test_a_probability_outside_zero_to_one_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        student_t_quantile(probability, 3)
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_quantile(probability)


def test_degrees_of_freedom_are_above_zero() -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        student_t_quantile(0.9, 0)
    with pytest.raises(ValueError, match="degrees of freedom"):
        student_t_cdf(1.0, -1)
