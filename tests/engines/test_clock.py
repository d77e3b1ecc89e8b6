"""The real clock: monotonic waits, a wall time that is only written down."""

from __future__ import annotations

import asyncio
from datetime import datetime

import pytest

from gavelkit.engines import SystemClock


def test_the_wall_time_is_utc_to_the_millisecond() -> None:
    text = SystemClock().utc()
    told = datetime.fromisoformat(text)
    assert text.endswith("+00:00")
    assert told.microsecond % 1000 == 0


@pytest.mark.real_time
def test_a_wait_moves_the_monotonic_time_on() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    asyncio.run(clock.sleep(0.01))
    assert clock.monotonic() - before >= 0.01
