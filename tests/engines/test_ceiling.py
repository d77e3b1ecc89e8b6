"""A hard ceiling on calls in flight."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.makers import a_request

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines import Ceiling, ScriptedEngine


class Crowd:
    """Counts who is inside, and lets everybody in the queue move before anybody leaves."""

    def __init__(self) -> None:
        self.inside = self.most = 0
        self.order: list[str] = []
        self.on_leaving: Callable[[], object] = lambda: None

    async def complete(self, request: Request) -> Completion:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.order.append(request.messages[0].content)
        for _ in range(3):
            await asyncio.sleep(0)
        self.inside -= 1
        self.on_leaving()
        return Completion("ok")


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_never_more_than_the_limit_are_in_flight_and_the_limit_is_used(limit: int) -> None:
    crowd = Crowd()

    async def main() -> None:
        ceiling = Ceiling(crowd, limit)
        await asyncio.gather(*(ceiling.complete(a_request(str(n))) for n in range(40)))

    asyncio.run(main())
    assert crowd.most == min(limit, 40)
    assert crowd.order == [str(n) for n in range(40)]


def test_a_failed_or_cancelled_call_gives_its_place_back() -> None:
    async def main() -> Completion:
        ceiling = Ceiling(ScriptedEngine([CallError(FailureKind.SERVER, "down"), "fine"]), 1)
        with pytest.raises(CallError):
            await ceiling.complete(a_request())
        waiting = asyncio.create_task(Ceiling(Crowd(), 1).complete(a_request()))
        await asyncio.sleep(0)
        waiting.cancel()
        return await ceiling.complete(a_request())

    assert asyncio.run(main()).text == "fine"


def test_whoever_gives_up_in_the_queue_takes_no_place_with_it() -> None:
    crowd = Crowd()

    async def main() -> None:
        ceiling = Ceiling(crowd, 1)
        calls = [asyncio.create_task(ceiling.complete(a_request(str(n)))) for n in range(4)]
        await asyncio.sleep(0)
        calls[1].cancel()
        crowd.on_leaving = lambda: asyncio.get_running_loop().call_soon(calls[2].cancel)  # as its turn comes
        await asyncio.wait(calls)
        assert [call.cancelled() for call in calls] == [False, True, True, False]
        await ceiling.complete(a_request("5"))

    asyncio.run(asyncio.wait_for(main(), 20))
    assert crowd.order == ["0", "3", "5"]
    assert crowd.most == 1


def test_one_ceiling_serves_one_event_loop_after_another() -> None:
    ceiling = Ceiling(Crowd(), 1)

    async def crowded() -> list[Completion]:
        return await asyncio.gather(*(ceiling.complete(a_request(str(n))) for n in range(3)))

    assert len(asyncio.run(crowded())) == 3
    assert len(asyncio.run(crowded())) == 3
