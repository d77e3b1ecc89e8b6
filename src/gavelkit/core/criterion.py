"""What is asked, and how a grade becomes a score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from gavelkit.core.errors import OutOfRange


@dataclass(frozen=True, slots=True)
class Range:
    """A scale of numbers, both ends included. `clamp` moves what lies outside to the nearer end."""

    low: float
    high: float
    clamp: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            message = f"a scale runs from a lower to a higher number, not from {self.low} to {self.high}"
            raise ValueError(message)

    def score(self, value: float | str) -> float:
        """The number itself. Raises OutOfRange where it lies outside and the scale does not clamp."""
        number = _number(value)
        if self.low <= number <= self.high:
            return number
        if self.clamp:
            return self.low if number < self.low else self.high
        message = f"{_plain(number)} lies outside the scale {self.low:g} to {self.high:g}"
        raise OutOfRange(message)


@dataclass(frozen=True, slots=True)
class Options:
    """A scale of named options and the score of each, in the order they are shown.

    `descriptions` say when an option fits, for those that need it.
    """

    scores: Mapping[str, float]
    descriptions: Mapping[str, str] = field(default_factory=dict)

    @property
    def reversed(self) -> Options:
        """The same options, the last shown first."""
        return Options({name: self.scores[name] for name in reversed(list(self.scores))}, self.descriptions)

    @property
    def low(self) -> float:
        return min(self.scores.values())

    @property
    def high(self) -> float:
        return max(self.scores.values())

    def score(self, value: float | str) -> float:
        """The option's score. Raises OutOfRange where there is no such option."""
        name = value if isinstance(value, str) else _plain(value)
        if name in self.scores:
            return float(self.scores[name])
        message = f"{name!r} is none of the options {', '.join(self.scores)}"
        raise OutOfRange(message)


@dataclass(frozen=True, slots=True)
class Criterion:
    """What is asked of a response, and the scale of the answer (None: any finite number).

    `description` is the question in words. `prediction_field` names the column that holds the response where a row
    has none by its usual names; `context_fields` the paths of what is shown beside it, by the names shown.
    """

    name: str
    scale: Range | Options | None = None
    higher_is_better: bool = True
    description: str = ""
    prediction_field: str = ""
    context_fields: Mapping[str, str] = field(default_factory=dict)

    def score(self, value: float | str) -> float:
        """Place a grade on the scale. Raises OutOfRange where it does not fit."""
        return _number(value) if self.scale is None else self.scale.score(value)

    @property
    def worst(self) -> float | None:
        """The end of the scale that a failure would get; None where no scale is declared."""
        if self.scale is None:
            return None
        return self.scale.low if self.higher_is_better else self.scale.high

    @property
    def best(self) -> float | None:
        """The other end; None where no scale is declared."""
        if self.scale is None:
            return None
        return self.scale.high if self.higher_is_better else self.scale.low

    def passes(self, score: float, threshold: float) -> bool:
        """Whether a score reaches the threshold, from the better side."""
        return score >= threshold if self.higher_is_better else score <= threshold

    def passed(self, score: float | None, threshold: float | None) -> bool | None:
        """The same for a judgment; None where it has no score, or its judge no threshold."""
        return None if score is None or threshold is None else self.passes(score, threshold)

    @property
    def binary(self) -> bool | None:
        """Whether scores can only be 0 or 1; None where the scores themselves must tell: no scale, or one of shares."""
        if isinstance(self.scale, Options):
            if set(self.scale.scores.values()) <= {0.0, 1.0}:
                return True
            return None if (self.scale.low, self.scale.high) == (0.0, 1.0) else False
        return None if self.scale is None else False


def _plain(number: float) -> str:
    """As a reader writes it, `8` and not `8.0`, but never rounded."""
    short = f"{number:g}"
    return short if float(short) == number else str(number)


def _number(value: float | str) -> float:
    try:
        number = float(value)
    except ValueError as error:
        message = f"{value!r} is not a number"
        raise OutOfRange(message) from error
    if math.isfinite(number):
        return number
    message = f"{number} is not a finite number"
    raise OutOfRange(message)
