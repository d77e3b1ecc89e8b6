"""Rounds: passes over the rows, and between two passes what is missing goes out in whole batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, EndpointError, NotYet
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine, Journal, Judge
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.engines import BatchedEngine, batched_engine
from gavelkit.run.pool import Pool, Wanted
from gavelkit.run.stop import Stop

Again = Callable[[], Iterator[Example]]
"""Reads the same rows from the first one on."""

_OTHER_ORDER = "positional_bias_"
"""How the steps of the second order begin; those of both orders go out together."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The requests that wait for a batch, each key once, and the calls that failed in this run."""

    missing: dict[bytes, tuple[BatchedEngine, Request]] = field(default_factory=dict)
    failures: dict[bytes, Failure] = field(default_factory=dict)

    def take_batches(self) -> list[tuple[BatchedEngine, list[Request]]]:
        """One batch for each engine and step, and nothing is missing any more."""
        batches: dict[tuple[BatchedEngine, str], list[Request]] = {}
        for engine, request in self.missing.values():
            batches.setdefault((engine, request.labels.step.removeprefix(_OTHER_ORDER)), []).append(request)
        self.missing.clear()
        return [(engine, requests) for (engine, _), requests in batches.items()]


class _Collecting:
    """Stands for a batch engine while a pass goes on: notes what is asked."""

    def __init__(self, engine: BatchedEngine, asked: _Asked) -> None:
        self._engine = engine
        self._asked = asked

    async def complete(self, request: Request) -> Completion:
        """Raises CallError where a batch brought a failure, else NotYet."""
        failure = self._asked.failures.get(request.key)
        if failure is None:
            self._asked.missing.setdefault(request.key, (self._engine, request))
            raise NotYet
        kind = failure.kind or FailureKind.INTERNAL
        raise CallError(kind, failure.message, raw=failure.raw, fatal=failure.fatal)


class Rounds:
    """Judges every wanted slot of the examples as `Pool` does, in as many passes as its batch engines need.

    Judges without a batch engine are done after the first pass. Nothing is begun and no batch is sent after `stop`
    was asked for or after a fatal failure; `fatal` then says which.
    """

    def __init__(self, journal: Journal, *, stop: Stop, repeat: int) -> None:
        self._journal = journal
        self._stop = stop
        self._repeat = repeat
        self._asked = _Asked()
        self._batched: set[str] = set()
        self._pools: list[Pool] = []
        self._broken: Failure | None = None

    @property
    def seen_all(self) -> bool:
        """Whether every row was read."""
        return bool(self._pools) and self._pools[0].seen_all

    @property
    def fatal(self) -> Failure | None:
        """The failure that ended the run early."""
        return next((pool.fatal for pool in self._pools if pool.fatal is not None), self._broken)

    def bind(self, judge: Judge) -> Judge:
        """The judge with its batch engines replaced by what collects their requests; any other as it is."""
        found: list[BatchedEngine] = []

        def collecting(engine: Engine) -> Engine:
            batched = batched_engine(engine)
            if batched is None:
                return engine
            found.append(batched)
            return _Collecting(batched, self._asked)

        bound = judge.bind(collecting)
        if not found:
            return judge
        self._batched.add(judge.name)
        return bound

    async def run(
        self, examples: Iterator[Example], judges: Sequence[Judge], wanted: Wanted, *, again: Again | None
    ) -> None:
        """Until every wanted slot is judged, or nothing more may be begun. Raises what the data or the disk raise.

        `again` reads the same rows for a later pass; without it those that wait for a batch are held in memory.
        """
        if not self._batched:
            await self._pass(self._journal, examples, judges, wanted)
            return
        waiting = _Waiting(self._journal, self._batched, wanted, again)
        await self._pass(waiting, examples, judges, waiting.wants)
        batched = [judge for judge in judges if judge.name in self._batched]
        while self._asked.missing and not self._over:
            await self._send()
            await self._pass(waiting, waiting.examples(), batched, waiting.waits)  # also what a broken batch left

    @property
    def _over(self) -> bool:
        return self._stop.asked or self.fatal is not None

    async def _pass(self, journal: Journal, examples: Iterator[Example], judges: Sequence[Judge], want: Wanted) -> None:
        self._pools.append(Pool(journal, stop=self._stop, repeat=self._repeat))
        await self._pools[-1].run(examples, judges, want)

    async def _send(self) -> None:
        """Send the batches one after the other, until one of them meets what every further one would meet too."""
        for engine, requests in self._asked.take_batches():
            if self._stop.asked:
                return
            try:
                answers = await engine.complete_all(requests)
            except EndpointError as error:
                self._broken = Failure(str(error), kind=FailureKind.SERVER, fatal=True)
                return
            self._keep(requests, answers)
            if self._broken is not None:
                return

    def _keep(self, requests: Sequence[Request], answers: Sequence[Completion | Failure]) -> None:
        """Store every answer, without a wait in which an interruption could lose one that is paid for."""
        for request, answer in zip(requests, answers, strict=True):
            if isinstance(answer, Failure):
                self._asked.failures[request.key] = answer
                if answer.fatal:
                    self._broken = self._broken or answer
            else:
                self._journal.reply(request, answer)


