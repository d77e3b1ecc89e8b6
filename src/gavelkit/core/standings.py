"""What a judge of pairs concludes: where each system stands, and how steady the judge was."""

from __future__ import annotations

from dataclasses import dataclass

from gavelkit.core.interval import Interval


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that rests on `n` examples, contests or readings. `reason` says why the number or interval is None."""

    value: float | None = None
    n: int = 0
    interval: Interval | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """One system among those it met.

    `contests` are those with a verdict: `wins`, `ties` and `losses` add up to them. `win_rate` is the mean over
    examples, `worst` and `best` what it would be were every failed contest lost or won. Systems with the same win
    rate share a `rank`. `strength` is Bradley and Terry's, 400 for a factor of ten and 1000 on average; `elo` rests
    on the order of the contests; `average_win_rate` is the mean over the opponents met.
    """

    system: str
    contests: int
    wins: int
    ties: int
    losses: int
    failed: int
    win_rate: Figure
    worst: float | None
    best: float | None
    rank: int | None
    strength: Figure
    elo: float | None
    average_win_rate: float | None


@dataclass(frozen=True, slots=True)
class RowStanding:
    """One system in one example. Without a contest that has a verdict there is neither win rate nor rank."""

    system: str
    contests: int
    failed: int
    win_rate: float | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class Contests:
    """What the contests of one judge come to; `standings` by rank, then by name.

    `position_bias` is the share of the contests read in both orders that named different winners, `consistency` the
    rest; `first_position` the share of the readings with a winner that named whoever was shown first. Of the
    `resamples` behind the intervals of the strengths, `unsettled` determine none.
    """

    judge: str
    examples: int
    contests: int
    failed: int
    standings: tuple[Standing, ...]
    position_bias: Figure
    consistency: Figure
    first_position: Figure
    seed: int
    resamples: int = 0
    unsettled: int = 0

    def standing(self, system: str) -> Standing:
        """One system's standing. Raises KeyError where it met nobody."""
        for each in self.standings:
            if each.system == system:
                return each
        message = f"{system!r} met nobody; there are {', '.join(each.system for each in self.standings)}"
        raise KeyError(message)
