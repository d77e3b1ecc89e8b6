"""The bootstrap gives the published numbers, SciPy's on the same draws, and a slow plain twin's."""

from __future__ import annotations

import math
import random
from collections import Counter
from statistics import NormalDist, fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gavelkit.core.interval import Interval
from gavelkit.stats import bootstrap
from gavelkit.stats.bootstrap import Floats, Reduction, bca

EIGHTHS = st.integers(-80, 80).map(lambda n: n / 8)
"""Sums of these are exact, so that SciPy sees every tie between a resample and the value."""


def interval(values: object, **settings_: object) -> Interval:
    found = bca(values, **{"seed": 0, **settings_}).interval  # type: ignore[arg-type] # what a test gives
    assert found is not None
    return found


def wins(score: float) -> tuple[float, float]:
    if score == 0:
        return 1.0, 2.0
    return max(score, 0.0), abs(score)


def twin(values: list[float], draws: list[list[int]], *, win_rate: bool, level: float = 0.95) -> tuple[float, float]:
    """The same by loops, from the definitions, with the jackknife leaving out one after the other."""

    def ratio(rows: list[float]) -> float:
        pairs = [wins(row) if win_rate else (row, 1.0) for row in rows]
        return math.fsum(above for above, _ in pairs) / math.fsum(below for _, below in pairs)

    normal, ordered = NormalDist(), sorted(values)
    value, found = ratio(ordered), sorted(ratio([ordered[place] for place in draw]) for draw in draws)
    tied = sum(math.isclose(each, value, rel_tol=1e-12, abs_tol=1e-12) for each in found)
    under = sum(each < value and not math.isclose(each, value, rel_tol=1e-12, abs_tol=1e-12) for each in found)
    bias = normal.inv_cdf(min(max(under + tied / 2, 0.5), len(found) - 0.5) / len(found))
    without = [ratio(ordered[:place] + ordered[place + 1 :]) for place in range(len(ordered))]
    gaps = [fmean(without) - each for each in without]
    acceleration = math.fsum(gap**3 for gap in gaps) / (6 * math.fsum(gap**2 for gap in gaps) ** 1.5)
    ends = []
    for z in (normal.inv_cdf((1 - level) / 2), normal.inv_cdf((1 + level) / 2)):
        share = normal.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))
        place = share * (len(found) - 1)
        left = min(int(place), len(found) - 2)
        ends.append(found[left] + (place - left) * (found[left + 1] - found[left]))
    return ends[0], ends[1]


def test_the_published_numbers_come_out_on_the_published_draws() -> None:
    given_ = np.random.default_rng(3).exponential(size=200)
    terms = bootstrap._Terms(given_, given_, None, np.ones(200, np.int64))  # in the order given: `bca` would sort
    found = bootstrap._draw(terms, np.random.default_rng(0), 9999)
    ends = np.quantile(found, bootstrap._shares(found, terms, 0.95))
    assert tuple(ends) == pytest.approx((1.00739552, 1.28380246), abs=5e-9)
    assert bootstrap._acceleration(terms) == pytest.approx(0.015433, abs=5e-7)
    below = float(np.mean(found < given_.mean()))
    assert NormalDist().inv_cdf(below) == pytest.approx(0.016922, abs=5e-7)


def test_six_scores_of_three_kinds_give_an_interval_as_wide_as_others_find() -> None:
    found = bca([0.75, 0, 1, 0.75, 0, 1], seed=0)
    assert found.value == pytest.approx(0.58333, abs=5e-6)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.16, abs=0.01)
    assert found.interval.high == 0.875


