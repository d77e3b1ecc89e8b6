"""The bias-corrected and accelerated bootstrap (BCa, Efron 1987) of a mean and of a weighted win rate.

Both are a ratio of two sums over examples, so the jackknife has a closed form. With z0 the normal quantile of the
share of resamples below the value (ties count half) and a the acceleration from the jackknife, the bound at z is the
resamples' quantile at Phi(z0 + (z0 + z) / (1 - a (z0 + z))).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gavelkit.core.interval import Interval
from gavelkit.stats.estimate import ONE_EXAMPLE, Estimate
from gavelkit.stats.quantile import normal_quantile

BCA = "BCa bootstrap"
RESAMPLES = 1000
NO_EXAMPLE = "no example was scored"
TOO_FAR = "the scores are too large or too far apart for numbers to hold their interval"

Reduction = Literal["mean", "weighted_win_rate"]
"""How the scores of the examples become one number.

`mean` is their mean. In `weighted_win_rate` a score above 0 is as many wins, one below 0 as many losses, and 0 is a
win and a loss; the value is the share of wins.
"""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_BY_INDEX = 10_000
"""Up to so many examples are drawn one by one; beyond, it is drawn how often each value occurs."""
_DISTINCT = 2_000
_BINS = 4_096
_AT_ONCE = 1_000_000
"""Draws held in memory at a time."""
_ROUNDING = 1e-13
"""Two sums of the same examples in another order may differ by so much, relative to the largest."""


@dataclass(frozen=True, slots=True)
class _Terms:
    """For each distinct score its summands above and below the fraction line, and how many examples have it."""

    scores: Floats
    above: Floats
    below: Floats | None
    """None where every example counts 1 there."""
    counts: Counts

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    @property
    def ratios(self) -> Floats:
        return self.above if self.below is None else self.above / self.below

    def jackknife(self) -> Floats:
        """What the ratio becomes without one example, less what it is."""
        whole, under = self.sums()
        below = 1.0 if self.below is None else self.below
        return (whole - self.above) / (under - below) - whole / under

    def sums(self) -> tuple[float, float]:
        """Both sums over all examples."""
        below = self.n if self.below is None else _weighted(self.below, self.counts)
        return _weighted(self.above, self.counts), float(below)


def bca(
    values: Sequence[float] | Floats | Mapping[float, int],
    *,
    seed: int,
    reduction: Reduction = "mean",
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """The reduction of one finite score for each example (or of how often each score occurs), with its interval.

    `stderr` is the standard deviation over the resamples. The order of the scores changes nothing. Where all examples
    agree the interval is the point; below two examples there is none. Up to 2 000 distinct scores, or 10 000 examples,
    the resamples are exact; beyond, scores are put into 4 096 bins of equal width, each at its mean.
    Raises ValueError where a score is no finite number, a count is below 0 or the level is not between 0 and 1.
    """
    if not 0 < level < 1 or resamples < 2:  # noqa: PLR2004 - two resamples are the fewest that differ
        message = f"the bootstrap needs a level between 0 and 1 and two resamples, not {level} and {resamples}"
        raise ValueError(message)
    scores, counts = _distinct(values)
    n = int(counts.sum())
    if not n:
        return Estimate(reason=NO_EXAMPLE)
    terms = _TERMS[reduction](scores, counts)
    value = _value(terms)
    if n == 1 and value is not None:
        return Estimate(n, value, reason=ONE_EXAMPLE)
    if value is None:
        return Estimate(n, reason=TOO_FAR)
    if terms.ratios.min() == terms.ratios.max():
        return Estimate(n, value, 0.0, Interval(value, value, level, BCA))
    with np.errstate(all="ignore"):  # what is not finite is found below
        found = _draw(terms, np.random.default_rng(seed), resamples)
        shares = _shares(found, terms, level)
        spread = float(np.std(found, ddof=1))
        if not (math.isfinite(spread) and np.isfinite(shares).all()):
            return Estimate(n, value, reason=TOO_FAR)
        low, high = np.quantile(found, shares)
    return Estimate(n, value, spread, Interval(float(low), float(high), level, BCA))


def _distinct(values: Sequence[float] | Floats | Mapping[float, int]) -> tuple[Floats, Counts]:
    """The distinct scores in ascending order, and how often each occurs."""
    if isinstance(values, Mapping):
        given = np.fromiter(values.keys(), float, len(values))
        weights = np.fromiter(values.values(), np.int64, len(values))
        order = np.argsort(given, kind="stable")
        scores, counts = given[order][weights[order] != 0], weights[order][weights[order] != 0]
    else:
        scores, counts = np.unique(np.asarray(values, float), return_counts=True)
    if not np.isfinite(scores).all() or (counts < 0).any():
        message = "every score is a finite number, and occurs at least 0 times"
        raise ValueError(message)
    return scores + 0.0, counts  # -0.0 and 0.0 are one score


def _mean_terms(scores: Floats, counts: Counts) -> _Terms:
    return _Terms(scores, scores, None, counts)


def _win_terms(scores: Floats, counts: Counts) -> _Terms:
    wins = np.where(scores > 0, scores, np.where(scores == 0, 1.0, 0.0))
    battles = np.where(scores == 0, 2.0, np.abs(scores))
    return _Terms(scores, wins, battles, counts)


_TERMS: Mapping[Reduction, Callable[[Floats, Counts], _Terms]] = {
    "mean": _mean_terms,
    "weighted_win_rate": _win_terms,
}


def _value(terms: _Terms) -> float | None:
    """The ratio, from sums that are rounded once; None where no float holds a sum."""
    try:
        above = _exact_sum(terms.above, terms.counts)
        return above / (terms.n if terms.below is None else _exact_sum(terms.below, terms.counts))
    except OverflowError:
        return None


def _exact_sum(summands: Floats, counts: Counts) -> float:
    if len(summands) > _DISTINCT:
        return math.fsum(np.repeat(summands, counts).tolist())
    pairs = zip(summands.tolist(), counts.tolist(), strict=True)
    return float(sum(Fraction(each) * count for each, count in pairs))


def _draw(terms: _Terms, generator: np.random.Generator, resamples: int) -> Floats:
    """The ratio in each resample."""
    if terms.n <= _BY_INDEX:
        return np.concatenate(list(_by_index(terms, generator, resamples)))
    binned = _binned(terms) if len(terms.counts) > _DISTINCT else terms
    drawn = generator.multinomial(binned.n, binned.counts / binned.n, resamples).astype(float)
    above = _each_weighted(binned.above, drawn)
    return above / (binned.n if binned.below is None else _each_weighted(binned.below, drawn))


def _by_index(terms: _Terms, generator: np.random.Generator, resamples: int) -> Iterator[Floats]:
    """A few resamples at a time; together the same draws as all at once."""
    n = terms.n
    above = np.repeat(terms.above, terms.counts)
    below = None if terms.below is None else np.repeat(terms.below, terms.counts)
    step = max(1, _AT_ONCE // n)
    for start in range(0, resamples, step):
        places = generator.integers(0, n, (min(step, resamples - start), n))
        total = above[places].sum(axis=1)
        yield total / (n if below is None else below[places].sum(axis=1))


def _binned(terms: _Terms) -> _Terms:
    """The terms in bins of equal width by their score, each bin at its mean."""
    edges = np.linspace(terms.scores.min(), terms.scores.max(), _BINS + 1)[1:-1]
    bins = np.searchsorted(edges, terms.scores, side="right")
    counts = np.bincount(bins, terms.counts, _BINS)
    filled = counts > 0

    def means(summands: Floats) -> Floats:
        return np.asarray(np.bincount(bins, summands * terms.counts, _BINS)[filled] / counts[filled])

    below = None if terms.below is None else means(terms.below)
    return _Terms(means(terms.scores), means(terms.above), below, counts[filled].astype(np.int64))


def _shares(found: Floats, terms: _Terms, level: float) -> list[float]:
    """Which shares of the resamples lie below the interval's ends, corrected for bias and for skewness."""
    above, under = terms.sums()
    value = above / under
    nearly = _ROUNDING * float(np.abs(terms.ratios).max())
    below = np.count_nonzero(found < value - nearly) + np.count_nonzero(found <= value + nearly)
    # Where no resample lies on one side, half a one is taken to, so that the quantile is finite.
    bias = normal_quantile(min(max(below / 2, 0.5), len(found) - 0.5) / len(found))
    acceleration = _acceleration(terms)
    reach = normal_quantile((1 + level) / 2)
    return [_corrected(bias, acceleration, z) for z in (-reach, reach)]


