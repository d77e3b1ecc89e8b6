"""Intervals of Bradley and Terry's strengths: the percentile bootstrap over examples, all resamples at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gavelkit.core.interval import Interval
from gavelkit.core.standings import Figure
from gavelkit.stats.bradley_terry import Floats, bradley_terry, settled, shown, strengths_of
from gavelkit.stats.estimate import ONE_EXAMPLE
from gavelkit.stats.row_patterns import Meeting, Patterns

PERCENTILE = "percentile bootstrap"
MOST_UNSETTLED = 0.05
"""Where a larger share of the resamples determines no strengths, an interval of the rest would mislead."""

_AT_ONCE = 4_000_000
"""Numbers held in memory at a time."""
_FINEST = 2**20
"""Shares with a common denominator up to this are counted in whole parts, whose sums are exact in any order."""


@dataclass(frozen=True, slots=True)
class StrengthFigures:
    """By system the strength as shown, and how many resamples determined none."""

    figures: Mapping[str, Figure] = field(default_factory=dict)
    reason: str = ""
    unsettled: int = 0


def strength_figures(patterns: Patterns, *, seed: int, resamples: int, level: float = 0.95) -> StrengthFigures:
    """The strengths of the systems that have a verdict, from examples counted by pattern, each with its interval.

    In an example each two systems count once, with the mean of their repeats.
    """
    names, tables, counts = _tables(patterns)
    n = int(counts.sum())
    found = strengths_of(names, np.asarray((tables * counts[:, np.newaxis, np.newaxis]).sum(axis=0)))
    if found.reason:
        return StrengthFigures(reason=found.reason)
    if n == 1:
        return StrengthFigures({name: Figure(value, 1, reason=ONE_EXAMPLE) for name, value in found.shown.items()})
    drawn = _drawn(tables, counts, np.random.default_rng(seed), resamples)
    unsettled = resamples - len(drawn)
    if unsettled > MOST_UNSETTLED * resamples:
        reason = f"{unsettled} of {resamples} resamples have no finite strengths, so there is no interval"
        return StrengthFigures(
            {name: Figure(value, n, reason=reason) for name, value in found.shown.items()}, unsettled=unsettled
        )
    ends = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0).tolist()
    intervals = {name: Interval(low, high, level, PERCENTILE) for name, low, high in zip(names, *ends, strict=True)}
    figures = {name: Figure(value, n, intervals[name]) for name, value in found.shown.items()}
    return StrengthFigures(figures, unsettled=unsettled)


def _tables(patterns: Patterns) -> tuple[list[str], Floats, Floats]:
    """The systems that have a verdict; for each pattern the table of wins, and how many examples have it.

    The tables' unit is arbitrary: strengths do not depend on it.
    """
    shares = {place: each.share for place, each in enumerate(patterns.meetings) if each.share is not None}
    names = sorted({name for place in shares for name in _pair(patterns.meetings[place])})
    known = [(judged, n) for row, n in patterns.rows if (judged := [place for place in row if place in shares])]
    parts = math.lcm(*{share.denominator for share in shares.values()})
    unit = parts if parts <= _FINEST else 1
    won = np.zeros((len(patterns.meetings), 2))
    sides = np.zeros((len(patterns.meetings), 2), int)
    for place, share in shares.items():
        won[place] = float(unit * share), float(unit * (1 - share))
        sides[place] = [names.index(name) for name in _pair(patterns.meetings[place])]
    number = np.repeat(np.arange(len(known)), [len(row) for row, _ in known])
    met = np.array([place for row, _ in known for place in row], int)
    tables = np.zeros((len(known), len(names), len(names)))
    tables[number, sides[met, 0], sides[met, 1]] = won[met, 0]
    tables[number, sides[met, 1], sides[met, 0]] = won[met, 1]
    return names, tables, np.array([n for _, n in known], float)


def _pair(meeting: Meeting) -> tuple[str, str]:
    return meeting.one, meeting.other


def _drawn(tables: Floats, counts: Floats, generator: np.random.Generator, resamples: int) -> Floats:
    """The strengths as shown in each resample that determines some, shape (resamples, systems)."""
    patterns, systems, _ = tables.shape
    flat, share = tables.reshape(patterns, systems * systems), counts / counts.sum()
    step = max(1, _AT_ONCE // max(patterns, systems * systems))
    found = []
    for start in range(0, resamples, step):
        weights = generator.multinomial(int(counts.sum()), share, min(step, resamples - start)).astype(float)
        wins = np.asarray((weights @ flat).reshape(-1, systems, systems))
        found.append(shown(bradley_terry(wins[settled(wins)])))
    return np.concatenate(found)
