"""The direct judge: one prompt, one reply, one verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from gavelkit.core.criterion import Criterion
from gavelkit.core.errors import CallError, NotYet, TemplateError
from gavelkit.core.example import Example, Uses
from gavelkit.core.failure import Failure
from gavelkit.core.identity import Identity
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.limits import Limits
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine, Parser, Wrap
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.judges.call_log import log_call
from gavelkit.judges.reading import reads_by
from gavelkit.judges.verdict import read_verdict
from gavelkit.prompts import Prompt

STEP = "judge"


@dataclass(frozen=True, slots=True)
class Direct:
    """Asks once about each system's response and reads the reply in its place.

    `apart` is True where equal prompts about different examples are different calls. `named` and `save_details` shape
    the files beside the record: whether somebody gave the judge its name, and whether it gets a file of its own.
    """

    name: str
    prompt: Prompt
    parser: Parser
    criterion: Criterion
    parameters: Parameters
    engine: Engine
    threshold: float | None = None
    limits: Limits = field(default_factory=Limits)
    preset: str = ""
    apart: bool = False
    named: bool = True
    save_details: bool = True
    probes: tuple[Probe, ...] = ()
    asks: Identity = field(init=False)
    reads: Identity = field(init=False)

    def __post_init__(self) -> None:
        asks = {
            "way": "direct",
            "model": self.parameters.model,
            "parameters": self.parameters.values,
            **self.prompt.material,
        }
        if self.parameters.response_format:
            asks["response_format"] = self.parameters.response_format
        if self.parameters.plain:
            asks["plain"] = True
        if self.apart:
            asks["apart"] = True
        object.__setattr__(self, "asks", Identity(asks))
        object.__setattr__(self, "reads", Identity(reads_by(self.parser, self.criterion)))

    @property
    def reader(self) -> str:
        """What its reader is called."""
        return self.parser.name

    @property
    def uses(self) -> Uses:
        """Which parts of an example the prompt reads."""
        return self.prompt.uses

    def plan(self, example: Example, *, repeat: int = 0) -> Sequence[Slot]:
        """One slot for each system of the example."""
        return tuple(Slot(self.name, example.id, (system,), repeat) for system in example.responses)

    def prepare(self, example: Example) -> None:
        """Render every prompt of the example. Raises TemplateError."""
        for system in example.responses:
            self.prompt.messages(example, system)

    async def __call__(self, example: Example, *, repeat: int = 0) -> Sequence[Judgment]:
        slots = self.plan(example, repeat=repeat)
        if len(slots) == 1:
            return (await self._judge(slots[0], example),)
        return await asyncio.gather(*(self._judge(slot, example) for slot in slots))

    def first_prompt(self, example: Example) -> tuple[Message, ...]:
        """The first messages about an example. Raises TemplateError."""
        return self.prompt.messages(example, next(iter(example.responses)))

    def requests(self, judgment: Judgment, example: Example) -> dict[str, Request]:
        """What was asked, by step, made again from the example. Raises TemplateError or UnicodeEncodeError."""
        return {STEP: self._request(judgment.slot, example)}

    def bind(self, wrap: Wrap) -> Self:
        """The same judge with its engine wrapped."""
        return replace(self, engine=wrap(self.engine))

    async def _judge(self, slot: Slot, example: Example) -> Judgment:
        try:
            request = self._request(slot, example)
        except (TemplateError, UnicodeEncodeError) as error:
            return Judgment(slot, Status.INVALID_INPUT, failure=Failure(f"the prompt cannot be made: {error}"))
        try:
            completion = await self.engine.complete(request)
        except NotYet:
            return Judgment(slot, Status.PENDING)
        except CallError as error:
            log_call(request, Status.CALL_ERROR, None, error.failure)
            return Judgment(slot, Status.CALL_ERROR, failure=error.failure)
        verdict = read_verdict(completion, self.parser, self.criterion)
        log_call(request, verdict.status, completion, verdict.failure)
        return Judgment(
            slot=slot,
            status=verdict.status,
            score=verdict.score,
            grade=verdict.grade,
            failure=verdict.failure,
            passed=self.criterion.passed(verdict.score, self.threshold),
            steps=(Step(STEP, completion),),
        )

    def _request(self, slot: Slot, example: Example) -> Request:
        messages = self.prompt.messages(example, slot.systems[0])
        labels = Labels(example.id, self.name, slot.systems, STEP)
        return Request(messages, self.parameters, slot.repeat, labels, slot.place if self.apart else "")
