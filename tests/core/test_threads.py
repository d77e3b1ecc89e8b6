"""Code that blocks runs beside the loop, as many calls at once as are wanted, and holds nobody up."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from queue import SimpleQueue

import pytest

from gavelkit.core import threads
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


@pytest.mark.parametrize("ending", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()])
def test_a_function_that_would_end_the_program_is_an_error_and_the_loop_goes_on(ending: BaseException) -> None:
    def leave() -> None:
        raise ending

    async def both() -> int:
        with pytest.raises(RuntimeError, match=f"{type(ending).__name__} was raised"):
            await in_thread(leave)
        return await in_thread(int)

    assert asyncio.run(both()) == 0


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


def test_one_call_after_the_other_meets_the_same_thread_again() -> None:
    """What a function keeps by thread, such as a connection, is used again."""

    async def one_by_one() -> set[int]:
        seen = set()
        for _ in range(5):
            seen.add(await in_thread(threading.get_ident))
            await asyncio.to_thread(threading.Event().wait, 0.001)  # the thread has still to say that it is free
        return seen

    assert len(asyncio.run(one_by_one())) < 5


def test_a_thread_that_nobody_needs_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_IDLE_SECONDS", 0.0)
    pool = threads._Threads()
    done = SimpleQueue[threading.Thread]()
    for _ in range(20):
        pool.start(lambda: done.put(threading.current_thread()))
    for _ in range(20):
        thread = done.get(timeout=10)
        thread.join(timeout=10)
        assert not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own() -> None:
    asyncio.run(in_thread(int))
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sending.send(asyncio.run(in_thread(int))))
    child.start()
    assert receiving.poll(20)
    assert receiving.recv() == 0
    child.join(timeout=20)


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
