"""The real clock. Waits are monotonic, so a clock set back or a suspended machine shortens none."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """Implements `gavelkit.core.clock.Clock`."""

    def monotonic(self) -> float:
        return time.monotonic()

    def utc(self) -> str:
        return datetime.now(UTC).isoformat(timespec="milliseconds")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
