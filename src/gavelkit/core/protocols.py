"""The interfaces between rooms. Each is as small as its users allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion
from gavelkit.core.example import Example, Uses
from gavelkit.core.failure import Failure
from gavelkit.core.grade import Grade
from gavelkit.core.identity import Identity
from gavelkit.core.judgment import Judgment
from gavelkit.core.limits import Limits
from gavelkit.core.message import Request
from gavelkit.core.probe import Probe
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status


class Engine(Protocol):
    """A way to reach a model."""

    async def complete(self, request: Request) -> Completion:
        """The reply to a request.

        Raises:
            CallError: there is no reply, and why.
            NotYet: there is no reply yet, which is no failure.
        """
        ...


class BatchEngine(Protocol):
    """A way to reach a model with many requests at a time."""

    async def complete_all(self, requests: Sequence[Request]) -> Sequence[Completion | Failure]:
        """One answer to each request, in the same order.

        Raises:
            EndpointError: no request of the batch is answered, and why. The run ends and can be resumed.
        """
        ...


Wrap = Callable[[Engine], Engine]
"""Puts one engine round another."""


class Parser(Protocol):
    """Reads one answer format, and writes it: `parse(write(grade)) == grade`."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The verdict in its place. `cut`: the reply ended at its limit, so only a verdict read whole counts.

        Raises:
            ParseError: no verdict, or several that differ.
        """
        ...

    def write(self, grade: Grade) -> str:
        """A reply in this format that reads back as `grade`."""
        ...


class Judge(Protocol):
    """Turns an example into judgments. Failures are returned, never raised."""

    @property
    def name(self) -> str: ...

    @property
    def asks(self) -> Identity:
        """Everything that shapes what is asked: model, parameters, templates, criterion wording, steps."""
        ...

    @property
    def reads(self) -> Identity:
        """Everything that shapes how a reply is read: parser and version, scale, threshold's scale, clamp."""
        ...

    @property
    def criterion(self) -> Criterion: ...

    @property
    def threshold(self) -> float | None: ...

    @property
    def limits(self) -> Limits: ...

    @property
    def preset(self) -> str:
        """The shipped judge it was made from, empty where there is none."""
        ...

    @property
    def probes(self) -> Sequence[Probe]:
        """How its endpoints are tried before a run; none where it calls no endpoint."""
        ...

    @property
    def uses(self) -> Uses:
        """Which parts of an example the prompts read."""
        ...

    def plan(self, example: Example, *, repeat: int = 0) -> Sequence[Slot]:
        """The judgments that `__call__` will return, in the same order."""
        ...

    def prepare(self, example: Example) -> None:
        """Render every prompt of an example and throw it away. Raises TemplateError or DataError."""
        ...

    async def __call__(self, example: Example, *, repeat: int = 0) -> Sequence[Judgment]: ...

    def bind(self, wrap: Wrap) -> Judge:
        """The same judge with each of its engines wrapped."""
        ...


class ReplyStore(Protocol):
    """Where stored replies come from."""

    def find(self, key: bytes) -> Completion | None:
        """The stored reply to the request with this key."""
        ...


class Journal(Protocol):
    """Where paid replies and judgments go, in order. Only `room` and `settle` wait for the disk."""

    @property
    def full(self) -> bool:
        """Whether whoever hands over more should wait for `room` first."""
        ...

    def begin(self, example: Example) -> int:
        """The example's position in the record; the same id keeps its position."""
        ...

    def held(self, position: int, slot: Slot) -> Status | None:
        """The status the record holds for a slot, None where it is to be judged."""
        ...

    def reply(self, request: Request, completion: Completion) -> Completion:
        """Store a reply; the same completion comes back with its `call` number. Raises StorageError."""
        ...

    def judged(self, position: int, judgments: Sequence[Judgment]) -> None:
        """Store judgments of the example at a position, after their replies. Raises StorageError."""
        ...

    async def room(self) -> None:
        """Wait until fewer judgments than the bound are taken and not yet on disk. Raises StorageError."""
        ...

    async def settle(self) -> None:
        """Wait until everything handed over is on disk. Raises StorageError."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """One planned judgment as the record holds it, with the example it is about."""

    judgment: Judgment
    example: Example


class Records(Protocol):
    """Ordered streaming over a run, for statistics and reports."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """What the run was asked to do: settings, judges, data, times."""
        ...

    def entries(self) -> Iterator[Entry]:
        """Every planned judgment, ordered by example, judge, system and repeat."""
        ...