class _Waiting:
    """The journal of every pass: knows which judgments wait for a batch, and the positions of their rows.

    A row is begun in the record once, by the first pass; a later one is given the position it has.
    """

    def __init__(self, journal: Journal, batched: set[str], wanted: Wanted, again: Again | None) -> None:
        self._journal = journal
        self._batched = batched
        self._wanted = wanted
        self._again = again
        self._begun: Example | None = None
        self._slots: dict[int, set[Slot]] = {}
        self._positions: dict[tuple[str, ...], int] = {}
        self._rows: dict[int, Example] = {}

    def wants(self, position: int, slot: Slot) -> bool:
        """Whether the first pass is to judge a slot of the row begun last."""
        wanted = self._wanted(position, slot)
        if wanted and slot.judge in self._batched and self._begun is not None:
            self._slots.setdefault(position, set()).add(slot)
            self._positions[_identity(self._begun)] = position
            if self._again is None:
                self._rows[position] = self._begun
        return wanted

    def waits(self, position: int, slot: Slot) -> bool:
        """Whether a slot is still without a judgment."""
        return slot in self._slots.get(position, ())

    def examples(self) -> Iterator[Example]:
        """The rows with slots that wait, in order."""
        if self._again is None:
            yield from list(self._rows.values())
            return
        for example in self._again():
            if self._positions.get(_identity(example)) in self._slots:
                yield example

    @property
    def full(self) -> bool:
        """As the journal's."""
        return self._journal.full

    def begin(self, example: Example) -> int:
        """The row's position; only a row that no pass has begun is begun in the record."""
        self._begun = example
        position = self._positions.get(_identity(example))
        return self._journal.begin(example) if position is None else position

    def held(self, position: int, slot: Slot) -> Status | None:
        """As the journal's."""
        return self._journal.held(position, slot)

    def reply(self, request: Request, completion: Completion) -> Completion:
        """As the journal's."""
        return self._journal.reply(request, completion)

    def judged(self, position: int, judgments: Sequence[Judgment]) -> None:
        """Hand on what is judged, each slot that waited once."""
        batched = [judgment.slot for judgment in judgments if judgment.slot.judge in self._batched]
        waiting = self._slots.get(position, set())
        done = [each for each in judgments if each.slot not in batched or each.slot in waiting]
        waiting.difference_update(batched)
        if not waiting:
            self._slots.pop(position, None)
            self._rows.pop(position, None)
        if done:
            self._journal.judged(position, done)

    async def room(self) -> None:
        """As the journal's."""
        await self._journal.room()

    async def settle(self) -> None:
        """As the journal's."""
        await self._journal.settle()


def _identity(example: Example) -> tuple[str, ...]:
    return (example.id, *example.responses)
