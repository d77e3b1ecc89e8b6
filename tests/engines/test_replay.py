"""Stored replies: equal requests are asked once, kept before anybody reads them, and never paid for twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import pytest
from tests.makers import a_request

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, NotYet, StorageError
from gavelkit.core.example import Example
from gavelkit.core.failure import FailureKind
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Request
from gavelkit.core.slot import Slot
from gavelkit.engines import Replaying, ScriptedEngine, StoredOnly
from gavelkit.engines.replay import InFlight
from gavelkit.engines.scripted import Turn


class Shelf:
    """A reply store and a journal in one, in memory."""

    def __init__(self, *, broken: bool = False) -> None:
        self.kept: dict[bytes, Completion] = {}
        self.broken = broken
        self.full = False

    def find(self, key: bytes) -> Completion | None:
        return self.kept.get(key)

    def reply(self, request: Request, completion: Completion) -> Completion:
        if self.broken:
            message = "the disk is full"
            raise StorageError(message)
        kept = completion.stored(len(self.kept) + 1)
        self.kept[request.key] = replace(kept, replayed=True)
        return kept

    def begin(self, example: Example) -> NoReturn:
        raise NotImplementedError

    def held(self, position: int, slot: Slot) -> NoReturn:
        raise NotImplementedError

    def judged(self, position: int, judgments: Sequence[Judgment]) -> NoReturn:
        raise NotImplementedError

    async def room(self) -> None:
        raise NotImplementedError

    async def settle(self) -> None:
        raise NotImplementedError


class Slow:
    """Answers from a script, each time after everybody else had their turn."""

    def __init__(self, *turns: Turn) -> None:
        self.script = ScriptedEngine(turns)

    async def complete(self, request: Request) -> Completion:
        for _ in range(3):
            await asyncio.sleep(0)
        return await self.script.complete(request)


async def together(engine: Replaying, *requests: Request) -> list[Completion | BaseException]:
    return await asyncio.gather(*(engine.complete(each) for each in requests), return_exceptions=True)


def test_a_new_reply_is_stored_and_has_its_number() -> None:
    shelf = Shelf()
    reply = asyncio.run(Replaying(ScriptedEngine(["a"]), shelf, shelf).complete(a_request()))
    assert (reply.text, reply.call, reply.replayed) == ("a", 1, False)
    assert shelf.kept[a_request().key].text == "a"


def test_a_stored_reply_costs_nothing_and_says_that_it_was_stored() -> None:
    shelf = Shelf()
    engine = Replaying(ScriptedEngine(["a"]), shelf, shelf)
    asyncio.run(engine.complete(a_request()))
    again = asyncio.run(engine.complete(a_request()))
    assert (again.text, again.call, again.replayed) == ("a", 1, True)


def test_equal_requests_in_flight_share_one_call() -> None:
    shelf, slow = Shelf(), Slow("a", "b")
    found = asyncio.run(together(Replaying(slow, shelf, shelf), a_request("x"), a_request("y"), a_request("x")))
    assert [each.text for each in found if isinstance(each, Completion)] == ["a", "b", "a"]
    assert [each.replayed for each in found if isinstance(each, Completion)] == [False, False, True]
    assert len(slow.script.requests) == 2


def test_another_repeat_is_another_request() -> None:
    shelf, slow = Shelf(), Slow("a", "b")
    asyncio.run(together(Replaying(slow, shelf, shelf), a_request(), a_request(repeat=1)))
    assert len(slow.script.requests) == 2


def test_a_failure_is_shared_by_those_who_wait_and_not_stored() -> None:
    shelf, slow = Shelf(), Slow(CallError(FailureKind.SERVER, "down"), "fine")
    engine = Replaying(slow, shelf, shelf)
    found = asyncio.run(together(engine, a_request(), a_request()))
    assert [str(each) for each in found] == ["down", "down"]
    assert len(slow.script.requests) == 1
    assert not shelf.kept
    assert asyncio.run(engine.complete(a_request())).text == "fine"


def test_a_failure_nobody_else_waits_for_leaves_nothing_behind(recwarn: pytest.WarningsRecorder) -> None:
    shelf = Shelf()
    with pytest.raises(CallError):
        asyncio.run(Replaying(Slow(CallError(FailureKind.SERVER, "down")), shelf, shelf).complete(a_request()))
    assert not recwarn.list


def test_a_reply_that_cannot_be_kept_is_handed_to_nobody() -> None:
    shelf = Shelf(broken=True)
    found = asyncio.run(together(Replaying(Slow("a"), shelf, shelf), a_request(), a_request()))
    assert [str(each) for each in found] == ["the disk is full"] * 2


def test_whoever_waits_and_is_cancelled_does_not_cancel_the_call() -> None:
    shelf, slow = Shelf(), Slow("a")

    async def main() -> Completion:
        engine = Replaying(slow, shelf, shelf)
        asking = asyncio.create_task(engine.complete(a_request()))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(engine.complete(a_request()))
        await asyncio.sleep(0)
        waiting.cancel()
        return await asking

    assert asyncio.run(main()).text == "a"


def test_a_call_that_is_cancelled_is_forgotten() -> None:
    shelf, slow = Shelf(), Slow("a")

    async def main() -> Completion:
        engine = Replaying(slow, shelf, shelf)
        asking = asyncio.create_task(engine.complete(a_request()))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return await engine.complete(a_request())

    assert asyncio.run(main()).text == "a"


def test_whoever_waits_for_a_call_that_is_cancelled_makes_it_anew() -> None:
    async def first_cancelled() -> list[Completion]:
        slow = Slow("Score: 8", "Score: 8")
        engine = Replaying(slow, shelf := Shelf(), shelf)
        first = asyncio.ensure_future(engine.complete(a_request()))
        others = [asyncio.ensure_future(engine.complete(a_request())) for _ in range(2)]
        await asyncio.sleep(0)
        first.cancel()
        return await asyncio.gather(*others)

    replies = asyncio.run(first_cancelled())
    assert [(reply.text, reply.replayed) for reply in replies] == [("Score: 8", False), ("Score: 8", True)]


def test_the_store_alone_has_no_reply_yet_where_it_holds_none() -> None:
    shelf = Shelf()
    with pytest.raises(NotYet):
        asyncio.run(StoredOnly(shelf).complete(a_request()))
    shelf.reply(a_request(), Completion("kept"))
    assert asyncio.run(StoredOnly(shelf).complete(a_request())).text == "kept"


def test_two_judges_engines_share_the_calls_that_are_under_way() -> None:
    shelf, slow, other = Shelf(), Slow("a"), Slow("b")
    under_way: InFlight = {}

    async def main() -> list[str]:
        engines = [Replaying(each, shelf, shelf, in_flight=under_way) for each in (slow, other)]
        replies = await asyncio.gather(*(engine.complete(a_request()) for engine in engines))
        return [reply.text for reply in replies]

    assert asyncio.run(main()) == ["a", "a"]
    assert other.script.requests == []
    assert under_way == {}
