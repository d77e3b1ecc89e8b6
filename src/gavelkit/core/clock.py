"""The one way to wait and to tell the time; tests put a fake in its place."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Monotonic seconds for waits, and a wall clock that is only ever written down."""

    def monotonic(self) -> float: ...

    def utc(self) -> str:
        """The wall time as ISO 8601 in UTC."""
        ...

    async def sleep(self, seconds: float) -> None: ...
