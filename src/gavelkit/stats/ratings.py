"""Ratings of systems from their contests, one line each: counts, win rates, Elo, and ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

Contest = tuple[str, str, float]
"""Two systems, and the first one's share: 1 where it wins, 0.5 for a tie, 0 where it loses."""

ELO_START = 1000.0
ELO_SCALE = 400.0
ELO_STEP = 4.0


class Meetings:
    """For each two systems that met: how often, and how much of it each won, in exact arithmetic."""

    def __init__(self) -> None:
        self.won: defaultdict[str, dict[str, Fraction]] = defaultdict(dict)
        """By system and opponent."""

    def add(self, one: str, other: str, *, share: Fraction, times: int = 1) -> None:
        """Take in as many contests alike."""
        self.won[one][other] = self.won[one].get(other, Fraction()) + share * times
        self.won[other][one] = self.won[other].get(one, Fraction()) + (1 - share) * times

    def count(self, system: str) -> float:
        """Wins and half the ties."""
        return float(sum(self.won[system].values()))

    def win_rate(self, system: str) -> float:
        """Wins and half the ties over the contests."""
        won = self.won[system]
        return float(sum(won.values()) / sum(each + self.won[other][system] for other, each in won.items()))

    def average_win_rate(self, system: str) -> float:
        """The mean of the win rates over the opponents met, each opponent alike."""
        won = self.won[system]
        rates = [each / (each + self.won[other][system]) for other, each in won.items()]
        return float(sum(rates) / len(rates))


def counting(contests: Iterable[Contest]) -> dict[str, float]:
    """Wins and half the ties of each system."""
    met = _meetings(contests)
    return {system: met.count(system) for system in met.won}


def win_rates(contests: Iterable[Contest]) -> dict[str, float]:
    """Wins and half the ties over the contests of each system."""
    met = _meetings(contests)
    return {system: met.win_rate(system) for system in met.won}


def average_win_rates(contests: Iterable[Contest]) -> dict[str, float]:
    """The mean of each system's win rates over the opponents it met, each opponent alike."""
    met = _meetings(contests)
    return {system: met.average_win_rate(system) for system in met.won}


def _meetings(contests: Iterable[Contest]) -> Meetings:
    met = Meetings()
    for one, other, share in contests:
        met.add(one, other, share=Fraction(share))
    return met


class Elo:
    """Elo's ratings (1978), contest by contest: their order matters.

    The winner is expected to win 1 / (1 + 10 ** (difference / `scale`)); what is won beyond that, times `step`, moves
    from one rating to the other. All start at `start`.
    """

    def __init__(self, *, start: float = ELO_START, scale: float = ELO_SCALE, step: float = ELO_STEP) -> None:
        self._start = start
        self._scale = scale
        self._step = step
        self.ratings: dict[str, float] = {}

    def add(self, one: str, other: str, *, share: float) -> None:
        """Take in one contest."""
        mine, theirs = self.ratings.get(one, self._start), self.ratings.get(other, self._start)
        expected = 1 / (1 + 10 ** ((theirs - mine) / self._scale))
        moved = self._step * (share - expected)
        self.ratings[one] = mine + moved
        self.ratings[other] = theirs - moved


def elo(contests: Iterable[Contest]) -> dict[str, float]:
    """Elo's ratings after these contests in this order: from 1000, 400 for a factor of ten, at most 4 a contest."""
    ratings = Elo()
    for one, other, share in contests:
        ratings.add(one, other, share=share)
    return ratings.ratings


def competition_ranks(values: Sequence[float]) -> list[int]:
    """1 for the largest; equal values share a rank, and the next rank is as many places further (1, 2, 2, 4)."""
    first: dict[float, int] = {}
    for place, value in enumerate(sorted(values, reverse=True), start=1):
        first.setdefault(value, place)
    return [first[value] for value in values]
