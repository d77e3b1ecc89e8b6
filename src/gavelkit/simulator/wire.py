"""The bytes of HTTP/1.1, read and written for the simulator; it knows no sockets and no handler."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Literal

BODY_CAP: Final = 64 * 1024 * 1024
HEAD_CAP: Final = 64 * 1024
_TOKEN: Final = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_HEAD: Final = re.compile(
    rb"(" + _TOKEN + rb") ([!-~]+) HTTP/1\.([01])\r\n(?:" + _TOKEN + rb":[^\r\n\0]*\r\n)*\r\n",
)
_LENGTH: Final = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*(?=\r\n)")
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?")
_REASONS: Final = {status.value: status.phrase for status in HTTPStatus}
_BODILESS: Final = frozenset({204, 304})

Fault = Literal[
    "brotli",
    "close",
    "drip",
    "endless",
    "garbage",
    "gzip_bomb",
    "huge_header",
    "refuse",
    "reset",
    "reset_midway",
    "short",
    "silence",
    "stale",
    "truncated_chunk",
]
"""How an answer can go wrong on its way; `faults.py` tells what each does."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request as received; header names are lower case. `connection` is the number of the one it came on."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int = 0


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What to send back, how long to hold it, and whether the connection ends with it.

    With a `fault` it goes wrong on its way; `fault_seconds` are the pause between two bytes that drip, or how long a
    server that refuses is away.
    """

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"
    delay_seconds: float = 0.0
    close: bool = False
    fault: Fault | None = None
    fault_seconds: float = 0.3


class Refusal(Exception):
    """The request cannot be taken; the status says why."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class LazyHeaders(Mapping[str, str]):
    """Header lines that are split only when somebody asks: most handlers never do."""

    __slots__ = ("_parsed", "_raw")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._parsed: dict[str, str] | None = None

    def _fields(self) -> dict[str, str]:
        if self._parsed is None:
            self._parsed = {}
            for line in self._raw.decode("latin-1").split("\r\n")[1:-2]:
                name, _, value = line.partition(":")
                name, value = name.lower(), value.strip(" \t")
                seen = self._parsed.get(name)
                self._parsed[name] = value if seen is None else f"{seen}, {value}"
        return self._parsed

    def __getitem__(self, name: str) -> str:
        return self._fields()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields())

    def __len__(self) -> int:
        return len(self._fields())

    def __repr__(self) -> str:
        return repr(self._fields())


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of a request says about itself and its body."""

    method: str
    path: str
    headers: LazyHeaders
    length: int | None  # None: the body is chunked
    expects: bool
    minor: bytes
    persists: bool


def parse_head(raw: bytes) -> Head:
    """Read a whole head, the empty line included."""
    match = _HEAD.fullmatch(raw)
    if match is None:
        raise Refusal(HTTPStatus.BAD_REQUEST)
    method, path, minor = match.groups()
    lowered = raw.lower()
    headers = LazyHeaders(raw)
    persists = minor == b"1"
    if b"\r\nconnection:" in lowered:
        options = {option.strip() for option in headers["connection"].lower().split(",")}
        persists = "close" not in options and (persists or "keep-alive" in options)
    return Head(
        method=method.decode("ascii"),
        path=path.decode("ascii"),
        headers=headers,
        length=_body_length(lowered, headers),
        expects=b"\r\nexpect: 100-continue\r\n" in lowered,
        minor=minor,
        persists=persists,
    )


def _body_length(lowered: bytes, headers: Mapping[str, str]) -> int | None:
    lengths = _LENGTH.findall(lowered)
    named = lowered.count(b"\r\ncontent-length:")
    chunked = b"\r\ntransfer-encoding:" in lowered
    if named != len(lengths) or named + chunked > 1:
        raise Refusal(HTTPStatus.BAD_REQUEST)
    if chunked and headers["transfer-encoding"].lower() != "chunked":
        raise Refusal(HTTPStatus.NOT_IMPLEMENTED)
    length = int(lengths[0]) if lengths else 0
    if length > BODY_CAP:
        raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return None if chunked else length


def take_sized(buffer: bytearray, length: int) -> bytes | None:
    """Take a body of known length off the front, or None: not all there yet."""
    if len(buffer) < length:
        return None
    body = bytes(buffer[:length])
    del buffer[:length]
    return body


def take_chunk(buffer: bytearray, room: int) -> bytes | None:
    """Take one whole chunk (b"" is the last one, trailers included), or None: not there yet."""
    line_end = buffer.find(b"\r\n")
    if line_end < 0 and len(buffer) <= HEAD_CAP:
        return None
    match = _CHUNK_SIZE.fullmatch(bytes(buffer[: max(line_end, 0)]))
    if match is None:
        raise Refusal(HTTPStatus.BAD_REQUEST)
    size, start = int(match[1], 16), line_end + 2
    if size == 0:
        return _take_trailers(buffer, line_end)
    if size > room:
        raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if len(buffer) < start + size + 2:
        return None
    if buffer[start + size : start + size + 2] != b"\r\n":
        raise Refusal(HTTPStatus.BAD_REQUEST)
    chunk = bytes(buffer[start : start + size])
    del buffer[: start + size + 2]
    return chunk


def _take_trailers(buffer: bytearray, line_end: int) -> bytes | None:
    end = buffer.find(b"\r\n\r\n", line_end)
    if end < 0:
        if len(buffer) > HEAD_CAP:
            raise Refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        return None
    del buffer[: end + 4]
    return b""


def render(answer: HttpAnswer, head: Head | None, *, closes: bool) -> bytes:
    """Return the answer as it goes on the wire; `head` is the request it answers."""
    status = answer.status
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}"]
    if status not in _BODILESS:
        lines.append(f"content-type: {answer.content_type}\r\ncontent-length: {len(answer.body)}")
    lines.extend(f"{name}: {value}" for name, value in answer.headers)
    if closes:
        lines.append("connection: close")
    elif head is not None and head.minor == b"0":
        lines.append("connection: keep-alive")
    lines.append("\r\n")
    silent = status in _BODILESS or (head is not None and head.method == "HEAD")
    return "\r\n".join(lines).encode("latin-1") + (b"" if silent else answer.body)
