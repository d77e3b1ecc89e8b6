"""What a judge's contests come to, in the types of JSON.

judge
examples              how many rows the figures rest on
contests, failed      how many contests have a verdict, and how many failed
standings             by rank: [{rank, system, contests, wins, ties, losses, failed, win_rate, worst, best, strength,
                      elo, average_win_rate}]
                      `worst` and `best` are the win rate were every failed contest lost, or won
position_bias         the share of the contests read in both orders whose winner changed with the order
consistency           the rest of them
first_position        the share of the readings with a winner that named whoever was shown first
seed, resamples       of the intervals of the strengths; `unsettled` of the resamples determine none

`win_rate`, `strength` and the shares are {value, n, interval, reason}.
"""

from __future__ import annotations

from gavelkit.core.interval import Interval
from gavelkit.core.standings import Contests, Figure, Standing
from gavelkit.reports.wellformed import plain_json, well_formed


def contests_json(contests: Contests) -> dict[str, object]:
    """The document above, its keys in that order."""
    return {
        "judge": well_formed(contests.judge),
        "examples": contests.examples,
        "contests": contests.contests,
        "failed": contests.failed,
        "standings": [_standing(each) for each in contests.standings],
        "position_bias": figure_json(contests.position_bias),
        "consistency": figure_json(contests.consistency),
        "first_position": figure_json(contests.first_position),
        "seed": contests.seed,
        "resamples": contests.resamples,
        "unsettled": contests.unsettled,
    }


def figure_json(figure: Figure) -> dict[str, object]:
    """A figure; `reason` is null where nothing is missing."""
    return {
        "value": plain_json(figure.value),
        "n": figure.n,
        "interval": interval_json(figure.interval),
        "reason": well_formed(figure.reason) or None,
    }


def interval_json(interval: Interval | None) -> dict[str, object] | None:
    """An interval; null where there is none."""
    if interval is None:
        return None
    return {
        "low": plain_json(interval.low),
        "high": plain_json(interval.high),
        "level": interval.level,
        "method": interval.method,
    }


def _standing(standing: Standing) -> dict[str, object]:
    return {
        "rank": standing.rank,
        "system": well_formed(standing.system),
        "contests": standing.contests,
        "wins": standing.wins,
        "ties": standing.ties,
        "losses": standing.losses,
        "failed": standing.failed,
        "win_rate": figure_json(standing.win_rate),
        "worst": plain_json(standing.worst),
        "best": plain_json(standing.best),
        "strength": figure_json(standing.strength),
        "elo": plain_json(standing.elo),
        "average_win_rate": plain_json(standing.average_win_rate),
    }
