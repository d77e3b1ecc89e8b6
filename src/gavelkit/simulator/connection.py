"""One connection of the simulator's server: bytes in, requests off the front one at a time, answers out.

Requests are answered strictly one after the other: a pipelined request is not looked at before the reply to
the one in front of it has been written.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Final, Protocol, cast

from gavelkit.simulator.faults import End, Step, steps
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

_LINGER_SECONDS: Final = 1.0

Handler = Callable[[HttpRequest], HttpAnswer]


class House(Protocol):
    """Where connections come in and leave again."""

    def enter(self, connection: Connection) -> int:
        """Let one in; its number, counted from 1."""

    def leave(self, connection: Connection) -> None:
        """See one off."""

    def shut(self, seconds: float) -> None:
        """Drop all that are there and refuse new ones for so long."""


class Connection(asyncio.Protocol):
    """One client: bytes in, requests taken off the front one at a time, answers out."""

    __slots__ = (
        "_blocked",
        "_buffer",
        "_chunks",
        "_deaf",
        "_handler",
        "_head",
        "_house",
        "_loop",
        "_need",
        "_number",
        "_steps",
        "_timer",
        "_transport",
    )
    _transport: asyncio.Transport

    def __init__(self, handler: Handler, house: House) -> None:
        self._handler = handler
        self._house = house
        self._number = 0
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._head: Head | None = None
        self._chunks: list[bytes] = []
        # Fewer bytes than this cannot complete anything: a large body is not re-examined
        # for every packet of it.
        self._need = 1
        self._timer: asyncio.TimerHandle | None = None
        self._steps: Iterator[Step] | None = None
        self._blocked = False
        self._deaf = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._number = self._house.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._house.leave(self)
        self._deaf = True
        self._steps = None
        if self._timer is not None:
            self._timer.cancel()

    def drop(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    def pause_writing(self) -> None:
        self._blocked = True

    def resume_writing(self) -> None:
        self._blocked = False
        if self._timer is None:
            self._play()
        self._advance()

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        self._buffer += data
        if len(self._buffer) >= self._need:
            self._advance()
        if (self._timer or self._steps) and len(self._buffer) > BODY_CAP:
            self._transport.pause_reading()

    def _advance(self) -> None:
        try:
            while not (self._deaf or self._blocked or self._timer or self._steps) and self._buffer:
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
        return HttpRequest(head.method, head.path, head.headers, body, self._number)

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
        if answer.fault is not None:
            self._steps = steps(answer, head)
            self._play(answer.fault_seconds)
            return
        closes = answer.close or head is None or not head.persists
        self._transport.write(render(answer, head, closes=closes))
        if closes:
            self._deaf = True
            self._transport.close()

    def _play(self, seconds: float = 0.0) -> None:
        """Take the next steps of a fault; between two of them others have their turn, and so has a slow reader."""
        self._timer = None
        if self._steps is None or self._blocked or self._transport.is_closing():
            return
        step = next(self._steps)
        if isinstance(step, bytes):
            self._transport.write(step)
            self._timer = self._loop.call_later(0, self._on)
        elif isinstance(step, float):
            self._timer = self._loop.call_later(step, self._on)
        elif step is not End.HOLD:
            self._steps = None
            self._end(step, seconds)

    def _on(self) -> None:
        self._play()
        if self._timer is None and self._steps is None and not self._transport.is_closing():
            self._transport.resume_reading()
            self._advance()

    def _end(self, end: End, seconds: float) -> None:
        if end is End.CLOSE:
            self._deaf = True
            self._transport.close()
        elif end is not End.KEEP:
            raw = self._transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()
            if end is End.LEAVE:
                self._house.shut(seconds)

    def _refuse(self, status: HTTPStatus) -> None:
        """Answer, then let the peer finish talking: closing on unread bytes would reset it."""
        self._deaf = True
        self._buffer.clear()
        self._transport.write(render(HttpAnswer(status), None, closes=True))
        self._transport.write_eof()
        self._timer = self._loop.call_later(_LINGER_SECONDS, self._transport.close)
