"""Picks the rows worth reading from a record as it streams by; holds so many, however long the record is."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from itertools import count

from gavelkit.core.criterion import Criterion
from gavelkit.core.protocols import Entry

ENDS = 5
"""How many of the lowest and of the highest rows are kept for each judge."""
FAILED_OF_A_KIND = 2
FAILED = 12
"""How many failed rows are kept for each judge, and how many of them of one status and kind."""
DIFFERENT = 10
"""How many responses are kept on which judges differ."""

_Ranked = tuple[float, int, Entry]


class OfJudge:
    """The lowest, the highest and the failed rows of one judge. Of equal ones, the first."""

    def __init__(self) -> None:
        self._low: list[_Ranked] = []
        self._high: list[_Ranked] = []
        self._failed: list[Entry] = []
        self._kinds: dict[str, int] = {}
        self._number = count()
        self.scored = 0
        self.failures = 0

    def add(self, entry: Entry) -> None:
        """Look at the next row."""
        judgment = entry.judgment
        if judgment.score is not None:
            self.scored += 1
            number = -next(self._number)
            _keep(self._low, (-judgment.score, number, entry), ENDS)
            _keep(self._high, (judgment.score, number, entry), ENDS)
        elif judgment.status.failed:
            self.failures += 1
            self._keep_failed(entry)

    @property
    def lowest(self) -> list[Entry]:
        """The lowest first; the lower half where there are few rows."""
        return _best_first(self._low)[: (self.scored + 1) // 2]

    @property
    def highest(self) -> list[Entry]:
        """The highest first; the upper half where there are few rows."""
        return _best_first(self._high)[: self.scored // 2]

    @property
    def failed(self) -> list[Entry]:
        """The first failures of each status and kind."""
        return self._failed

    def _keep_failed(self, entry: Entry) -> None:
        failure = entry.judgment.failure
        kind = f"{entry.judgment.status} {failure.kind if failure else ''}"
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        if self._kinds[kind] <= FAILED_OF_A_KIND and len(self._failed) < FAILED:
            self._failed.append(entry)


class Apart:
    """The responses on which judges with a scale differ most, each judge's repeats averaged."""

    def __init__(self, criteria: Mapping[str, Criterion]) -> None:
        self._criteria = {name: each for name, each in criteria.items() if each.scale is not None}
        self._example = ""
        self._seen: dict[tuple[str, ...], dict[str, list[Entry]]] = {}
        self._kept: list[tuple[float, int, list[tuple[str, list[Entry]]]]] = []
        self._number = count()

    def add(self, entry: Entry) -> None:
        """Look at the next row; the rows of one example come together."""
        slot = entry.judgment.slot
        if slot.example_id != self._example:
            self._compare()
            self._example = slot.example_id
        if entry.judgment.score is not None and slot.judge in self._criteria:
            self._seen.setdefault(slot.systems, {}).setdefault(slot.judge, []).append(entry)

    def widest(self) -> Iterator[tuple[float, list[tuple[str, float, float, Entry]]]]:
        """Gap by gap, the widest first: judge, mean score, that on 0 to 1, and its first row; the harshest first."""
        self._compare()
        for gap, _, judged in sorted(self._kept, key=lambda each: each[:2], reverse=True):
            opinions = [(name, mean(entries), self.share(name, entries), entries[0]) for name, entries in judged]
            yield gap, sorted(opinions, key=lambda each: each[2])

    def share(self, judge: str, entries: list[Entry]) -> float:
        """The mean score on 0 to 1, where 1 is the better end of the judge's scale."""
        criterion = self._criteria[judge]
        scale = criterion.scale
        if scale is None or scale.high == scale.low:
            return 0.0
        share = (mean(entries) / 2 - scale.low / 2) / (scale.high / 2 - scale.low / 2)
        return share if criterion.higher_is_better else 1 - share

    def _compare(self) -> None:
        for by_judge in self._seen.values():
            shares = [self.share(name, entries) for name, entries in by_judge.items()]
            if len(shares) > 1 and max(shares) > min(shares):
                gap = max(shares) - min(shares)
                ranked = (gap, -next(self._number), list(by_judge.items()))
                if len(self._kept) < DIFFERENT:
                    heapq.heappush(self._kept, ranked)
                else:
                    heapq.heappushpop(self._kept, ranked)
        self._seen = {}


def mean(entries: list[Entry]) -> float:
    """The mean score of rows that have one."""
    scores = [entry.judgment.score or 0.0 for entry in entries]
    return sum(score / len(scores) for score in scores)


def _keep(heap: list[_Ranked], ranked: _Ranked, most: int) -> None:
    if len(heap) < most:
        heapq.heappush(heap, ranked)
    else:
        heapq.heappushpop(heap, ranked)


def _best_first(heap: list[_Ranked]) -> list[Entry]:
    return [entry for _, _, entry in sorted(heap, key=lambda each: each[:2], reverse=True)]
