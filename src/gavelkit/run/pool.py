"""The bounded pool: rows are taken as places become free, judged side by side, and handed over as they finish."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gavelkit.core.errors import GavelError
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure
from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Journal, Judge
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.run.stop import Stop

Wanted = Callable[[int, Slot], bool]
Left = Callable[[int, Slot], None]
"""Hears of a slot that was judged and stays without a judgment."""

_ROWS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Unit:
    """One judge on one example, once."""

    example: Example
    position: int
    repeat: int
    slots: int


@dataclass(slots=True)
class _Lane:
    """One judge, the units that wait for it, and how many slots it is at work on."""

    judge: Judge
    waiting: deque[Unit] = field(default_factory=deque)
    busy: int = 0
    sleepers: deque[asyncio.Future[None]] = field(default_factory=deque)

    @property
    def limit(self) -> int:
        return self.judge.limits.concurrency

    @property
    def ready(self) -> bool:
        """Whether a unit waits that puts no more slots to work than the limit."""
        return bool(self.waiting) and (not self.busy or self.busy + self.waiting[0].slots <= self.limit)

    def take(self) -> Unit:
        """The next unit."""
        unit = self.waiting.popleft()
        self.busy += unit.slots
        return unit

    async def sleep(self) -> None:
        """Until somebody wakes this worker."""
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sleepers.append(sleeper)
        await sleeper

    def wake(self, *, everybody: bool = False) -> None:
        """Wake one worker: it wakes the next where there is more to do. Waking all for one unit would be a stampede."""
        while self.sleepers:
            sleeper = self.sleepers.popleft()
            if not sleeper.done():
                sleeper.set_result(None)
                if not everybody:
                    return


class Pool:
    """Judges every wanted slot of the examples. Each judge works on as many slots at once as its concurrency.

    No unit is begun after `stop` was asked for or after a fatal failure; `fatal` then says which.
    """

    def __init__(self, journal: Journal, *, stop: Stop, repeat: int, left: Left | None = None) -> None:
        self.fatal: Failure | None = None
        self.seen_all = False
        self._journal = journal
        self._stop = stop
        self._repeat = repeat
        self._left = left
        self._bad_row: GavelError | None = None
        self._rows = 0

    async def run(self, examples: Iterator[Example], judges: Sequence[Judge], wanted: Wanted) -> None:
        """Until every wanted slot is judged, or nothing more may be begun. Raises what the data or the disk raise."""
        self._examples = examples
        self._wanted = wanted
        self._lanes = [_Lane(judge) for judge in judges]
        try:
            async with asyncio.TaskGroup() as group:
                for lane in self._lanes:
                    for _ in range(lane.limit):
                        group.create_task(self._work(lane))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        if self._bad_row is not None:
            raise self._bad_row

    async def _work(self, lane: _Lane) -> None:
        while (unit := await self._next(lane)) is not None:
            judgments = await lane.judge(unit.example, repeat=unit.repeat)
            done = [judgment for judgment in judgments if judgment.status is not Status.PENDING]
            self._notice_fatal(done)
            if done:
                self._journal.judged(unit.position, done)
            if self._left is not None:
                for judgment in judgments:
                    if judgment.status is Status.PENDING:
                        self._left(unit.position, judgment.slot)
            lane.busy -= unit.slots

    async def _next(self, lane: _Lane) -> Unit | None:
        """The lane's next unit; the reader goes on only while no other lane has a row's worth waiting."""
        while True:
            if self._journal.full:
                await self._journal.room()
            if self._over or (self.seen_all and not lane.waiting):
                for each in self._lanes:
                    each.wake(everybody=True)
                return None
            if lane.ready:
                unit = lane.take()
                self._wake_others(lane)
                return unit
            if lane.waiting or self._crowded(lane):
                await lane.sleep()
            else:
                await self._read()

    def _wake_others(self, lane: _Lane) -> None:
        """A unit was taken: this lane may have another, and the other lanes may read on or find work."""
        for each in self._lanes:
            if each is not lane or each.ready:
                each.wake()

    @property
    def _over(self) -> bool:
        return self._stop.asked or self.fatal is not None or self._bad_row is not None

    def _crowded(self, lane: _Lane) -> bool:
        return any(other is not lane and len(other.waiting) > other.limit for other in self._lanes)

    async def _read(self) -> None:
        """Take one row. What is in flight is not lost to a row that turns out to be wrong."""
        try:
            example = next(self._examples, None)
        except GavelError as error:
            self._bad_row = error
            return
        if example is None:
            self.seen_all = True
            return
        self._plan(example)
        self._rows += 1
        if self._rows % _ROWS_AT_ONCE == 0:
            await asyncio.sleep(0)  # rows that are judged already go by without a wait of their own

    def _plan(self, example: Example) -> None:
        position = self._journal.begin(example)
        for lane in self._lanes:
            for repeat in range(self._repeat):
                slots = lane.judge.plan(example, repeat=repeat)
                if self._wants(position, slots):
                    lane.waiting.append(Unit(example, position, repeat, len(slots)))

    def _wants(self, position: int, slots: Sequence[Slot]) -> bool:
        wanted = self._wanted
        return any([wanted(position, slot) for slot in slots])  # noqa: C419 - a list costs less than a generator here

    def _notice_fatal(self, judgments: Sequence[Judgment]) -> None:
        for judgment in judgments:
            if judgment.failure is not None and judgment.failure.fatal and self.fatal is None:
                self.fatal = judgment.failure
