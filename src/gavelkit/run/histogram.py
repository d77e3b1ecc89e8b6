"""Counts scores into at most 21 places as they stream by, whatever their scale."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.judgment import Judgment
from gavelkit.reports.page import Bar

MOST_BARS = 21
_FEWEST_WHOLE = 4
_EQUAL = 20
_EXACT_BITS = 50  # so many bits of a quotient leave its whole part exact


class Bins(Protocol):
    """Takes a judge's scores one by one."""

    def add(self, judgment: Judgment) -> None:
        """Count a judgment that has a score."""
        ...

    def bars(self) -> Iterator[Bar]:
        """What was counted, from the lowest to the highest."""
        ...


def bins_for(criterion: Criterion) -> Bins:
    """The places of a criterion's scores: its options, parts of its range, or whatever is met without a scale."""
    scale = criterion.scale
    if isinstance(scale, Options):
        return OptionBins(scale) if len(scale.scores) <= MOST_BARS else RangeBins(scale.low, scale.high)
    return OpenBins() if scale is None else RangeBins(scale.low, scale.high)


class OptionBins:
    """A bar for each option, in the order of their scores."""

    def __init__(self, scale: Options) -> None:
        self._scores = dict(sorted(scale.scores.items(), key=lambda item: item[1]))
        self._counts: Counter[str] = Counter()

    def add(self, judgment: Judgment) -> None:
        value = judgment.grade.value if judgment.grade else ""
        name = value if isinstance(value, str) else f"{value:g}"
        if name not in self._scores:
            name = next((each for each, score in self._scores.items() if score == judgment.score), name)
        self._counts[name] += 1

    def bars(self) -> Iterator[Bar]:
        for name, score in self._scores.items():
            yield Bar(name, f"{name}, score {score:g}", self._counts[name])


class RangeBins:
    """Parts of a declared range: from one whole number to the next where there are few, else twenty equal ones."""

    def __init__(self, low: float, high: float) -> None:
        self._low, self._high = low, high
        self._whole = low == int(low) and high == int(high) and _FEWEST_WHOLE <= high - low < MOST_BARS
        self._parts = int(high - low) + 1 if self._whole else _EQUAL
        self._counts: Counter[int] = Counter()

    def add(self, judgment: Judgment) -> None:
        score = judgment.score or 0.0
        share = score - self._low if self._whole else self._share(score) * _EQUAL
        self._counts[max(0, min(math.floor(share), self._parts - 1))] += 1

    def bars(self) -> Iterator[Bar]:
        for at in range(self._parts):
            low, above = self._edge(at), self._edge(at + 1)
            if self._whole and at == self._parts - 1:
                told = f"{low:g}"
            else:
                told = f"{low:g} to {above:g}" if at == self._parts - 1 else f"{low:g} to below {above:g}"
            yield Bar(f"{low:g}", told, self._counts[at])

    def _share(self, score: float) -> float:
        # Halved first: the difference of two huge ends is no number.
        width = self._high / 2 - self._low / 2
        return (score / 2 - self._low / 2) / width if width else 0.0

    def _edge(self, at: int) -> float:
        if self._whole:
            return self._low + at
        share = at / _EQUAL
        return self._low * (1 - share) + self._high * share


class OpenBins:
    """Scores without a scale: each value for itself while they are few, then parts whose width is a power of two."""

    def __init__(self) -> None:
        self._values: Counter[float] = Counter()
        self._parts: Counter[int] = Counter()
        self._exponent: int | None = None

    def add(self, judgment: Judgment) -> None:
        score = judgment.score or 0.0
        if self._exponent is not None:
            self._count(score)
            return
        self._values[score] += 1
        if len(self._values) > MOST_BARS:
            self._exponent = _fitting(min(self._values), max(self._values))
            for value, count in self._values.items():
                self._parts[self._part(value)] += count
            self._widen()

    def bars(self) -> Iterator[Bar]:
        if self._exponent is None:
            yield from _values_or_whole(self._values)
            return
        for at in range(min(self._parts), max(self._parts) + 1):
            low, above = _scaled(at, self._exponent), _scaled(at + 1, self._exponent)
            yield Bar(f"{low:g}", f"{low:g} to below {above:g}", self._parts[at])

    def _count(self, score: float) -> None:
        while math.frexp(score)[1] > (self._exponent or 0) + _EXACT_BITS:
            self._double()
        self._parts[self._part(score)] += 1
        self._widen()

    def _part(self, value: float) -> int:
        return math.floor(math.ldexp(value, -(self._exponent or 0)))

    def _widen(self) -> None:
        while max(self._parts) - min(self._parts) >= MOST_BARS:
            self._double()

    def _double(self) -> None:
        self._exponent = (self._exponent or 0) + 1
        doubled: Counter[int] = Counter()
        for at, count in self._parts.items():
            doubled[at // 2] += count
        self._parts = doubled


def _scaled(part: int, exponent: int) -> float:
    try:
        return math.ldexp(part, exponent)
    except OverflowError:
        return math.copysign(math.inf, part)


def _fitting(low: float, high: float) -> int:
    """A width, as a power of two, of which some thirty make up the spread and which still counts exactly."""
    spread = math.frexp(high / 2 - low / 2)[1] + 1
    return max(spread - 5, math.frexp(max(abs(low), abs(high)))[1] - _EXACT_BITS)


def _values_or_whole(values: Counter[float]) -> Iterator[Bar]:
    """Every whole number between the ends where all are whole and near, else the values themselves."""
    places = sorted(values)
    if places and all(float(each).is_integer() for each in places) and places[-1] - places[0] < MOST_BARS:
        places = [places[0] + step for step in range(int(places[-1] - places[0]) + 1)]
    for place in places:
        yield Bar(f"{place:g}", f"{place:g}", values[place])
