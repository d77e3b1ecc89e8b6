"""The HTTP/1.1 client; it does not know what a judge, a model or a key is.

Why libcurl: docs/decisions/http-client.md.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import certifi
import pycurl

from gavelkit.core.errors import CallError
from gavelkit.engines.curl_failure import Ending, Limits, call_error
from gavelkit.engines.curl_loop import CurlLoop

_LOOPBACK: Final = "localhost,127.0.0.0/8,::1"
_KEEPALIVE_SECONDS: Final = 30
_LOST: Final = frozenset({pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR, pycurl.E_GOT_NOTHING})


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole reply: the status, the decoded body and the head as it came."""

    status: int
    body: bytes
    head: bytes

    def header(self, name: str) -> str | None:
        """Return the first value of a header of the final reply, whatever its case."""
        wanted, found, open_ = name.lower().encode("latin-1"), None, False
        for line in self.head.splitlines():
            if line.startswith(b"HTTP/"):
                # An interim reply (100, a proxy's) came first: only the last head counts.
                found, open_ = None, True
            elif not line:
                open_ = False
            elif open_ and found is None:
                key, _, value = line.partition(b":")
                found = value.strip().decode("latin-1") if key.lower() == wanted else None
        return found


class _Transfer:
    """One libcurl handle, used again and again: what never changes is set once."""

    __slots__ = (
        "_body",
        "_fresh",
        "_headers",
        "_limits",
        "_lines",
        "_room",
        "_shape",
        "_timeout",
        "_url",
        "curl",
    )

    def __init__(self, limits: Limits, ca_file: str) -> None:
        self.curl = pycurl.Curl()
        self._body: list[bytes] = []
        self._lines: list[bytes] = []
        self._limits = limits
        self._room = limits.body_cap
        self._url = ""
        self._headers: tuple[str, ...] | None = None
        self._shape = ("", False)
        self._timeout = 0.0
        self._fresh = False
        for option, value in _fixed_options(limits, ca_file):
            self.curl.setopt(option, value)
        self.curl.setopt(pycurl.WRITEFUNCTION, self._on_body)
        self.curl.setopt(pycurl.HEADERFUNCTION, self._lines.append)

    def prepare(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[str],
        body: bytes | None,
        timeout: float,
    ) -> None:
        """Set what differs from the request before: each option left alone saves its cost."""
        setopt = self.curl.setopt
        if url != self._url:
            setopt(pycurl.URL, url)
            self._url = url
        if timeout != self._timeout:
            setopt(pycurl.TIMEOUT_MS, max(1, math.ceil(timeout * 1000)))
            self._timeout = timeout
        if (lines := tuple(headers)) != self._headers:
            self._set_headers(lines)
        if (shape := (method, body is None)) != self._shape:
            self._set_shape(method, sends=body is not None)
            self._shape = shape
        if body is not None:
            setopt(pycurl.POSTFIELDS, body)

    def _set_headers(self, lines: tuple[str, ...]) -> None:
        if any(sign in line for line in lines for sign in "\r\n\0"):
            msg = "a header holds a line break"
            raise ValueError(msg)
        # The empty Expect keeps libcurl from waiting for "100 Continue" before a large body.
        self.curl.setopt(pycurl.HTTPHEADER, [*lines, "Expect:"])
        self._headers = lines

    def _set_shape(self, method: str, *, sends: bool) -> None:
        if sends:
            self.curl.setopt(pycurl.POST, 1)
        else:
            self.curl.setopt(pycurl.HTTPGET, 1)
            self.curl.setopt(pycurl.NOBODY, method == "HEAD")
        self.curl.setopt(pycurl.CUSTOMREQUEST, method)

    def _on_body(self, data: bytes) -> int | None:
        self._room -= len(data)
        if self._room < 0:
            return 0
        self._body.append(data)
        return None

    def reply(self) -> HttpReply:
        """Return what the transfer brought."""
        status = self.curl.getinfo(pycurl.RESPONSE_CODE)
        return HttpReply(status, b"".join(self._body), b"".join(self._lines))

    def met_a_dead_connection(self, code: int) -> bool:
        """Tell whether the server had closed a kept connection before it saw the request.

        libcurl tries again by itself, but five times at most and not in the middle of a body.
        """
        reused = self.curl.getinfo(pycurl.NUM_CONNECTS) == 0
        return code in _LOST and reused and not self._lines

    def reconnect(self) -> None:
        """Let the next run open a connection of its own."""
        self.curl.setopt(pycurl.FRESH_CONNECT, 1)
        self._fresh = True

    def forget(self) -> None:
        """Make room for the next reply."""
        if self._fresh:
            self.curl.setopt(pycurl.FRESH_CONNECT, 0)
            self._fresh = False
        self._body.clear()
        self._lines.clear()
        self._room = self._limits.body_cap

    def error(self, code: int, text: str) -> CallError:
        """Return why the transfer failed."""
        ending = Ending(code, text, self._url, self._timeout, self._room < 0)
        return call_error(self.curl, ending, limits=self._limits)


