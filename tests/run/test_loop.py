"""The background loop: from scripts, threads, running loops and forked children."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from typing import Any

import pytest

from gavelkit.run import loop as room
from gavelkit.run import on_loop


async def where() -> str:
    return threading.current_thread().name


def test_work_runs_on_a_thread_of_its_own_and_its_result_comes_back() -> None:
    assert on_loop(where()) == "gavelkit-loop"


def test_an_error_of_the_work_is_the_callers() -> None:
    async def broken() -> None:
        message = "odd"
        raise LookupError(message)

    with pytest.raises(LookupError, match="odd"):
        on_loop(broken())


def test_it_works_while_a_loop_runs_and_from_many_threads() -> None:
    async def main() -> list[str]:
        return [on_loop(where()), *await asyncio.gather(*(asyncio.to_thread(on_loop, where()) for _ in range(5)))]

    assert asyncio.run(main()) == ["gavelkit-loop"] * 6


def test_a_closed_loop_is_replaced() -> None:
    first = room._BACKGROUND.loop()
    first.call_soon_threadsafe(first.stop)
    while first.is_running():
        pass
    first.close()
    assert on_loop(where()) == "gavelkit-loop"


def test_an_interruption_cancels_the_work_and_waits_for_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    began = threading.Event()
    steps: list[str] = []

    async def long() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            steps.append("let go")

    submit = asyncio.run_coroutine_threadsafe

    def interrupted(*given: Any) -> Any:
        future = submit(*given)

        def result() -> None:
            began.wait(10)
            raise KeyboardInterrupt

        monkeypatch.setattr(future, "result", result)
        return future

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", interrupted)
    with pytest.raises(KeyboardInterrupt):
        on_loop(long())
    assert steps == ["let go"]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_has_a_loop_of_its_own() -> None:
    on_loop(where())
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sending.send(on_loop(where())))
    child.start()
    assert receiving.poll(10)
    assert receiving.recv() == "gavelkit-loop"
    child.join(10)
