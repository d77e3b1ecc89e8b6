"""A request to stop: no new work is begun, and what is in flight may finish."""

from __future__ import annotations

import asyncio


class Stop:
    """Asked for from a signal handler or another thread; heard on the run's loop."""

    def __init__(self) -> None:
        self.reason = ""
        self.exit_code = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event: asyncio.Event | None = None

    @property
    def asked(self) -> bool:
        """Whether somebody asked."""
        return bool(self.reason)

    def ask(self, reason: str, *, exit_code: int = 130) -> None:
        """Ask for the end. The first reason stands."""
        if not self.reason:
            self.reason = reason
            self.exit_code = exit_code
        if self._loop is not None and self._event is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        """Until somebody asks."""
        self._loop = asyncio.get_running_loop()
        self._event = self._event or asyncio.Event()
        if self.reason:
            return
        await self._event.wait()