@settings(max_examples=25)
@given(
    st.one_of(st.lists(EIGHTHS, min_size=2, max_size=500), st.lists(st.sampled_from([0.0, 1.0]), min_size=2)).filter(
        lambda values: min(values) != max(values)
    ),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.8, 0.95]),
)
def test_a_mean_has_the_interval_of_scipy_on_the_same_draws(values: list[float], seed: int, level: float) -> None:
    with np.errstate(all="ignore"):
        theirs = stats.bootstrap(
            (np.sort(np.array(values)),),
            np.mean,
            n_resamples=1000,
            confidence_level=level,
            method="BCa",
            rng=np.random.default_rng(seed),
        )
    ours = interval(values, seed=seed, level=level)
    if np.isfinite(theirs.confidence_interval.low):  # where every resample lies on one side SciPy has no bound
        assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-6, abs=1e-6)
    assert bca(values, seed=seed).stderr == pytest.approx(theirs.standard_error)


@pytest.mark.parametrize("n", [2, 30, 500])
def test_continuous_scores_have_the_interval_of_scipy(n: int) -> None:
    values = np.random.default_rng(n).lognormal(size=n)
    theirs = stats.bootstrap(
        (np.sort(values),), np.mean, n_resamples=1000, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    ours = interval(values, seed=1)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


@settings(max_examples=20)
@given(
    st.lists(EIGHTHS, min_size=2, max_size=25).filter(lambda values: len({wins(v)[0] > 0 for v in values}) > 1),
    st.sampled_from(["mean", "weighted_win_rate"]),
)
def test_both_reductions_agree_with_the_slow_twin(values: list[float], reduction: Reduction) -> None:
    draws = np.random.default_rng(7).integers(0, len(values), (200, len(values))).tolist()
    ours = interval(values, seed=7, resamples=200, reduction=reduction)
    theirs = twin(values, draws, win_rate=reduction == "weighted_win_rate")
    assert (ours.low, ours.high) == pytest.approx(theirs, rel=1e-9, abs=1e-9)


def test_a_weighted_win_rate_counts_a_tie_as_a_win_of_two_battles() -> None:
    found = bca([3, 0, -3, 3], seed=0, reduction="weighted_win_rate")
    assert found.value == 7 / 11
    assert found.interval is not None
    assert 0 <= found.interval.low < 7 / 11 < found.interval.high <= 1
    assert bca([1, 2, 0.5], seed=0, reduction="weighted_win_rate").interval == Interval(1, 1, 0.95, "BCa bootstrap")


def test_ties_count_half_however_finely_the_scores_are_written() -> None:
    tens = [float(n % 11) for n in range(40)]
    whole, tenths = interval(tens), interval([each / 10 for each in tens])
    assert (tenths.low, tenths.high) == pytest.approx((whole.low / 10, whole.high / 10), rel=1e-12)


@settings(max_examples=20)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60), st.randoms())
def test_neither_order_nor_counting_changes_a_digit(values: list[float], shuffler: random.Random) -> None:
    found = bca(values, seed=3)
    shuffled = list(values)
    shuffler.shuffle(shuffled)
    assert bca(shuffled, seed=3) == found
    assert bca(Counter(shuffled), seed=3) == found
    assert bca(np.array(shuffled), seed=3) == found


@settings(max_examples=40)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=12),
    st.sampled_from(["mean", "weighted_win_rate"]),
)
def test_there_are_finite_numbers_or_a_reason(values: list[float], reduction: Reduction) -> None:
    found = bca(values, seed=0, reduction=reduction, resamples=50, level=0.999)
    numbers = [found.value, found.stderr, *((found.interval.low, found.interval.high) if found.interval else ())]
    assert all(math.isfinite(number) for number in numbers if number is not None)
    assert bool(found.reason) == (None in numbers or found.interval is None)


def test_few_or_equal_scores_have_no_spread() -> None:
    assert bca([], seed=0).reason == "no example was scored"
    one = bca([0.5], seed=0)
    assert (one.value, one.interval, one.reason[:11]) == (0.5, None, "one example")
    same = bca([0.1] * 7, seed=0)
    assert (same.value, same.stderr, same.interval) == (0.1, 0.0, Interval(0.1, 0.1, 0.95, "BCa bootstrap"))
    assert bca({0.1: 7, 0.4: 0}, seed=0) == same
    assert bca([-0.0, 0.0], seed=0).interval == Interval(0.0, 0.0, 0.95, "BCa bootstrap")


