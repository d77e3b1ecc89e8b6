"""How numbers are written for people."""

from __future__ import annotations

import math

_LARGE = 1e6
_FEWEST = 2
_MOST = 4


def decimals_for(stderrs: list[float]) -> int:
    """As many decimals as show two digits of the smallest standard error, at least 2 and at most 4."""
    smallest = min((each for each in stderrs if each > 0), default=1.0)
    return max(_FEWEST, min(_MOST, 1 - math.floor(math.log10(smallest))))


def number(value: float | None, decimals: int = _FEWEST) -> str:
    """A number with so many decimals, fewer where it is large; `-` where there is none."""
    if value is None:
        return "-"
    if abs(value) >= _LARGE:
        return f"{value:.3g}"
    fitting = decimals if abs(value) < 1000 else _FEWEST  # noqa: PLR2004 - six digits say enough
    # A rounded -0.004 is no negative number to a reader; z is the format's own word for that.
    return f"{value:z.{fitting}f}"


def percent(share: float | None) -> str:
    """A share in percent; `-` where there is none."""
    return "-" if share is None else f"{100 * share:.1f} %"


def plain(value: float) -> str:
    """A number a user set, as short as it can be said: 0.1, 7."""
    return f"{value:g}"


def counted(n: int, noun: str) -> str:
    """`1 call`, `12,000 calls`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
