"""Examples that came out alike, counted: what a run's contests rest on, without keeping every example."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gavelkit.core.errors import GavelError
from gavelkit.core.judgment import Judgment

Outcome = tuple[str, str, float | None]
"""Two systems by name and the first one's share; None where the contest failed."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two systems, by name, in one example: `share` is the mean of the first's over its repeats, None without any."""

    one: str
    other: str
    share: Fraction | None
    judged: int
    failed: int

    def shares(self, system: str) -> tuple[Fraction | None, Fraction, Fraction]:
        """One system's share, and what it would be were every failed repeat lost, or won."""
        share = self.share if self.share is None or system == self.one else 1 - self.share
        times = self.judged + self.failed
        worst = (share or Fraction()) * self.judged / times
        return share, worst, worst + Fraction(self.failed, times)

    @property
    def order(self) -> tuple[str, str, Fraction, int, int]:
        """What meetings are sorted by."""
        return self.one, self.other, Fraction(-1) if self.share is None else self.share, self.judged, self.failed


Row = tuple[int, ...]
"""The places, in a list of distinct meetings, of those of one example."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """The distinct meetings, and for each distinct row how many examples have it. Sorted: no order of arrival shows."""

    meetings: Sequence[Meeting] = ()
    rows: Sequence[tuple[Row, int]] = ()

    @property
    def examples(self) -> int:
        """How many examples there are."""
        return sum(n for _, n in self.rows)


class RowPatterns:
    """Counts examples by their outcomes. The contests of an example must arrive one after the other."""

    def __init__(self) -> None:
        self._codes: dict[Outcome, int] = {}
        self._rows: Counter[bytes] = Counter()
        self._example: str | None = None
        self._open: list[int] = []

    def add(self, judgment: Judgment) -> None:
        """Take in a judgment. What neither has a verdict nor failed only ends the example before."""
        if judgment.slot.example_id != self._example:
            self._fold()
            self._example = judgment.slot.example_id
        found = outcome(judgment)
        if found is not None:
            self._open.append(self._codes.setdefault(found, len(self._codes)))

    def patterns(self) -> Patterns:
        """What was counted so far; the example that came last is at its end."""
        self._fold()
        outcomes = list(self._codes)
        pairs = [min((one, other), (other, one)) for one, other, _ in outcomes]
        seen: dict[tuple[int, ...], Meeting] = {}
        found: list[tuple[list[Meeting], int]] = []
        for packed, n in self._rows.items():
            grouped: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
            for code in array("I", packed):
                grouped[pairs[code]].append(code)
            row = []
            for codes in map(tuple, grouped.values()):
                if codes not in seen:
                    (seen[codes],) = meetings(outcomes[code] for code in codes)
                row.append(seen[codes])
            found.append((row, n))
        return _placed(seen.values(), found)

    def _fold(self) -> None:
        if self._open:
            self._rows[array("I", sorted(self._open)).tobytes()] += 1
        self._open = []


def counted(examples: Iterable[tuple[Sequence[Meeting], int]]) -> Patterns:
    """Examples by their meetings, and how many there are of each."""
    found = list(examples)
    return _placed((each for row, _ in found for each in row), found)


def _placed(known: Iterable[Meeting], found: Iterable[tuple[Sequence[Meeting], int]]) -> Patterns:
    distinct = sorted(set(known), key=lambda each: each.order)
    place = {each: number for number, each in enumerate(distinct)}
    # Most meetings are the very same object; a fraction's hash takes as long as ten of these.
    by_identity: dict[int, int] = {}
    rows: Counter[Row] = Counter()
    for row, n in found:
        for each in row:
            if id(each) not in by_identity:
                by_identity[id(each)] = place[each]
        rows[tuple(sorted(by_identity[id(each)] for each in row))] += n
    return Patterns(distinct, sorted(rows.items()))


def outcome(judgment: Judgment) -> Outcome | None:
    """What a contest came to; None where nothing was wanted or it was left undecided.

    Raises GavelError where the judgment is no contest of two systems, or its score no share.
    """
    systems, score = judgment.slot.systems, judgment.score
    if len(systems) != 2 or systems[0] == systems[1]:  # noqa: PLR2004 - a contest has two
        named = ", ".join(systems) or "none"
        message = f"a contest is between two systems, not {named} (row {judgment.slot.example_id})"
        raise GavelError(message)
    if score is None:
        return (systems[0], systems[1], None) if judgment.status.failed else None
    if not 0 <= score <= 1:
        message = f"a contest's score is a share from 0 to 1, not {score} (row {judgment.slot.example_id})"
        raise GavelError(message)
    return systems[0], systems[1], score


def meetings(outcomes: Iterable[Outcome]) -> tuple[Meeting, ...]:
    """One example's outcomes with their repeats put together, whichever of the two was named first."""
    found: dict[tuple[str, str], list[Fraction | None]] = {}
    for one, other, score in outcomes:
        share = None if score is None else Fraction(score)
        if one > other:
            one, other, share = other, one, None if share is None else 1 - share  # noqa: PLW2901 - the same, turned
        found.setdefault((one, other), []).append(share)
    return tuple(_meeting(pair, shares) for pair, shares in sorted(found.items()))


def _meeting(pair: tuple[str, str], shares: list[Fraction | None]) -> Meeting:
    known = [share for share in shares if share is not None]
    mean = sum(known, Fraction()) / len(known) if known else None
    return Meeting(*pair, mean, len(known), len(shares) - len(known))
