"""The interfaces between rooms: a thing that keeps the promise needs no base class."""

from __future__ import annotations

import asyncio

from gavelkit.core.clock import Clock
from gavelkit.core.completion import Completion
from gavelkit.core.example import Example
from gavelkit.core.judgment import Judgment
from gavelkit.core.limits import Limits
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.protocols import Engine, Entry, Wrap
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status


class Parrot:
    async def complete(self, request: Request) -> Completion:
        return Completion(request.messages[-1].content)


class Stopped:
    def monotonic(self) -> float:
        return 0.0

    def utc(self) -> str:
        return "2024-01-01T00:00:00Z"

    async def sleep(self, seconds: float) -> None:
        assert seconds >= 0


def test_whatever_has_complete_is_an_engine_and_can_be_wrapped() -> None:
    def twice(engine: Engine) -> Engine:
        class Twice:
            async def complete(self, request: Request) -> Completion:
                return Completion((await engine.complete(request)).text * 2)

        return Twice()

    wrap: Wrap = twice
    request = Request((Message("user", "hi"),), Parameters("m"))
    assert asyncio.run(wrap(Parrot()).complete(request)).text == "hihi"


def test_whatever_waits_and_tells_the_time_is_a_clock() -> None:
    clock: Clock = Stopped()
    asyncio.run(clock.sleep(5))
    assert (clock.monotonic(), clock.utc()[:4]) == (0.0, "2024")


def test_a_judge_may_make_32_calls_at_once_and_fail_a_tenth_unless_told_otherwise() -> None:
    assert (Limits().concurrency, Limits().max_error_rate) == (32, 0.1)


def test_an_entry_is_a_judgment_with_its_example() -> None:
    example = Example("1", {}, {"": "r"})
    entry = Entry(Judgment(Slot("j", "1", ("",)), Status.PENDING), example)
    assert entry.judgment.slot.example_id == entry.example.id