def _weighted(summands: Floats, counts: Counts) -> float:
    """Not by `@`: how a linear algebra library splits a sum over its threads would show in the last digit."""
    return float((summands * counts).sum())


def _each_weighted(summands: Floats, drawn: Floats) -> Floats:
    """The same for each row of `drawn`."""
    return np.asarray(np.einsum("ij,j->i", drawn, summands))


def _acceleration(terms: _Terms) -> float:
    """A sixth of the skewness of what each example adds; brought near 1 first, so that no power leaves the floats."""
    without = terms.jackknife()
    less = _weighted(without, terms.counts) / terms.n - without
    largest = np.abs(less).max()
    if not largest:  # the differences are below the smallest number
        return 0.0
    less /= largest
    squares = less * less
    spread = _weighted(squares, terms.counts)
    return _weighted(squares * less, terms.counts) / (6 * spread * math.sqrt(spread))


def _corrected(bias: float, acceleration: float, z: float) -> float:
    """The share of the resamples below the bound at `z`."""
    moved = bias + z
    shrunk = 1 - acceleration * moved
    if shrunk <= 0:  # beyond the formula's pole: as far out as there are resamples
        return 1.0 if moved > 0 else 0.0
    return 0.5 * math.erfc(-(bias + moved / shrunk) / math.sqrt(2))
