"""What belongs to one event loop, made for each loop that asks: a judge may serve several, and a forked child's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Holds what `make` returns, once for each loop, and drops it once the loop is closed and another one asks."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[asyncio.AbstractEventLoop, T] = {}

    def get(self) -> T:
        """The running loop's own."""
        loop = asyncio.get_running_loop()
        found = self._made.get(loop)
        if found is None:
            for closed in [each for each in self._made if each.is_closed()]:
                del self._made[closed]
            found = self._made[loop] = self._make()
        return found
