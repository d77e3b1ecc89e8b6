"""Code that blocks, beside the event loop: each call in a thread of its own that nobody has to wait for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function returns, or raises, called in a new thread.

    `asyncio.to_thread` has a handful of threads on a small machine, whatever concurrency a user sets, and a process
    cannot end before they do: one call that hangs would hold up Ctrl-C. A thread costs some 50 microseconds, where
    what is called takes milliseconds. Whoever is cancelled while waiting leaves the thread behind.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def call() -> None:
        try:
            result = context.run(function, *args, **kwargs)
        except StopIteration as error:
            stopped = RuntimeError("StopIteration was raised")  # a future cannot hold one: it would end the waiter
            stopped.__cause__ = error
            _tell(loop, _fail, future, stopped)
        except BaseException as error:  # noqa: BLE001 - it is raised again where the result is waited for
            _tell(loop, _fail, future, error)
        else:
            _tell(loop, _end, future, result)

    threading.Thread(target=call, name="gavelkit-call", daemon=True).start()
    return await future


def _tell(loop: asyncio.AbstractEventLoop, how: Callable[..., None], *args: object) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(how, *args)


def _end(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
