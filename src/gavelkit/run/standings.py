"""What a run's contests come to, taken in as its judgments stream by. Loads numpy, so only runs with contests do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from gavelkit.core.gate import WIN_RATE
from gavelkit.core.judgment import Judgment
from gavelkit.core.report import Metric
from gavelkit.core.standings import Contests
from gavelkit.core.status import Status
from gavelkit.stats.contests import ContestTally

SEED = 0
"""Of every bootstrap, so that the same judgments give the same report."""


class Contesting:
    """The contests of the judges named; only counts are kept."""

    def __init__(self, judges: Iterable[str]) -> None:
        self._tallies = {name: ContestTally(name) for name in judges}
        self._counts: dict[tuple[str, str], Counter[Status]] = {}

    def through(self, judgments: Iterable[Judgment]) -> Iterator[Judgment]:
        """The same judgments, the contests among them counted. Raises GavelError where one has not two systems."""
        for judgment in judgments:
            slot = judgment.slot
            if slot.judge in self._tallies:
                self._tallies[slot.judge].add(judgment)
                for system in slot.systems:
                    self._counts.setdefault((slot.judge, system), Counter())[judgment.status] += 1
            yield judgment

    def conclude(self) -> tuple[Contests, ...]:
        """What they came to, judge by judge."""
        return tuple(tally.conclude(seed=SEED) for tally in self._tallies.values())

    def win_rates(self, concluded: Iterable[Contests]) -> Iterator[Metric]:
        """Each system's win rate as a metric; its counts are those of its contests."""
        for contests in concluded:
            for each in contests.standings:
                counts = self._counts[contests.judge, each.system]
                yield Metric(
                    name=WIN_RATE,
                    judge=contests.judge,
                    system=each.system,
                    value=each.win_rate.value,
                    n=each.win_rate.n,
                    counts={status: counts[status] for status in Status if counts[status]},
                    interval=each.win_rate.interval,
                    reason=each.win_rate.reason,
                )