def _fixed_options(limits: Limits, ca_file: str) -> tuple[tuple[int, int | str], ...]:
    return (
        (pycurl.NOSIGNAL, 1),
        (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.ACCEPT_ENCODING, "gzip"),
        (pycurl.NOPROXY, _no_proxy()),
        (pycurl.CAINFO, ca_file),
        (pycurl.PROXY_CAINFO, ca_file),
        (pycurl.CONNECTTIMEOUT_MS, max(1, math.ceil(limits.connect_timeout * 1000))),
        # Below one byte a second for so long: nothing comes.
        (pycurl.LOW_SPEED_LIMIT, 1),
        (pycurl.LOW_SPEED_TIME, max(1, math.ceil(limits.idle_timeout))),
        (pycurl.TCP_NODELAY, 1),
        (pycurl.TCP_KEEPALIVE, 1),
        (pycurl.TCP_KEEPIDLE, _KEEPALIVE_SECONDS),
        (pycurl.TCP_KEEPINTVL, _KEEPALIVE_SECONDS),
    )


def _no_proxy() -> str:
    """Return the environment's exceptions and loopback: setting the option hides the variable."""
    given = (os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or "").strip()
    return given if given == "*" else f"{given},{_LOOPBACK}".lstrip(",")


class HttpClient:
    """Up to `connections` requests on the wire at once; the others wait in the order they came.

    It belongs to the event loop of its first request. Timeouts run from the moment a request is
    put on the wire; `idle_timeout` has the resolution of a second.
    """

    def __init__(
        self,
        *,
        connections: int,
        connect_timeout: float = 10.0,
        idle_timeout: float = 120.0,
        body_cap: int = 8 * 1024 * 1024,
        ca_file: str | None = None,
    ) -> None:
        """Prepare the client; nothing is opened before the first request."""
        self._limits = Limits(connect_timeout, idle_timeout, body_cap)
        self._ca_file = ca_file or certifi.where()
        self._unmade = connections
        self._idle: list[_Transfer] = []
        self._queue: deque[asyncio.Future[_Transfer]] = deque()
        self._loop: CurlLoop | None = None
        self._connections = connections
        self._closed = False

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[str],
        body: bytes | None = None,
        timeout: float,  # noqa: ASYNC109 - libcurl keeps the deadline and names its cause
    ) -> HttpReply:
        """Return the reply, whatever its status, or raise CallError.

        Cancelling the waiting task aborts the transfer and closes its connection.
        """
        loop = self._loop or self._start()
        transfer = self._idle.pop() if self._idle else await self._next_transfer()
        try:
            transfer.prepare(method, url, headers=headers, body=body, timeout=timeout)
            code, text = await loop.run(transfer.curl)
            if code and transfer.met_a_dead_connection(code):
                transfer.reconnect()
                code, text = await loop.run(transfer.curl)
            if code:
                raise transfer.error(code, text)
            return transfer.reply()
        finally:
            loop.drop(transfer.curl)
            transfer.forget()
            self._hand_on(transfer)

    async def aclose(self) -> None:
        """Abort what is on the wire (its tasks get RuntimeError) and close every connection."""
        self._closed = True
        loop, self._loop = self._loop, None
        if loop is None:
            return
        for waiter in self._queue:
            if not waiter.done():
                waiter.set_exception(RuntimeError("the HTTP client was closed"))
        self._queue.clear()
        loop.close()
        for transfer in self._idle:
            transfer.curl.close()

    def _start(self) -> CurlLoop:
        if self._closed:
            msg = "the HTTP client is closed"
            raise RuntimeError(msg)
        self._loop = CurlLoop(connections=self._connections)
        return self._loop

    async def _next_transfer(self) -> _Transfer:
        if self._unmade:
            self._unmade -= 1
            return _Transfer(self._limits, self._ca_file)
        waiter: asyncio.Future[_Transfer] = asyncio.get_running_loop().create_future()
        self._queue.append(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._hand_on(waiter.result())
            raise

    def _hand_on(self, transfer: _Transfer) -> None:
        while self._queue:
            waiter = self._queue.popleft()
            if not waiter.done():
                waiter.set_result(transfer)
                return
        self._idle.append(transfer)
