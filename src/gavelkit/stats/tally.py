"""What one judge said of one system, counted as it streams by; the unit is the example."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from gavelkit.core.criterion import Criterion
from gavelkit.core.errors import GavelError
from gavelkit.core.judgment import Judgment
from gavelkit.core.status import Status
from gavelkit.stats.moments import Moments


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """What the statistics have to know of a judge."""

    name: str
    criterion: Criterion
    threshold: float | None = None


class Tally:
    """Counts by status, and the moments of the examples' means, whatever order the examples come in.

    The repeats of an example must arrive one after the other. `ok` rests on the scores there are; `worst`, `best` and
    `zero` put failed judgments at the scale's ends and at 0.0; `passed` is each example's share of scores that pass.
    Read it after `close`.
    """

    def __init__(self, facts: JudgeFacts, *, keep: bool = False) -> None:
        """`keep` holds the numbers themselves beside their moments."""
        self._facts = facts
        self._counts: Counter[Status] = Counter()
        self._example: str | None = None
        self._scores: list[float] = []
        self._failed = 0
        self._folded = 0
        self.ok = Moments(keep=keep)
        self.zero = Moments(keep=keep)
        self.worst = Moments(keep=keep)
        self.best = Moments(keep=keep)
        self.passed = Moments()

    def add(self, judgment: Judgment) -> None:
        """Take in one judgment."""
        if judgment.slot.example_id != self._example:
            self._fold()
            self._example = judgment.slot.example_id
        self._counts[judgment.status] += 1
        if judgment.score is not None:
            self._scores.append(judgment.score)
        elif judgment.status.failed:
            self._failed += 1

    def close(self) -> None:
        """Take in the last example. Raises GavelError where a judgment was counted and not used, or the reverse."""
        self._fold()
        wanted = sum(count for status, count in self._counts.items() if status is Status.OK or status.failed)
        if self._folded != wanted:
            message = f"{self._facts.name}: {wanted} judgments are ok or failed, and the means rest on {self._folded}"
            raise GavelError(message)

    @property
    def counts(self) -> Mapping[Status, int]:
        """How many judgments have each status, in the order of `Status`, without those that have none."""
        return {status: self._counts[status] for status in Status if self._counts[status]}

    @property
    def planned(self) -> int:
        """How many judgments came by."""
        return self._counts.total()

    def _fold(self) -> None:
        """Put the example that ended into the moments."""
        scores, failed = self._scores, self._failed
        criterion, threshold = self._facts.criterion, self._facts.threshold
        _put(self.ok, scores)
        _put(self.zero, scores + [0.0] * failed)
        if criterion.worst is not None:
            _put(self.worst, scores + [criterion.worst] * failed)
        if criterion.best is not None:
            _put(self.best, scores + [criterion.best] * failed)
        if threshold is not None:
            _put(self.passed, [float(criterion.passes(score, threshold)) for score in scores])
        self._folded += len(scores) + failed
        self._scores, self._failed = [], 0


def _put(moments: Moments, repeats: list[float]) -> None:
    if len(repeats) == 1:
        moments.add(repeats[0])
    elif repeats:
        moments.add(Moments(repeats).mean)
