"""A request to stop, heard from wherever it comes."""

from __future__ import annotations

import asyncio
import threading

from gavelkit.run import Stop


def test_nobody_has_asked_at_first() -> None:
    assert not Stop().asked


def test_the_first_reason_stands() -> None:
    stop = Stop()
    stop.ask("interrupted")
    stop.ask("terminated", exit_code=143)
    assert (stop.reason, stop.exit_code) == ("interrupted", 130)


def test_what_was_asked_before_is_heard_at_once() -> None:
    stop = Stop()
    stop.ask("early")
    asyncio.run(asyncio.wait_for(stop.wait(), 5))


def test_another_thread_is_heard() -> None:
    stop = Stop()

    async def main() -> None:
        waiting = asyncio.create_task(stop.wait())
        await asyncio.sleep(0)
        threading.Thread(target=stop.ask, args=("from a thread",)).start()
        await asyncio.wait_for(waiting, 5)

    asyncio.run(main())
    assert stop.asked


def test_asking_after_the_loop_has_closed_harms_nobody() -> None:
    stop = Stop()

    async def main() -> None:
        waiting = asyncio.create_task(stop.wait())
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(main())
    stop.ask("late")
    assert stop.asked
