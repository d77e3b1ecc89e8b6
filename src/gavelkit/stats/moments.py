"""Mean and standard error of a stream of numbers, in exact arithmetic and constant memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable


class Moments:
    """Count, sum and sum of squares as integers in units of a power of two: no order of arrival can change a bit.

    Every float is a whole number of such units. The unit shrinks when a finer number comes. With `keep` it also holds
    how often each number came, for those who need more than moments: memory grows with the different numbers.
    """

    __slots__ = ("_bits", "_squares", "_total", "counts", "n", "zero_one")

    def __init__(self, values: Iterable[float] = (), *, keep: bool = False) -> None:
        self.n = 0
        self.counts: Counter[float] | None = Counter() if keep else None
        self.zero_one = True
        """Whether every value so far is 0 or 1."""
        self._total = 0
        self._squares = 0
        self._bits = 0
        for value in values:
            self.add(value)

    def add(self, value: float) -> None:
        """Take in one finite number."""
        units, denominator = value.as_integer_ratio()
        bits = denominator.bit_length() - 1
        if bits > self._bits:
            self._total <<= bits - self._bits
            self._squares <<= 2 * (bits - self._bits)
            self._bits = bits
        self.zero_one = self.zero_one and value in {0.0, 1.0}
        units <<= self._bits - bits
        self.n += 1
        if self.counts is not None:
            self.counts[value] += 1
        self._total += units
        self._squares += units * units

    @property
    def ones(self) -> int:
        """How many of the values are 1, where every one is 0 or 1."""
        if not self.zero_one:
            message = "these values are not all 0 or 1"
            raise ValueError(message)
        return self._total

    @property
    def mean(self) -> float:
        """The mean, rounded once. Raises ValueError where there is no value."""
        if not self.n:
            message = "no value has no mean"
            raise ValueError(message)
        return self._total / (self.n << self._bits)

    @property
    def stderr(self) -> float:
        """sqrt(sum of squared deviations / (n (n - 1))). Raises ValueError below two values."""
        if self.n < 2:  # noqa: PLR2004 - one value has no spread
            message = f"a standard error needs two values, not {self.n}"
            raise ValueError(message)
        above = self.n * self._squares - self._total**2
        below = (self.n**2 * (self.n - 1)) << (2 * self._bits)
        if not above:
            return 0.0
        # Brought near 1 by a power of four first, so that the square of a huge or tiny number fits a float.
        half = (above.bit_length() - below.bit_length()) // 2
        ratio = above / (below << 2 * half) if half >= 0 else (above << -2 * half) / below
        return math.ldexp(math.sqrt(ratio), half)
