"""An event loop whose time jumps to the next thing to do when nobody has anything to do: hours pass in a second."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.BaseSelector):
    """Waits for nothing: where the loop would sleep, its time moves on instead."""

    def __init__(self) -> None:
        self._inner = selectors.SelectSelector()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._inner.select(0)
        if not ready and timeout is None:
            message = "nobody will ever wake anybody: a deadlock"
            raise RuntimeError(message)
        if not ready and timeout is not None and timeout > 0:
            self.now += timeout
        return ready

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._inner.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._inner.unregister(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._inner.get_map()

    def close(self) -> None:
        self._inner.close()


class VirtualLoop(asyncio.SelectorEventLoop):
    """Begins at 0 and raises RuntimeError where all wait for each other."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)
        self._clock_resolution = 1e-9

    def time(self) -> float:
        return self._jumping.now


class VirtualClock:
    """Implements `gavelkit.core.clock.Clock` on the time of the running loop."""

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    def utc(self) -> str:
        return f"2026-01-01T00:00:{self.monotonic():06.3f}+00:00"

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run(main: Coroutine[Any, Any, T]) -> T:
    """What `main` returns, in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
