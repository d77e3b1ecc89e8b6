"""A hard ceiling on the calls of one judge in flight."""

from __future__ import annotations

import asyncio

from gavelkit.core.completion import Completion
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine


class Ceiling:
    """Lets at most `limit` calls through at once; the others wait in order. A retry's wait holds no place.

    A judge may serve one event loop after another, and a forked child: each loop has places of its own.
    """

    def __init__(self, inner: Engine, limit: int) -> None:
        self._inner = inner
        self._limit = limit
        self._loop: asyncio.AbstractEventLoop | None = None

    async def complete(self, request: Request) -> Completion:
        """The inner engine's reply. Raises what it raises."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._places = loop, asyncio.Semaphore(self._limit)
        async with self._places:
            return await self._inner.complete(request)
