"""A hard ceiling on the calls of one judge in flight."""

from __future__ import annotations

import asyncio

from gavelkit.core.completion import Completion
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine


class Ceiling:
    """Lets at most `limit` calls through at once; the others wait in order. A retry's wait holds no place."""

    def __init__(self, inner: Engine, limit: int) -> None:
        self._inner = inner
        self._places = asyncio.Semaphore(limit)

    async def complete(self, request: Request) -> Completion:
        """The inner engine's reply. Raises what it raises."""
        async with self._places:
            return await self._inner.complete(request)
