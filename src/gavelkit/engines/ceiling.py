"""A hard ceiling on the calls of one judge in flight."""

from __future__ import annotations

import asyncio
from collections import deque

from gavelkit.core.completion import Completion
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine
from gavelkit.engines.per_loop import PerLoop


class Ceiling:
    """Lets at most `limit` calls through at once; the others wait in order. A retry's wait holds no place."""

    def __init__(self, inner: Engine, limit: int) -> None:
        self._inner = inner
        self._places = PerLoop(lambda: _Places(limit))

    async def complete(self, request: Request) -> Completion:
        """The inner engine's reply. Raises what it raises."""
        places = self._places.get()
        if places.free:
            places.free -= 1
        else:
            await places.turn()
        try:
            return await self._inner.complete(request)
        finally:
            places.pass_on()


class _Places:
    """A semaphore for one loop whose free places cost no more than a counter."""

    __slots__ = ("_queue", "free")

    def __init__(self, limit: int) -> None:
        self.free = limit
        self._queue: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Wait for a place that another call hands on."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.pass_on()  # the place came at the moment the caller gave up
            raise

    def pass_on(self) -> None:
        """Hand a place to the first who waits, else keep it free."""
        while self._queue:
            place = self._queue.popleft()
            if not place.done():
                place.set_result(None)
                return
        self.free += 1
