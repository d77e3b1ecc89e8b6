"""Confidence intervals: Wilson's for a proportion, Student's t for a mean."""

from __future__ import annotations

import math

from gavelkit.core.interval import Interval
from gavelkit.stats.quantile import normal_quantile, student_t_quantile

WILSON = "wilson"
STUDENT_T = "student t"


def wilson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Wilson's score interval (Newcombe 1998, method 3), never outside 0 to 1.

    Raises ValueError where there is nothing to divide by, or where `successes` is no count out of `n`.
    """
    if n < 1 or not 0 <= successes <= n or successes != int(successes):
        message = f"a proportion needs whole successes out of at least one, not {successes} of {n}"
        raise ValueError(message)
    z = normal_quantile(_upper(level))
    share = successes / n
    centre = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    whole = 1 + z * z / n
    # At both ends the bound is exact, and rounding would leave -1e-17 or 0.9999999999999999 there.
    low = 0.0 if successes == 0 else max(0.0, (centre - reach) / whole)
    high = 1.0 if successes == n else min(1.0, (centre + reach) / whole)
    return Interval(low, high, level, WILSON)


def student_t(mean: float, stderr: float, n: int, *, level: float = 0.95) -> Interval:
    """Mean and standard error of `n` independent values, with n - 1 degrees of freedom.

    Raises ValueError below two values, where there is no spread to go by.
    """
    if n < 2 or not stderr >= 0:  # noqa: PLR2004 - two values are the fewest that differ
        message = f"an interval needs two values and a standard error, not n = {n} and {stderr}"
        raise ValueError(message)
    reach = student_t_quantile(_upper(level), n - 1) * stderr
    return Interval(mean - reach, mean + reach, level, STUDENT_T)


def _upper(level: float) -> float:
    if not 0 < level < 1:
        message = f"a level lies between 0 and 1, as 0.95 does, not {level}"
        raise ValueError(message)
    return (1 + level) / 2
