"""What belongs to one event loop, made for each loop that asks."""

from __future__ import annotations

import asyncio
import threading

from gavelkit.engines.per_loop import PerLoop


def test_one_loop_gets_the_same_again_and_another_loop_its_own() -> None:
    per_loop = PerLoop(object)

    async def twice() -> list[object]:
        return [per_loop.get(), per_loop.get()]

    one, two = asyncio.run(twice()), asyncio.run(twice())
    assert one[0] is one[1]
    assert two[0] is two[1]
    assert one[0] is not two[0]


def test_loops_side_by_side_keep_their_own() -> None:
    per_loop = PerLoop(object)
    found: list[object] = []

    async def inner() -> None:
        found.append(per_loop.get())

    async def outer() -> None:
        mine = per_loop.get()
        thread = threading.Thread(target=asyncio.run, args=(inner(),))
        thread.start()
        thread.join()
        assert per_loop.get() is mine
        assert found[0] is not mine

    asyncio.run(outer())


def test_what_a_closed_loop_had_is_dropped_when_another_asks() -> None:
    per_loop = PerLoop(object)

    async def ask() -> None:
        per_loop.get()

    for _ in range(5):
        asyncio.run(ask())
    assert len(per_loop._made) == 1
