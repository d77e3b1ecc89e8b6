"""How an answer goes wrong on the wire: each fault as the steps of a connection; it knows no sockets and no script."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from itertools import repeat
from typing import Final

from gavelkit.simulator.wire import Fault, Head, HttpAnswer, render

_MISSING: Final = 20
_HEADER_BYTES: Final = 1024 * 1024
_PIECE: Final = b" " * 65536
_BOMB_PIECES: Final = 300 * 16
"""Decoded 300 MB, on the wire less than half of one."""
_OPEN_ENDED: Final = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"


class End(Enum):
    """What becomes of the connection: kept, closed in good order, reset, held for ever, or the whole server goes."""

    KEEP = "keep"
    CLOSE = "close"
    RESET = "reset"
    HOLD = "hold"
    LEAVE = "leave"


Step = bytes | float | End
"""Bytes to send, seconds to wait, or the end."""


def steps(answer: HttpAnswer, head: Head | None) -> Iterator[Step]:
    """What a connection does in place of sending the answer; `head` is the request it answers."""
    if answer.fault is None:
        return iter((render(answer, head, closes=False), End.KEEP))
    return _STEPS[answer.fault](answer, head)


def _close(_answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield End.CLOSE


def _reset(_answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield End.RESET


def _reset_midway(answer: HttpAnswer, head: Head | None) -> Iterator[Step]:
    data = render(answer, head, closes=False)
    yield data[: len(data) - max(1, len(answer.body) // 10)]
    yield End.RESET


def _short(answer: HttpAnswer, head: Head | None) -> Iterator[Step]:
    data = render(answer, head, closes=False)
    yield data[: len(data) - max(1, min(_MISSING, len(answer.body) - 1))]
    yield End.CLOSE


def _truncated_chunk(answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield _OPEN_ENDED + b"transfer-encoding: chunked\r\n\r\n40\r\n" + answer.body[:30].ljust(30)
    yield End.CLOSE


def _silence(_answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield End.HOLD


def _drip(answer: HttpAnswer, head: Head | None) -> Iterator[Step]:
    data = render(answer, head, closes=False)
    start = len(data) - len(answer.body)
    yield data[:start]
    for place in range(start, len(data)):
        yield answer.fault_seconds
        yield data[place : place + 1]
    yield End.KEEP


def _stale(answer: HttpAnswer, head: Head | None) -> Iterator[Step]:
    yield render(answer, head, closes=False)
    yield End.CLOSE


def _garbage(_answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield bytes(range(32)) * 4
    yield End.CLOSE


def _huge_header(answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield _OPEN_ENDED + b"x-filler: " + b"a" * _HEADER_BYTES + b"\r\n\r\n" + answer.body
    yield End.CLOSE


def _gzip_bomb(_answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = packer.compress(_PIECE) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(_PIECE) + packer.flush(zlib.Z_FULL_FLUSH)  # after a full flush equal pieces pack alike
    yield _OPEN_ENDED + b"content-encoding: gzip\r\n\r\n" + first
    yield from repeat(again, _BOMB_PIECES)
    yield End.CLOSE


def _endless(_answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield _OPEN_ENDED + b"\r\n"
    yield from repeat(_PIECE)


def _brotli(_answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield _OPEN_ENDED + b"content-encoding: br\r\ncontent-length: 12\r\n\r\nnot brotli\xff\xff"
    yield End.CLOSE


def _refuse(_answer: HttpAnswer, _head: Head | None) -> Iterator[Step]:
    yield End.LEAVE


_STEPS: Final[Mapping[Fault, Callable[[HttpAnswer, Head | None], Iterator[Step]]]] = {
    "brotli": _brotli,
    "close": _close,
    "drip": _drip,
    "endless": _endless,
    "garbage": _garbage,
    "gzip_bomb": _gzip_bomb,
    "huge_header": _huge_header,
    "refuse": _refuse,
    "reset": _reset,
    "reset_midway": _reset_midway,
    "short": _short,
    "silence": _silence,
    "stale": _stale,
    "truncated_chunk": _truncated_chunk,
}
