"""The one background event loop of a process, on which every synchronous door runs its work."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_CLEANUP_SECONDS = 10.0


class _Background:
    """A loop in a daemon thread, started on first use and left behind by a forked child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._loop.is_closed():
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="gavelkit-loop", daemon=True).start()
            return self._loop

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._loop = None


_BACKGROUND = _Background()
os.register_at_fork(after_in_child=_BACKGROUND.forget)


def on_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the background loop and wait for its result, from any thread but the loop's own.

    Works inside a running event loop too, which waits meanwhile. An interruption cancels the work and waits until
    it has let go of its files, so that it can be called again at once.
    """
    ended = threading.Event()

    async def watched() -> T:
        try:
            return await work
        finally:
            ended.set()

    future = asyncio.run_coroutine_threadsafe(watched(), _BACKGROUND.loop())
    try:
        return future.result()
    except BaseException:
        if future.cancel():
            ended.wait(_CLEANUP_SECONDS)
        raise
