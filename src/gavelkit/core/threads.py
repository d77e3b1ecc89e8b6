"""Code that blocks, beside the event loop: as many calls at once as are wanted, in threads nobody has to wait for."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Job = Callable[[], None]

_IDLE_SECONDS = 30.0


class _Threads:
    """Takes the thread that was free last, or a new one: what a function keeps by thread is met again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Job]] = []

    def start(self, job: Job) -> None:
        """Let a thread do the job, at once."""
        with self._lock:
            jobs = self._idle.pop() if self._idle else None
        if jobs is None:
            jobs = SimpleQueue()
            threading.Thread(target=self._work, args=(jobs,), name="gavelkit-call", daemon=True).start()
        jobs.put(job)

    def forget(self) -> None:
        """In a forked child there are no threads."""
        self._lock = threading.Lock()
        self._idle = []

    def _work(self, jobs: SimpleQueue[Job]) -> None:
        while True:
            try:
                job = jobs.get(timeout=_IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if jobs in self._idle:  # else a job is on its way
                        self._idle.remove(jobs)
                        return
                continue
            job()
            del job  # while the thread idles, nothing of the last call stays in memory
            with self._lock:
                self._idle.append(jobs)


_THREADS = _Threads()
os.register_at_fork(after_in_child=_THREADS.forget)


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function returns, or raises, called in another thread. What would end a loop is raised as RuntimeError.

    `asyncio.to_thread` has a handful of threads on a small machine, whatever concurrency a user sets, and a process
    cannot end before they do: one call that hangs would hold up Ctrl-C. Whoever is cancelled while waiting leaves the
    call behind.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def call() -> None:
        try:
            result = context.run(function, *args, **kwargs)
        except BaseException as error:  # noqa: BLE001 - it is raised again where the result is waited for
            _tell(loop, _fail, future, _harmless(error))
        else:
            _tell(loop, _end, future, result)

    _THREADS.start(call)
    return await future


def _harmless(error: BaseException) -> Exception:
    """The error as a future may hold it: a StopIteration would end the waiter, a SystemExit the whole event loop."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    said = f": {error}" if str(error) else ""
    held = RuntimeError(f"{type(error).__name__} was raised{said}")
    held.__cause__ = error
    return held


def _tell(loop: asyncio.AbstractEventLoop, how: Callable[..., None], *args: object) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(how, *args)


def _end(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
