"""A clock whose waits take no time: `sleep` moves it on, lets others run, and remembers how long was asked for."""

from __future__ import annotations

import asyncio


class FakeClock:
    """Implements `gavelkit.core.clock.Clock` on a time of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def utc(self) -> str:
        return f"2026-01-01T00:00:{self.now:06.3f}+00:00"

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
