"""A plain function as a judge: it reads a row and a response, may ask models meanwhile, and says what they come to."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Self

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.example import Example, Uses
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.identity import Identity
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.limits import Limits
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine, Wrap
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.core.threads import in_thread
from gavelkit.judges.reading import scale_material


@dataclass(frozen=True, slots=True)
class Scored:
    """What a function says of a response. `score` is None unless the status is `ok`."""

    score: float | None
    grade: Grade | None = None
    status: Status = Status.OK
    failure: Failure | None = None


class Asking:
    """How a function asks models from its own thread. Every reply is kept in the record before it is handed over.

    Threads that the function starts may share it: one question follows the other.
    """

    def __init__(self, engines: Mapping[str, Engine], slot: Slot, loop: asyncio.AbstractEventLoop) -> None:
        self.slot = slot
        self.steps: list[Step] = []
        self.waits = False
        self._engines = engines
        self._loop = loop
        self._closed = False
        self._before: Counter[bytes] = Counter()
        self._one_by_one = Lock()
        self._asked: asyncio.Task[Any] | None = None

    def complete(self, name: str, messages: Sequence[Message], parameters: Parameters) -> Completion:
        """The reply of the engine of this name.

        Equal questions of other judgments share a reply. To ask the same again here is to want another opinion, and so
        is to ask it of another engine: these are calls of their own.

        Blocks, so it is not for the event loop's thread. Raises CallError; NotYet where there is no reply yet.
        """
        with self._one_by_one:
            return self._complete(name, messages, parameters)

    def close(self) -> None:
        """The run has ended, though the function may go on for a while: it asks nobody any more.

        For the event loop's thread alone.
        """
        self._closed = True
        if self._asked is not None:
            self._asked.cancel()

    def _complete(self, name: str, messages: Sequence[Message], parameters: Parameters) -> Completion:
        slot = self.slot
        step = self._step(name)
        labels = Labels(slot.example_id, slot.judge, slot.systems, step)
        request = Request(tuple(messages), parameters, slot.repeat, labels, name)
        before = self._before[request.key]
        self._before[request.key] += 1
        if before:
            request = replace(request, apart=f"{name} ({before + 1})")
        try:
            completion = asyncio.run_coroutine_threadsafe(self._ask(name, request), self._loop).result()
        except NotYet:
            self.waits = True
            raise
        self.steps.append(Step(step, completion))
        return completion

    async def _ask(self, name: str, request: Request) -> Completion:
        if self._closed:
            raise CallError(FailureKind.INTERNAL, "the run has ended")
        self._asked = asyncio.current_task()
        return await self._engines[name].complete(request)

    def _step(self, name: str) -> str:
        before = sum(step.name == name or step.name.startswith(f"{name} (") for step in self.steps)
        return name if not before else f"{name} ({before + 1})"


Function = Callable[[Example, str, Asking], Scored]
"""Scores the response of the named system to an example. Runs in a thread; what it raises is a failed judgment."""


@dataclass(frozen=True, slots=True)
class FunctionJudge:
    """Calls a function for each system's response.

    `material` is what shapes what is asked, `reading` what shapes how replies are read, as far as either is known.
    `model` is the one whose verdict it is, empty where there is none.
    """

    name: str
    function: Function
    material: Identity
    reading: Identity = field(default_factory=lambda: Identity({}))
    engines: Mapping[str, Engine] = field(default_factory=dict)
    scale: Criterion | None = None
    model: str = ""
    threshold: float | None = None
    limits: Limits = field(default_factory=Limits)
    preset: str = ""
    probes: tuple[Probe, ...] = ()

    @property
    def asks(self) -> Identity:
        """Its way, its model, whom it asks, and what it was told shapes its questions."""
        engines = {"engines": sorted(self.engines)} if self.engines else {}
        return Identity({"way": "function", "model": self.model, **engines, **self.material.material})

    @property
    def reads(self) -> Identity:
        """What it was told shapes how replies are read, and the scale."""
        return Identity({**self.reading.material, **scale_material(self.criterion)})

    @property
    def criterion(self) -> Criterion:
        """Its scale, where one is declared."""
        return self.scale or Criterion(self.name)

    @property
    def uses(self) -> Uses:
        """All of a row: nobody knows what a function reads."""
        return Uses(everything=True)

    def plan(self, example: Example, *, repeat: int = 0) -> Sequence[Slot]:
        """One slot for each system of the example."""
        return tuple(Slot(self.name, example.id, (system,), repeat) for system in example.responses)

    def prepare(self, example: Example) -> None:
        """Nothing: a function renders what it asks when it is called."""

    async def __call__(self, example: Example, *, repeat: int = 0) -> Sequence[Judgment]:
        slots = self.plan(example, repeat=repeat)
        return await asyncio.gather(*(self._judge(slot, example) for slot in slots))

    def bind(self, wrap: Wrap) -> Self:
        """The same judge with each of its engines wrapped."""
        return replace(self, engines={name: wrap(engine) for name, engine in self.engines.items()})

    async def _judge(self, slot: Slot, example: Example) -> Judgment:
        asking = Asking(self.engines, slot, asyncio.get_running_loop())
        try:
            scored = await in_thread(self._scored, example, slot.systems[0], asking)
        finally:
            asking.close()
        if asking.waits:
            return Judgment(slot, Status.PENDING)
        return Judgment(
            slot=slot,
            status=scored.status,
            score=scored.score,
            grade=scored.grade,
            failure=scored.failure,
            passed=self.criterion.passed(scored.score, self.threshold),
            steps=tuple(asking.steps),
        )

    def _scored(self, example: Example, system: str, asking: Asking) -> Scored:
        try:
            scored = self.function(example, system, asking)
            if scored.grade is not None:  # what no record can hold costs its own row as well, and not the run
                json.dumps([scored.grade.value, scored.grade.parts], default=str)
        except CallError as error:
            return Scored(None, status=Status.CALL_ERROR, failure=error.failure)
        except BaseException as error:  # noqa: BLE001 - whatever a user's function raises, even SystemExit, is its own row's
            return failed(error)
        return scored


def failed(error: BaseException, *, grade: Any = None) -> Scored:
    """What a function that raised comes to: a failed call of the kind internal, which is tried again on resume."""
    failure = Failure(f"{type(error).__name__}: {error}", kind=FailureKind.INTERNAL)
    return Scored(None, grade, Status.CALL_ERROR, failure)