def test_what_no_float_holds_has_no_interval() -> None:
    for huge in ([1.7e308, 1.7e308, -1.7e308], [1.7e308, 1.7e308]):
        found = bca(huge, seed=0)
        assert found.interval is None
        assert "too far apart" in found.reason
    assert bca([5e-324, 0.0], seed=0).interval is not None
    assert bca([1e16, 1e16 + 2, 1e16 + 2, 1e16 + 2], seed=0).interval is not None  # no difference is left to square


@pytest.mark.parametrize("values", [[1.0, math.nan], [math.inf, 1.0], {1.0: 2, 3.0: -1}])
def test_what_is_no_score_is_refused(values: object) -> None:
    with pytest.raises(ValueError, match="every score is a finite number"):
        interval(values)


@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"level": 95}, {"resamples": 1}])
def test_a_bootstrap_needs_a_level_and_two_resamples(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="a level between 0 and 1 and two resamples"):
        interval([1.0, 2.0], **wrong)


def test_one_example_beyond_the_pole_of_the_formula_takes_the_farthest_resample() -> None:
    assert bootstrap._corrected(3.3, 0.17, 3.3) == 1.0
    assert bootstrap._corrected(-3.3, -0.17, -3.3) == 0.0


def test_draws_a_few_at_a_time_are_the_draws_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = bootstrap._Terms(np.arange(101.0), np.arange(101.0), None, np.ones(101, np.int64))
    whole = bootstrap._draw(terms, np.random.default_rng(5), 100)
    monkeypatch.setattr(bootstrap, "_AT_ONCE", 303)
    assert bootstrap._draw(terms, np.random.default_rng(5), 100).tolist() == whole.tolist()


def _on_the_same_draws(values: Floats) -> tuple[float, float]:
    terms = bootstrap._Terms(values, values, None, np.ones(len(values), np.int64))
    found = np.concatenate(list(bootstrap._by_index(terms, np.random.default_rng(1), 400)))
    low, high = np.quantile(found, bootstrap._shares(found, terms, 0.95))
    return float(low), float(high)


@pytest.mark.parametrize("kind", ["normal", "lognormal", "bounded", "outlier"])
def test_bins_move_an_interval_by_less_than_a_hundredth_of_its_width(kind: str) -> None:
    generator = np.random.default_rng(11)
    n = 20_000
    values = {
        "normal": generator.normal(size=n),
        "lognormal": generator.lognormal(size=n),
        "bounded": generator.beta(8, 1, size=n),
        "outlier": np.concatenate([generator.random(n - 1), [1e5]]),
    }[kind]
    scores, counts = bootstrap._distinct(values)
    binned = bootstrap._binned(bootstrap._Terms(scores, scores, None, counts))
    assert len(binned.counts) <= 4096
    low, high = _on_the_same_draws(scores)
    assert _on_the_same_draws(np.repeat(binned.above, binned.counts)) == pytest.approx(
        (low, high), abs=0.01 * (high - low)
    )


@pytest.mark.parametrize("reduction", ["mean", "weighted_win_rate"])
def test_many_examples_have_the_interval_of_the_exact_draws(
    reduction: Reduction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other draws of the same distribution differ by their own noise, which many resamples make small."""
    values = np.random.default_rng(12).normal(0.3, size=10_100)
    fast = interval(values, reduction=reduction, resamples=6_000)
    monkeypatch.setattr(bootstrap, "_BY_INDEX", 10**9)
    exact = interval(values, reduction=reduction, resamples=6_000)
    width = exact.high - exact.low
    assert abs(fast.low - exact.low) < 0.05 * width
    assert abs(fast.high - exact.high) < 0.05 * width


def test_the_same_seed_gives_the_same_interval_and_another_gives_another() -> None:
    values = [n / 7 for n in range(50)]
    assert interval(values, seed=1) == interval(values, seed=1)
    assert interval(values, seed=1) != interval(values, seed=2)
    many = [n % 13 / 7 for n in range(20_000)]
    assert interval(many, seed=1) == interval(many[::-1], seed=1)
