"""Servers that misbehave one way each, and what a client makes of them; no test is here."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.engines.http import HttpClient, HttpReply

Peer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEADERS = ("content-type: application/json", "authorization: Bearer sk-secret")
BODY = b'{"model": "m"}'
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def run(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(main, 20))


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return head + await reader.readexactly(int(length or 0))


@asynccontextmanager
async def listening(peer: Peer, **options: Any) -> AsyncIterator[int]:
    tasks: set[asyncio.Task[None]] = set()

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await peer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def on_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(guarded(reader, writer)))

    server = await asyncio.start_server(on_client, "127.0.0.1", 0, **options)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def a_client(connections: int = 2, **options: Any) -> AsyncIterator[HttpClient]:
    client = HttpClient(connections=connections, **options)
    try:
        yield client
    finally:
        await client.aclose()


async def post(client: HttpClient, url: str, *, limit: float = 5.0) -> HttpReply:
    return await client.request("POST", url, headers=HEADERS, body=BODY, timeout=limit)


def answering(data: bytes, *, then: str = "close") -> Peer:
    """Read one request, send the bytes as they are, then close, reset, or hold the line."""

    async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(data)
        await writer.drain()
        if then == "hold":
            await reader.read()
        if then == "reset":
            reset(writer)

    return peer


def reset(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def outcome(peer: Peer, *, scheme: str = "http", limit: float = 5.0, **options: Any) -> HttpReply:
    async def main() -> HttpReply:
        async with listening(peer) as port, a_client(**options) as client:
            return await post(client, f"{scheme}://127.0.0.1:{port}/v1?key=hush", limit=limit)

    reply: HttpReply = run(main())
    return reply


def failure(peer: Peer, **options: Any) -> CallError:
    with pytest.raises(CallError) as caught:
        outcome(peer, **options)
    message = str(caught.value)
    assert message.startswith("127.0.0.1:")
    assert not any(secret in message for secret in ("hush", "secret", "/v1"))
    return caught.value


def kind_of(error: CallError) -> FailureKind | None:
    return error.failure.kind


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def failing(client: HttpClient, url: str, *, limit: float = 5.0) -> CallError:
    with pytest.raises(CallError) as caught:
        await post(client, url, limit=limit)
    return caught.value
