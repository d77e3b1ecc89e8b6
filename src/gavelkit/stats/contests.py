"""What the judgments of a judge of pairs come to: where each system stands, and how steady the judge was."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from gavelkit.core.judgment import Judgment
from gavelkit.core.standings import Contests, Figure, RowStanding, Standing
from gavelkit.stats.bootstrap import RESAMPLES, bca
from gavelkit.stats.estimate import ONE_EXAMPLE
from gavelkit.stats.interval import wilson
from gavelkit.stats.ratings import Elo, Meetings, competition_ranks
from gavelkit.stats.row_patterns import Patterns, RowPatterns, counted, meetings, outcome
from gavelkit.stats.strength_intervals import StrengthFigures, strength_figures

EVEN = 0.5
NOT_BOTH = "no contest was read in both orders"
NO_WINNER = "no reading named a winner"
NO_VERDICT = "no contest of this system has a verdict"
_SHOWN_FIRST = {"selection": "A", "positional_bias_selection": "B"}
"""Of a grade's two readings the winner, by the slot's order of systems, who was shown first."""


class ContestTally:
    """Takes in the judgments of one judge, the contests of an example one after the other; keeps only counts."""

    def __init__(self, judge: str) -> None:
        self._judge = judge
        self._patterns = RowPatterns()
        self._elo = Elo()
        self._kinds: Counter[tuple[str, str]] = Counter()
        self._systems: set[str] = set()
        self._totals: Counter[str] = Counter()

    def add(self, judgment: Judgment) -> None:
        """Take in one judgment. Raises GavelError where it is no contest of two systems."""
        self._patterns.add(judgment)
        found = outcome(judgment)
        self._systems.update(judgment.slot.systems)
        self._steadiness(judgment)
        if found is None:
            return
        one, other, share = found
        if share is None:
            self._count(one, other, "failed", "failed")
            return
        self._elo.add(one, other, share=share)
        kinds = ("tie", "tie") if share == EVEN else ("win", "loss") if share > EVEN else ("loss", "win")
        self._count(one, other, *kinds)

    def conclude(self, *, seed: int, resamples: int = RESAMPLES, level: float = 0.95) -> Contests:
        """What they come to. The order of the examples changes Elo's ratings and nothing else."""
        patterns = self._patterns.patterns()
        strengths = strength_figures(patterns, seed=seed, resamples=resamples, level=level)
        shares = _Shares(patterns)
        met = _met(patterns)
        systems = sorted(self._systems)
        rates = {each: _win_rate(shares.judged[each], seed, resamples, level) for each in systems}
        ranks = _ranks({system: rates[system].value for system in systems})
        standings = [
            self._standing(each, rates[each], ranks.get(each), shares, _strength(each, strengths), met)
            for each in systems
        ]
        both, differ = self._totals["both"], self._totals["differ"]
        return Contests(
            judge=self._judge,
            examples=patterns.examples,
            contests=self._totals["judged"],
            failed=self._totals["failed"],
            standings=tuple(sorted(standings, key=lambda each: (each.rank or len(systems) + 1, each.system))),
            position_bias=_proportion(differ, both, level, NOT_BOTH),
            consistency=_proportion(both - differ, both, level, NOT_BOTH),
            first_position=_proportion(self._totals["first"], self._totals["named"], level, NO_WINNER),
            seed=seed,
            resamples=resamples,
            unsettled=strengths.unsettled,
        )

    def _standing(
        self, system: str, rate: Figure, rank: int | None, shares: _Shares, strength: Figure, met: Meetings
    ) -> Standing:
        wins, ties, losses, failed = (self._kinds[system, kind] for kind in ("win", "tie", "loss", "failed"))
        return Standing(
            system=system,
            contests=wins + ties + losses,
            wins=wins,
            ties=ties,
            losses=losses,
            failed=failed,
            win_rate=rate,
            worst=_mean(shares.worst[system]),
            best=_mean(shares.best[system]),
            rank=rank,
            strength=strength,
            elo=self._elo.ratings.get(system),
            average_win_rate=met.average_win_rate(system) if system in met.won else None,
        )

    def _count(self, one: str, other: str, kind: str, other_kind: str) -> None:
        self._kinds[one, kind] += 1
        self._kinds[other, other_kind] += 1
        self._totals["failed" if kind == "failed" else "judged"] += 1

    def _steadiness(self, judgment: Judgment) -> None:
        if judgment.position_bias is not None:
            self._totals["both"] += 1
            self._totals["differ"] += judgment.position_bias
        parts = judgment.grade.parts if judgment.grade else {}
        for part, first in _SHOWN_FIRST.items():
            winner = parts.get(part)
            if winner in {"A", "B"}:
                self._totals["named"] += 1
                self._totals["first"] += winner == first


