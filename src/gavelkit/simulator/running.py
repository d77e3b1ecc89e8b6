"""A simulated endpoint while it runs: inside a block, in a thread of its own, or until it is stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from gavelkit.simulator.app import App
from gavelkit.simulator.script import Script
from gavelkit.simulator.server import serving


class Simulator:
    """An endpoint on loopback: `async with Simulator(Script(reply="Score: 8")) as simulator: simulator.url`.

    `requests`, `max_in_flight` and `statuses` tell what came, also after it has stopped. `log` is a file that gets a
    JSON line for each request; it is written anew.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        api_key: str | None = None,
        log: Path | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self._script = script
        self._api_key = api_key
        self._log = log
        self._host = host
        self._port = port
        self._app = App(script, api_key=api_key)
        self._running: AsyncExitStack | None = None

    @property
    def url(self) -> str:
        """The base URL, which ends with `/v1`; known once it runs."""
        return f"http://{self._host}:{self._port}/v1"

    @property
    def requests(self) -> int:
        """How many requests came."""
        return self._app.ledger.requests

    @property
    def max_in_flight(self) -> int:
        """How many of them were in flight at once, at most."""
        return self._app.ledger.max_in_flight

    @property
    def statuses(self) -> dict[int, int]:
        """How many answers had which status."""
        return dict(self._app.ledger.statuses)

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            log: BinaryIO | None = None
            if self._log is not None:
                # Unbuffered, so that a test reads each line as soon as its answer is there.
                log = stack.enter_context(self._log.open("wb", buffering=0))
            self._app = App(self._script, api_key=self._api_key, log=log)
            self._port = await stack.enter_async_context(serving(self._app, host=self._host, port=self._port))
            self._running = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._running is not None:
            await self._running.__aexit__(kind, error, trace)
            self._running = None


@contextmanager
def running_simulator(
    script: Script | None = None, *, api_key: str | None = None, log: Path | None = None, port: int = 0
) -> Iterator[Simulator]:
    """A simulator that runs in a thread of its own for as long as the block lasts."""
    simulator = Simulator(script, api_key=api_key, log=log, port=port)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="simulator", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(simulator.__aenter__(), loop).result()
        try:
            yield simulator
        finally:
            asyncio.run_coroutine_threadsafe(simulator.__aexit__(None, None, None), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def serve_forever(simulator: Simulator, *, announce: Callable[[str], None]) -> None:
    """Run it until an interrupt; `announce` gets its URL once it listens. Raises OSError where the port is taken."""

    async def serve() -> None:
        async with simulator:
            announce(simulator.url)
            await asyncio.Event().wait()

    asyncio.run(serve())
