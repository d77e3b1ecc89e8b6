"""Contests for the tests of the reports; no test is here."""

from __future__ import annotations

from dataclasses import replace

from gavelkit.core.interval import Interval
from gavelkit.core.standings import Contests, Figure, Standing

RATE = Figure(0.625, 12, Interval(0.4583, 0.7917, 0.95, "BCa bootstrap"))
STRENGTH = Figure(1043.2, 12, Interval(961.5, 1120.49, 0.95, "percentile bootstrap"))


def a_standing(system: str, rank: int | None = 1, *, rate: Figure = RATE, strength: Figure = STRENGTH) -> Standing:
    """A system that won seven of its eleven contests, tied three, lost one, and failed in one."""
    return Standing(
        system=system,
        contests=11,
        wins=7,
        ties=3,
        losses=1,
        failed=1,
        win_rate=rate,
        worst=0.5833,
        best=0.6667,
        rank=rank,
        strength=strength,
        elo=1012.4,
        average_win_rate=0.6125,
    )


def some_contests(judge: str = "arena", systems: tuple[str, ...] = ("harbor", "quay"), *, reason: str = "") -> Contests:
    """The systems by rank, and behind them one without a verdict; `reason` says why what is missing is missing."""
    silent = Figure(reason=reason or "no contest of this system has a verdict")
    standings = [a_standing(system, rank) for rank, system in enumerate(systems, start=1)]
    mute = replace(
        a_standing("mute", None, rate=silent, strength=silent),
        contests=0,
        wins=0,
        ties=0,
        losses=0,
        worst=0.0,
        best=1.0,
        elo=None,
        average_win_rate=None,
    )
    return Contests(
        judge=judge,
        examples=12,
        contests=31,
        failed=5,
        standings=(*standings, mute),
        position_bias=Figure(4 / 31, 31, Interval(0.0513, 0.2886, 0.95, "wilson")),
        consistency=Figure(27 / 31, 31, Interval(0.7114, 0.9487, 0.95, "wilson")),
        first_position=Figure(reason=reason or "no reading named a winner"),
        seed=0,
        resamples=1000,
        unsettled=12,
    )
