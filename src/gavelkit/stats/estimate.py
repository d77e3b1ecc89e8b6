"""From moments to a number a reader can trust: value, standard error, interval, or the reason there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gavelkit.core.interval import Interval
from gavelkit.stats.interval import student_t, wilson
from gavelkit.stats.moments import Moments

ONE_EXAMPLE = "one example has no spread, so there is no standard error"
TOO_LARGE = "the bounds of the interval are larger than a number can be"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `n` examples. `reason` says why `value`, `stderr` or `interval` is None."""

    n: int = 0
    value: float | None = None
    stderr: float | None = None
    interval: Interval | None = None
    reason: str = ""


Bootstrap = Callable[[Mapping[float, int]], Estimate]
"""The mean and its interval from how often each number came."""


def estimate(moments: Moments, *, proportion: bool, nothing: str, bootstrap: Bootstrap | None = None) -> Estimate:
    """The mean of the examples, with Wilson's interval where it is a proportion and Student's t otherwise.

    With a `bootstrap`, and moments that keep their numbers, its interval stands in for Student's t.

    With repeats an example's mean may lie between 0 and 1; then a proportion has no whole number of successes, and
    its interval is Student's t as well. `nothing` is the reason where no example is left.
    """
    if not moments.n:
        return Estimate(reason=nothing)
    if moments.n == 1:
        return Estimate(1, moments.mean, reason=ONE_EXAMPLE)
    mean, stderr = moments.mean, moments.stderr
    if proportion and moments.zero_one:
        interval = wilson(moments.ones, moments.n)
    elif bootstrap is not None and moments.counts is not None:
        found = bootstrap(moments.counts)
        return Estimate(moments.n, mean, stderr, found.interval, found.reason)
    else:
        interval = student_t(mean, stderr, moments.n)
    if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return Estimate(moments.n, mean, stderr, reason=TOO_LARGE)
    return Estimate(moments.n, mean, stderr, interval)
