"""Quantiles and distribution functions: the normal and Student's t, for any degrees of freedom above 0.

Student's t follows from the regularised incomplete beta function (DLMF 8.17.2 and 26.5.27 of Abramowitz and Stegun):
with x = df / (df + t^2), P(T > t) = I_x(df/2, 1/2) / 2. I_x is its continued fraction, DLMF 8.17.22, summed by the
modified Lentz method (Thompson and Barnett 1986). Above 10 000 degrees of freedom, where x is too near 1 for that,
t is turned into a normal deviate by the series of Hill 1970 (Algorithm 395, Communications of the ACM 13, 617-619).
"""

from __future__ import annotations

import math
from statistics import NormalDist

_NORMAL = NormalDist()
_TINY = 1e-300
_STEPS = 10_000
_ENOUGH = 1e-15
_NEARLY_NORMAL = 1e4


def normal_quantile(probability: float) -> float:
    """The value that a standard normal variable stays below with this probability."""
    _check(probability)
    return _NORMAL.inv_cdf(probability)


def student_t_cdf(t: float, df: float) -> float:
    """The probability that Student's t with `df` degrees of freedom is at most `t`."""
    if not df > 0 or math.isnan(t):
        message = f"Student's t needs a number and more than 0 degrees of freedom, not t = {t} and df = {df}"
        raise ValueError(message)
    if t == 0:
        return 0.5
    if math.isinf(t):
        return 1.0 if t > 0 else 0.0
    central, tail, _ = _masses(abs(t), df)
    return 0.5 + central if t > 0 else tail


def student_t_quantile(probability: float, df: float) -> float:
    """The value that Student's t stays below with this probability; infinite where no float can hold it."""
    _check(probability)
    if not df > 0:
        message = f"Student's t needs more than 0 degrees of freedom, not {df}"
        raise ValueError(message)
    if probability == 0.5:  # noqa: PLR2004 - the middle of a symmetric distribution, where the logarithm below ends
        return 0.0
    tail = min(probability, 1 - probability)
    try:
        distance = _upper_quantile(tail, df)
    except OverflowError:
        distance = math.inf
    return distance if probability > tail else -distance


def _check(probability: float) -> None:
    if not 0 < probability < 1:
        message = f"a probability between 0 and 1 is needed, not {probability}"
        raise ValueError(message)


def _upper_quantile(tail: float, df: float) -> float:
    """Newton's method for log t on the logarithm of the smaller mass.

    Both logarithms are concave in log t and the normal quantile lies on the near side, so no step can run away.
    """
    place = math.log(-_NORMAL.inv_cdf(tail))
    by_tail = tail < 0.25  # noqa: PLR2004 - whichever of the two masses is smaller keeps its digits
    for _ in range(_STEPS):
        central, beyond, slope = _masses(math.exp(place), df)
        if by_tail:
            step = math.log(beyond / tail) * beyond / slope
        else:
            step = math.log((0.5 - tail) / central) * central / slope
        place += step
        # Each step squares the error, so a small one is the last; waiting for zero would wait on rounding noise.
        if abs(step) < 1e-10:  # noqa: PLR2004 - as the comment says
            break
    return math.exp(place)


def _masses(t: float, df: float) -> tuple[float, float, float]:
    """P(0 < T < t), P(T > t) and t times the density, for t > 0."""
    half = df / 2
    ratio = t / math.sqrt(df)
    log_sum = math.log1p(ratio * ratio) if ratio < 1 / _ENOUGH else 2 * math.log(ratio)
    slope = math.exp(math.log(ratio) - (half + 0.5) * log_sum + _log_gamma_gap(half) - math.log(math.pi) / 2)
    if df > _NEARLY_NORMAL:
        deviate = _normal_deviate(log_sum, df) / math.sqrt(2)
        return math.erf(deviate) / 2, math.erfc(deviate) / 2, slope
    near = math.exp(-log_sum)
    if near < (half + 1) / (half + 2.5):
        tail = slope / df * _beta_fraction(half, 0.5, near)
        return 0.5 - tail, tail, slope
    central = slope * _beta_fraction(0.5, half, -math.expm1(-log_sum))
    return central, 0.5 - central, slope


def _normal_deviate(log_sum: float, df: float) -> float:
    """Hill's deviate, with log(1 + t^2 / df) given."""
    free = df - 0.5
    scale = 48 * free * free
    w = math.sqrt(free * log_sum)
    second = w * (4 * w**6 + 33 * w**4 + 240 * w**2 + 855) / (10 * scale * (scale + 0.8 * w**4 + 100))
    return w + w * (w * w + 3) / scale - second


def _log_gamma_gap(half: float) -> float:
    """log(gamma(a + 1/2) / gamma(a)), by its asymptotic series where the two logarithms would cancel."""
    if half < 50:  # noqa: PLR2004 - from here on four terms of the series are exact to a float
        return math.lgamma(half + 0.5) - math.lgamma(half)
    series = 1 / (8 * half) - 1 / (192 * half**3) + 1 / (640 * half**5) - 17 / (14336 * half**7)
    return math.log(half) / 2 - series


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b), to be multiplied by x^a (1-x)^b / (a B(a, b))."""
    numerator = 1.0
    denominator = 1 / _away(1 - (a + b) * x / (a + 1))
    value = denominator
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            denominator = 1 / _away(1 + term * denominator)
            numerator = _away(1 + term / numerator)
            change = numerator * denominator
            value *= change
        if abs(change - 1) <= _ENOUGH:
            break
    return value


def _away(value: float) -> float:
    """The value itself, or a tiny one in place of zero."""
    return value if abs(value) > _TINY else _TINY