def contests(
    judgments: Iterable[Judgment], judge: str, *, seed: int, resamples: int = RESAMPLES, level: float = 0.95
) -> Contests:
    """What these judgments of one judge come to, streamed once."""
    tally = ContestTally(judge)
    for judgment in judgments:
        tally.add(judgment)
    return tally.conclude(seed=seed, resamples=resamples, level=level)


def row_standings(judgments: Sequence[Judgment]) -> tuple[RowStanding, ...]:
    """Where each system stands in one example, by its judgments: the best first, those without a verdict last."""
    met = meetings(each for each in map(outcome, judgments) if each)
    shares = _Shares(counted([(met, 1)]))
    systems = sorted({name for judgment in judgments for name in judgment.slot.systems})
    rates = {system: _mean(shares.judged[system]) for system in systems}
    ranks = _ranks(rates)
    standings = [
        RowStanding(
            system=system,
            contests=sum(each.judged for each in met if system in {each.one, each.other}),
            failed=sum(each.failed for each in met if system in {each.one, each.other}),
            win_rate=rate,
            rank=ranks.get(system),
        )
        for system, rate in rates.items()
    ]
    return tuple(sorted(standings, key=lambda each: (each.rank or len(standings) + 1, each.system)))


Counts = Counter[Fraction]
"""How many examples have each share."""


class _Shares:
    """For each system how many examples it won how much of; `worst` and `best` with the failed contests lost or won."""

    def __init__(self, patterns: Patterns) -> None:
        sides = [
            (each.one, each.other, list(zip(each.shares(each.one), each.shares(each.other), strict=True)))
            for each in patterns.meetings
        ]
        self.judged, self.worst, self.best = (
            _by_system([(one, other, shares[kind]) for one, other, shares in sides], patterns) for kind in range(3)
        )


def _by_system(
    sides: Sequence[tuple[str, str, tuple[Fraction | None, Fraction | None]]], patterns: Patterns
) -> defaultdict[str, Counts]:
    """For each system the mean of its shares in an example, counted over the examples.

    The shares are counted in whole parts of a common unit, since adding fractions takes many times as long.
    """
    known = {place: (one, other, *pair) for place, (one, other, pair) in enumerate(sides) if None not in pair}
    unit = math.lcm(*{share.denominator for _, _, *pair in known.values() for share in pair if share is not None})
    parts = {
        place: (one, int(unit * (mine or 0)), other, int(unit * (theirs or 0)))
        for place, (one, other, mine, theirs) in known.items()
    }
    sums: defaultdict[tuple[str, int, int], int] = defaultdict(int)
    for row, n in patterns.rows:
        found: dict[str, tuple[int, int]] = {}
        for one, mine, other, theirs in (parts[place] for place in row if place in parts):
            for system, share in ((one, mine), (other, theirs)):
                total, times = found.get(system, (0, 0))
                found[system] = total + share, times + 1
        for system, (total, times) in found.items():
            sums[system, total, times] += n
    counts: defaultdict[str, Counts] = defaultdict(Counter)
    for (system, total, times), n in sums.items():
        counts[system][Fraction(total, times * unit)] += n
    return counts


def _win_rate(counts: Counts, seed: int, resamples: int, level: float) -> Figure:
    """The mean over the examples that have a verdict, with Wilson's interval where each was won or lost whole."""
    n, value = counts.total(), _mean(counts)
    if value is None or n == 1:
        return Figure(value, n, reason=ONE_EXAMPLE if n else NO_VERDICT)
    if counts.keys() <= {0, 1}:
        return Figure(value, n, wilson(counts[Fraction(1)], n, level=level))
    merged: Counter[float] = Counter()
    for share, times in counts.items():
        merged[float(share)] += times
    found = bca(merged, seed=seed, resamples=resamples, level=level)
    return Figure(value, n, found.interval, found.reason)


def _mean(counts: Counts) -> float | None:
    """The mean, rounded once, so that what one of two systems won and the other lost add up to 1."""
    if not counts:
        return None
    return float(sum((share * times for share, times in counts.items()), Fraction()) / counts.total())


def _met(patterns: Patterns) -> Meetings:
    times = Counter[int]()
    for row, n in patterns.rows:
        for place in row:
            times[place] += n
    met = Meetings()
    for place, each in enumerate(patterns.meetings):
        if each.share is not None:
            met.add(each.one, each.other, share=each.share, times=times[place])
    return met


def _ranks(values: dict[str, float | None]) -> dict[str, int]:
    known = {name: value for name, value in values.items() if value is not None}
    return dict(zip(known, competition_ranks(list(known.values())), strict=True))


def _strength(system: str, found: StrengthFigures) -> Figure:
    return found.figures.get(system, Figure(reason=found.reason or NO_VERDICT))


def _proportion(successes: int, n: int, level: float, nothing: str) -> Figure:
    return Figure(successes / n, n, wilson(successes, n, level=level)) if n else Figure(reason=nothing)
