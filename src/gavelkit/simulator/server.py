"""A small, fast HTTP/1.1 server for loopback; it does not know what the replies mean.

The handler is an ordinary function from request to answer. Requests of one connection are
answered strictly one after the other: a pipelined request is not looked at before the reply to
the one in front of it has been written.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final, cast

from gavelkit.simulator.wire import (
    BODY_CAP,
    HEAD_CAP,
    Head,
    HttpAnswer,
    HttpRequest,
    Refusal,
    parse_head,
    render,
    take_chunk,
    take_sized,
)

__all__ = ["Handler", "HttpAnswer", "HttpRequest", "bound_port", "serve", "serving"]

_BACKLOG: Final = 2048
_LINGER_SECONDS: Final = 1.0

Handler = Callable[[HttpRequest], HttpAnswer]


async def serve(
    handler: Handler,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
) -> asyncio.Server:
    """Listen and answer with `handler`; port 0 lets the system choose (see `bound_port`)."""
    return await _listen(handler, set(), host=host, port=port)


@asynccontextmanager
async def serving(
    handler: Handler,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
) -> AsyncIterator[int]:
    """Serve inside the block, giving the port; on leaving, every connection is dropped."""
    connections: set[_Connection] = set()
    server = await _listen(handler, connections, host=host, port=port)
    try:
        yield bound_port(server)
    finally:
        server.close()
        for connection in tuple(connections):
            connection.drop()
        await server.wait_closed()


def bound_port(server: asyncio.Server) -> int:
    """Return the port the server really listens on."""
    return cast("int", server.sockets[0].getsockname()[1])


async def _listen(
    handler: Handler,
    connections: "set[_Connection]",
    *,
    host: str,
    port: int,
) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    return await loop.create_server(
        lambda: _Connection(handler, connections),
        host,
        port,
        backlog=_BACKLOG,
    )


class _Connection(asyncio.Protocol):
    """One client: bytes in, requests taken off the front one at a time, answers out."""

    __slots__ = (
        "_blocked",
        "_buffer",
        "_chunks",
        "_deaf",
        "_handler",
        "_head",
        "_loop",
        "_need",
        "_others",
        "_timer",
        "_transport",
    )
    _transport: asyncio.Transport

    def __init__(self, handler: Handler, others: "set[_Connection]") -> None:
        self._handler = handler
        self._others = others
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._head: Head | None = None
        self._chunks: list[bytes] = []
        # Fewer bytes than this cannot complete anything: a large body is not re-examined
        # for every packet of it.
        self._need = 1
        self._timer: asyncio.TimerHandle | None = None
        self._blocked = False
        self._deaf = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._others.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._others.discard(self)
        self._deaf = True
        if self._timer is not None:
            self._timer.cancel()

    def drop(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    def pause_writing(self) -> None:
        self._blocked = True

    def resume_writing(self) -> None:
        self._blocked = False
        self._advance()

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        self._buffer += data
        if len(self._buffer) >= self._need:
            self._advance()
        if self._timer is not None and len(self._buffer) > BODY_CAP:
            self._transport.pause_reading()

    def _advance(self) -> None:
        try:
            while not (self._deaf or self._blocked or self._timer) and self._buffer:
                request = self._take_request()
                if request is None:
                    return
                self._answer(request)
        except Refusal as refusal:
            self._refuse(refusal.status)

    def _take_request(self) -> HttpRequest | None:
        head = self._head or self._take_head()
        if head is None:
            return None
        body = self._take_body(head)
        if body is None:
            return None
        self._need = 1
        return HttpRequest(head.method, head.path, head.headers, body)

    def _take_head(self) -> Head | None:
        end = self._buffer.find(b"\r\n\r\n") + 4
        if end < 4 and len(self._buffer) <= HEAD_CAP:  # noqa: PLR2004 - -1 + 4: not found
            return None
        if not 4 <= end <= HEAD_CAP:  # noqa: PLR2004 - as above
            raise Refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        head = self._head = parse_head(bytes(self._buffer[:end]))
        del self._buffer[:end]
        if head.expects and not self._buffer:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return head

    def _take_body(self, head: Head) -> bytes | None:
        if head.length is not None:
            self._need = head.length
            return take_sized(self._buffer, head.length)
        room = BODY_CAP - sum(map(len, self._chunks))
        while (chunk := take_chunk(self._buffer, room)) is not None:
            if not chunk:
                body = b"".join(self._chunks)
                self._chunks.clear()
                return body
            self._chunks.append(chunk)
            room -= len(chunk)
        return None

    def _answer(self, request: HttpRequest) -> None:
        try:
            answer = self._handler(request)
        except Exception as error:  # noqa: BLE001 - one bad handler must not end the server
            self._loop.call_exception_handler({"message": "handler failed", "exception": error})
            answer = HttpAnswer(HTTPStatus.INTERNAL_SERVER_ERROR, close=True)
        if answer.delay_seconds > 0:
            self._timer = self._loop.call_later(answer.delay_seconds, self._late, answer)
        else:
            self._write(answer)

    def _late(self, answer: HttpAnswer) -> None:
        self._timer = None
        self._write(answer)
        self._transport.resume_reading()
        self._advance()

    def _write(self, answer: HttpAnswer) -> None:
        head, self._head = self._head, None
        closes = answer.close or head is None or not head.persists
        self._transport.write(render(answer, head, closes=closes))
        if closes:
            self._deaf = True
            self._transport.close()

    def _refuse(self, status: HTTPStatus) -> None:
        """Answer, then let the peer finish talking: closing on unread bytes would reset it."""
        self._deaf = True
        self._buffer.clear()
        self._transport.write(render(HttpAnswer(status), None, closes=True))
        self._transport.write_eof()
        self._timer = self._loop.call_later(_LINGER_SECONDS, self._transport.close)
