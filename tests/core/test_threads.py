"""Code that blocks runs beside the loop, as many calls at once as are wanted, and holds nobody up."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar

import pytest

from gavelkit.core.threads import in_thread

SEEN: ContextVar[str] = ContextVar("SEEN", default="")


def test_it_returns_what_the_function_returns_from_another_thread() -> None:
    def where(name: str, *, last: str) -> tuple[str, threading.Thread]:
        return name + last, threading.current_thread()

    name, thread = asyncio.run(in_thread(where, "a", last="b"))
    assert name == "ab"
    assert thread is not threading.main_thread()


def test_it_raises_what_the_function_raises() -> None:
    def fail() -> None:
        message = "no"
        raise KeyError(message)

    with pytest.raises(KeyError, match="no"):
        asyncio.run(in_thread(fail))


def test_an_iterator_at_its_end_is_an_error_like_any_other() -> None:
    empty: Iterator[str] = iter(())
    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(in_thread(next, empty))


def test_the_function_sees_the_callers_context() -> None:
    async def asked() -> str:
        SEEN.set("here")
        return await in_thread(SEEN.get)

    assert asyncio.run(asked()) == "here"


def test_a_hundred_calls_block_at_once() -> None:
    all_in = threading.Barrier(100, timeout=10)

    async def together() -> None:
        await asyncio.gather(*(in_thread(all_in.wait) for _ in range(100)))

    asyncio.run(together())


@pytest.mark.parametrize("fails", [False, True])
def test_whoever_is_cancelled_leaves_the_thread_to_itself(*, fails: bool) -> None:
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait(10)
        done.set()
        if fails:
            raise ValueError

    async def cancelled() -> None:
        task = asyncio.ensure_future(in_thread(slow))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        await asyncio.to_thread(done.wait, 10)
        await asyncio.sleep(0)

    asyncio.run(cancelled())


def test_a_process_ends_though_a_call_hangs() -> None:
    program = """
import asyncio, threading
from gavelkit.core.threads import in_thread

async def give_up():
    await asyncio.wait_for(in_thread(threading.Event().wait), 0.01)

try:
    asyncio.run(give_up())
except TimeoutError:
    print("given up")
"""
    ended = subprocess.run(  # noqa: S603 - the program stands above
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert ended.stdout == "given up\n"
