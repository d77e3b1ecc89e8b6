"""Strengths of systems from their contests (Bradley and Terry 1952), or why the contests determine none.

i beats j with probability p_i / (p_i + p_j); a tie is half a win of each. The most likely strengths are found by
Hunter's minorisation (2004): p_i becomes its wins over the sum, over its contests, of 1 / (p_i + p_j). They exist
where a chain of wins leads from each system to each other (Ford 1957).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gavelkit.stats.ratings import Contest

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

SHOWN_SCALE = 400.0
"""This much for strengths that differ by a factor of ten."""
SHOWN_CENTRE = 1000.0
"""The mean of what is shown."""

_CLOSE = 1e-13
"""The strengths stand where a round moves none by more, relative to itself."""
_ROUNDS = 50_000


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths that add up to 1, the largest first; or none, and the reason."""

    values: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""

    @property
    def shown(self) -> dict[str, float]:
        """The strengths as they are shown: 400 for a factor of ten, 1000 on average."""
        return dict(zip(self.values, shown(np.array([[*self.values.values()]]))[0].tolist(), strict=True))


def strengths(contests: Iterable[Contest]) -> Strengths:
    """The systems' strengths. Their order, and the order of the contests, change nothing."""
    known = list(contests)
    names = sorted({name for one, other, _ in known for name in (one, other)})
    place = {name: number for number, name in enumerate(names)}
    wins = np.zeros((len(names), len(names)))
    for one, other, share in sorted(known):
        wins[place[one], place[other]] += share
        wins[place[other], place[one]] += 1 - share
    return strengths_of(names, wins)


def strengths_of(names: Sequence[str], wins: Floats) -> Strengths:
    """The same from how many contests each system (the row) won from each other (the column)."""
    if len(names) < 2:  # noqa: PLR2004 - a contest has two systems
        return Strengths(reason="there is no contest with a verdict")
    reason = undetermined(names, wins)
    if reason:
        return Strengths(reason=reason)
    found = dict(zip(names, bradley_terry(wins[np.newaxis])[0].tolist(), strict=True))
    return Strengths(dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))))


def bradley_terry(wins: Floats) -> Floats:
    """Strengths that add up to 1 for each of many tables of wins, shape (tables, systems, systems).

    They mean nothing for a table that is not `settled`.
    """
    tables, systems, _ = wins.shape
    found = np.full((tables, systems), 1 / systems)
    played, won = wins + wins.transpose(0, 2, 1), wins.sum(axis=2)
    moving = np.arange(tables)
    for _ in range(_ROUNDS):
        before = found[moving]
        sums = before[:, :, np.newaxis] + before[:, np.newaxis, :]
        after = won / (played / sums).sum(axis=2)
        after /= after.sum(axis=1, keepdims=True)
        found[moving] = after
        moves = np.abs(after / before - 1).max(axis=1) > _CLOSE
        if not moves.any():
            break
        moving, played, won = moving[moves], played[moves], won[moves]
    return found


def shown(found: Floats) -> Floats:
    """Strengths, shape (tables, systems), as they are shown: 400 for a factor of ten, 1000 on average."""
    logs = np.log(found)
    return np.asarray(SHOWN_CENTRE + SHOWN_SCALE / math.log(10) * (logs - logs.mean(axis=1, keepdims=True)))


def settled(wins: Floats) -> Truths:
    """For each of many tables of wins, whether a chain of wins leads from each system to each other."""
    beats = wins > 0
    return np.asarray(_all_reached(beats) & _all_reached(beats.transpose(0, 2, 1)))


def _all_reached(beats: Truths) -> Truths:
    """Whether chains from the first system reach all others."""
    reached = np.zeros(beats.shape[:2], bool)
    reached[:, :1] = True
    for _ in range(beats.shape[1]):
        reached |= (reached[:, :, np.newaxis] & beats).any(axis=1)
    return np.asarray(reached.all(axis=1))


def undetermined(names: Sequence[str], wins: Floats) -> str:
    """Why these contests determine no strengths; empty where they do."""
    if settled(wins[np.newaxis])[0]:
        return ""
    met = _groups(_chains(wins + wins.T > 0))
    if len(met) > 1:
        return f"the contests fall into groups that never met: {_listed([_braced(names, each) for each in met])}"
    chains = _chains(wins > 0)
    level = _groups(chains & chains.T)
    tops = [each for each in level if chains[:, each].any(axis=1).sum() == len(each)]
    ends = [each for each in level if chains[each].any(axis=0).sum() == len(each)]
    told = [f"{names[each[0]]} never lost" for each in tops if len(each) == 1]
    told += [f"{names[each[0]]} never won" for each in ends if len(each) == 1]
    return f"no finite strength: {_listed(told or [f'{_braced(names, each)} never lost to another' for each in tops])}"


def _chains(beats: Truths) -> Truths:
    """Whether a chain leads from each (the row) to each (the column); from itself it does."""
    chains = beats | np.eye(len(beats), dtype=bool)
    for middle in range(len(beats)):
        chains |= chains[:, middle : middle + 1] & chains[middle]
    return chains


def _groups(mutual: Truths) -> list[list[int]]:
    """The groups of an equivalence, by their first member."""
    return [np.flatnonzero(row).tolist() for place, row in enumerate(mutual) if not row[:place].any()]


def _braced(names: Sequence[str], group: Sequence[int]) -> str:
    return "{" + ", ".join(names[each] for each in group) + "}"


def _listed(texts: Sequence[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
