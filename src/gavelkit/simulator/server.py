"""A small, fast HTTP/1.1 server for loopback; it does not know what the replies mean.

The handler is an ordinary function from request to answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from ssl import SSLContext
from typing import Final, cast

from gavelkit.simulator.connection import Connection, Handler
from gavelkit.simulator.wire import HttpAnswer, HttpRequest

__all__ = ["Handler", "HttpAnswer", "HttpRequest", "bound_port", "serve", "serving"]

_BACKLOG: Final = 2048
_ON_THEIR_WAY: Final = 2
"""So many turns of asyncio's loop lie between a connection's being accepted and its transport's being there."""


async def serve(
    handler: Handler,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
) -> asyncio.Server:
    """Listen and answer with `handler`; port 0 lets the system choose (see `bound_port`)."""
    return await _House(handler, host, port, None).open()


@asynccontextmanager
async def serving(
    handler: Handler,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    tls: SSLContext | None = None,
) -> AsyncIterator[int]:
    """Serve inside the block, giving the port; on leaving, every connection is dropped. With `tls` it speaks https."""
    house = _House(handler, host, port, tls)
    yielded = bound_port(await house.open())
    try:
        yield yielded
    finally:
        await house.close()


def bound_port(server: asyncio.Server) -> int:
    """Return the port the server really listens on."""
    return cast("int", server.sockets[0].getsockname()[1])


class _House:
    """The listening socket and the connections that came in by it."""

    def __init__(self, handler: Handler, host: str, port: int, tls: SSLContext | None) -> None:
        self._handler = handler
        self._host = host
        self._port = port
        self._tls = tls
        self._inside: set[Connection] = set()
        self._came = 0
        self._receives = False
        self._server: asyncio.Server | None = None
        self._opening: asyncio.Task[asyncio.Server] | None = None
        self._away: asyncio.TimerHandle | None = None

    async def open(self) -> asyncio.Server:
        """Listen, on the same port as before where there was one."""
        self._receives = True
        self._server = await asyncio.get_running_loop().create_server(
            lambda: Connection(self._handler, self),
            self._host,
            self._port,
            backlog=_BACKLOG,
            ssl=self._tls,
        )
        self._port = bound_port(self._server)
        return self._server

    async def close(self) -> None:
        """Listen no longer and drop every connection."""
        if self._away is not None:
            self._away.cancel()
        if self._opening is not None:
            await self._opening
        self._shut_door()
        for _ in range(_ON_THEIR_WAY):
            await asyncio.sleep(0)
        self._drop()
        if self._server is not None:
            await self._server.wait_closed()

    def enter(self, connection: Connection) -> int:
        self._inside.add(connection)
        self._came += 1
        if not self._receives:  # it was on its way when the others were cut off
            connection.drop()
        return self._came

    def leave(self, connection: Connection) -> None:
        self._inside.discard(connection)

    def shut(self, seconds: float) -> None:
        """Be away for so long: nobody listens, and who was connected is cut off."""
        self._shut_door()
        loop = asyncio.get_running_loop()
        self._away = loop.call_later(seconds, self._return)
        leave: Callable[[], object] = self._drop
        for _ in range(_ON_THEIR_WAY):
            leave = partial(loop.call_soon, leave)
        leave()

    def _return(self) -> None:
        self._opening = asyncio.get_running_loop().create_task(self.open())

    def _shut_door(self) -> None:
        """Accept nobody more. Whoever was accepted has some turns of the loop to come in, and is then cut off too."""
        self._receives = False
        loop = asyncio.get_running_loop()
        for door in self._server.sockets if self._server is not None else ():
            loop.remove_reader(door.fileno())

    def _drop(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in tuple(self._inside):
            connection.drop()
