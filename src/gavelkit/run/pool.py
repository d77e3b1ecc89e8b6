"""The bounded pool: rows are taken as places become free, judged side by side, and handed over as they finish."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gavelkit.core.example import Example
from gavelkit.core.failure import Failure
from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Journal, Judge
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.run.stop import Stop

Wanted = Callable[[int, Slot], bool]


@dataclass(frozen=True, slots=True)
class Unit:
    """One judge on one example, once."""

    example: Example
    position: int
    repeat: int


@dataclass(slots=True)
class _Lane:
    """One judge and the units that wait for it."""

    judge: Judge
    waiting: deque[Unit] = field(default_factory=deque)


class Pool:
    """Judges every wanted slot of the examples. Each judge works on as many units at once as its concurrency.

    No unit is begun after `stop` was asked for or after a fatal failure; `fatal` then says which.
    """

    def __init__(self, journal: Journal, *, stop: Stop, repeat: int) -> None:
        self.fatal: Failure | None = None
        self.seen_all = False
        self._journal = journal
        self._stop = stop
        self._repeat = repeat

    async def run(self, examples: Iterator[Example], judges: Sequence[Judge], wanted: Wanted) -> None:
        """Until every wanted slot is judged, or nothing more may be begun. Raises what the data or the disk raise."""
        self._examples = examples
        self._wanted = wanted
        self._moved = asyncio.Event()
        self._lanes = [_Lane(judge) for judge in judges]
        try:
            async with asyncio.TaskGroup() as group:
                for lane in self._lanes:
                    for _ in range(lane.judge.limits.concurrency):
                        group.create_task(self._work(lane))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _work(self, lane: _Lane) -> None:
        while (unit := await self._next(lane)) is not None:
            judgments = await lane.judge(unit.example, repeat=unit.repeat)
            done = [judgment for judgment in judgments if judgment.status is not Status.PENDING]
            self._notice_fatal(done)
            if done:
                self._journal.judged(unit.position, done)

    async def _next(self, lane: _Lane) -> Unit | None:
        """The lane's next unit; the reader goes on only while no other lane has a row's worth waiting."""
        while True:
            if self._journal.full:
                await self._journal.room()
            if lane.waiting and not self._over:
                self._moved.set()
                return lane.waiting.popleft()
            if self._over or self.seen_all:
                self._moved.set()
                return None
            if self._crowded(lane):
                self._moved.clear()
                await self._moved.wait()
            else:
                self._read()

    @property
    def _over(self) -> bool:
        return self._stop.asked or self.fatal is not None

    def _crowded(self, lane: _Lane) -> bool:
        return any(other is not lane and len(other.waiting) > other.judge.limits.concurrency for other in self._lanes)

    def _read(self) -> None:
        example = next(self._examples, None)
        if example is None:
            self.seen_all = True
            return
        position = self._journal.begin(example)
        for lane in self._lanes:
            for repeat in range(self._repeat):
                if self._wants(position, lane.judge.plan(example, repeat=repeat)):
                    lane.waiting.append(Unit(example, position, repeat))

    def _wants(self, position: int, slots: Sequence[Slot]) -> bool:
        wanted = self._wanted
        return any([wanted(position, slot) for slot in slots])  # noqa: C419 - a list costs less than a generator here

    def _notice_fatal(self, judgments: Sequence[Judgment]) -> None:
        for judgment in judgments:
            if judgment.failure is not None and judgment.failure.fatal and self.fatal is None:
                self.fatal = judgment.failure
