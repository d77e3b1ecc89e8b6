"""A judge whose rows have no responses yet: systems answer first, each once, and then it judges."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from gavelkit.core.answer import answer_step, with_answers
from gavelkit.core.criterion import Criterion
from gavelkit.core.errors import CallError, DataError, NotYet, TemplateError
from gavelkit.core.example import Example, Uses
from gavelkit.core.failure import Failure
from gavelkit.core.identity import Identity
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.limits import Limits
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Judge, Wrap
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.systems import System

_NO_ANSWER = "not answered yet"
_Ending = tuple[Status, Failure | None]
"""Why there is no answer."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Implements `Judge` round another. A response is the first step of its judgments, so it is asked for once.

    Where a system fails, every judgment of its response fails with it and says so.
    """

    judge: Judge
    systems: tuple[System, ...]

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def asks(self) -> Identity:
        """What the judge asks, and what the systems are asked."""
        return Identity({**self.judge.asks.material, "systems": [system.asks.material for system in self.systems]})

    @property
    def reads(self) -> Identity:
        return self.judge.reads

    @property
    def criterion(self) -> Criterion:
        return self.judge.criterion

    @property
    def threshold(self) -> float | None:
        return self.judge.threshold

    @property
    def limits(self) -> Limits:
        return self.judge.limits

    @property
    def preset(self) -> str:
        return self.judge.preset

    @property
    def probes(self) -> Sequence[Probe]:
        """The systems' and the judge's own."""
        return (*(probe for system in self.systems for probe in system.probes), *self.judge.probes)

    @property
    def uses(self) -> Uses:
        """All of a row: what the systems are asked is theirs to say."""
        return Uses(everything=True)

    def plan(self, example: Example, *, repeat: int = 0) -> Sequence[Slot]:
        """As the judge plans for a row that the systems have answered."""
        return self.judge.plan(self._with_all(example), repeat=repeat)

    def prepare(self, example: Example) -> None:
        """Render what the systems are asked, and what the judge is. Raises TemplateError or DataError."""
        for system in self.systems:
            system.asked(example)
        self.judge.prepare(self._with_all(example))

    async def __call__(self, example: Example, *, repeat: int = 0) -> Sequence[Judgment]:
        slots = self.plan(example, repeat=repeat)
        endings = await asyncio.gather(*(self._answer(system, example, repeat) for system in self.systems))
        steps = [ending for ending in endings if isinstance(ending, Step)]
        answered = with_answers(example, steps)
        judged = {each.slot: each for each in await self.judge(answered, repeat=repeat)} if answered.responses else {}
        return [_placed(judged.get(slot), slot, dict(zip(self._names, endings, strict=True))) for slot in slots]

    def bind(self, wrap: Wrap) -> Self:
        """The same with the engines of the systems and of the judge wrapped."""
        return replace(self, judge=self.judge.bind(wrap), systems=tuple(system.bind(wrap) for system in self.systems))

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(system.name for system in self.systems)

    def _with_all(self, example: Example) -> Example:
        """The example as it looks once every system has answered."""
        return replace(example, responses={**example.responses, **dict.fromkeys(self._names, _NO_ANSWER)})

    async def _answer(self, system: System, example: Example, repeat: int) -> Step | _Ending:
        step = answer_step(system.name)
        try:
            request = system.request(example, repeat=repeat, judge=self.name, step=step)
        except (TemplateError, DataError, UnicodeEncodeError) as error:
            return Status.INVALID_INPUT, Failure(f"what {_told(system.name)} is asked cannot be made: {error}")
        try:
            return Step(step, await system.answer(request))
        except NotYet:
            return Status.PENDING, None
        except CallError as error:
            message = f"{_told(system.name)} gave no response: {error.failure.message}"
            return Status.CALL_ERROR, replace(error.failure, message=message)


def _placed(judged: Judgment | None, slot: Slot, endings: Mapping[str, Step | _Ending]) -> Judgment:
    """The judgment with the answers it is about as its first steps, or the failure of the first that is missing."""
    mine = [endings[name] for name in slot.systems if name in endings]
    answers = tuple(ending for ending in mine if isinstance(ending, Step))
    if judged is not None:
        return replace(judged, steps=(*answers, *judged.steps))
    status, failure = next(ending for ending in mine if not isinstance(ending, Step))
    return Judgment(slot, status, failure=failure, steps=answers)


def _told(system: str) -> str:
    return f"the system {system!r}" if system else "the system"
