"""What the small server of the simulator promises, spoken to in plain bytes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from gavelkit.simulator.server import HttpAnswer, HttpRequest, bound_port, serve, serving
from gavelkit.simulator.wire import BODY_CAP, HEAD_CAP

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, Any]]
POST = b"POST /v1 HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc"


def echo(request: HttpRequest) -> HttpAnswer:
    return HttpAnswer(body=f"{request.method} {request.path} ".encode() + request.body)


def talk(talker: Talk, handler: Callable[[HttpRequest], HttpAnswer] = echo) -> Any:
    async def main() -> Any:
        async with serving(handler) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                return await asyncio.wait_for(talker(reader, writer), 10)
            finally:
                writer.close()

    return asyncio.run(main())


def replies(*sent: bytes, handler: Callable[[HttpRequest], HttpAnswer] = echo) -> bytes:
    """Everything the server says to these writes, each a packet of its own, until it or we hang up."""

    async def talker(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        for packet in sent:
            writer.write(packet)
            await asyncio.sleep(0.002)
        writer.write(b"GET /last HTTP/1.1\r\nconnection: close\r\n\r\n")
        return await reader.read()

    got: bytes = talk(talker, handler)
    return got


def bodies(got: bytes) -> list[bytes]:
    found = []
    while got:
        head, _, rest = got.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        found.append(rest[:length])
        got = rest[length:]
    return found


def status(got: bytes) -> int:
    return int(got.split(b" ")[1])


def test_a_request_is_answered_and_the_connection_kept_for_the_next() -> None:
    assert bodies(replies(POST, POST)) == [b"POST /v1 abc", b"POST /v1 abc", b"GET /last "]


def test_pipelined_requests_are_answered_in_their_order() -> None:
    delays = iter([0.02, 0.0, 0.01, 0.0])

    def handler(request: HttpRequest) -> HttpAnswer:
        return HttpAnswer(body=request.path.encode(), delay_seconds=next(delays))

    sent = b"".join(b"GET /%d HTTP/1.1\r\n\r\n" % number for number in range(3))
    assert bodies(replies(sent, handler=handler)) == [b"/0", b"/1", b"/2", b"/last"]


def test_a_request_in_single_bytes_is_put_together() -> None:
    got = replies(*(POST[at : at + 1] for at in range(len(POST))))
    assert bodies(got)[0] == b"POST /v1 abc"


def test_a_chunked_body_with_extensions_and_trailers_is_read() -> None:
    head = b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n"
    sent = head + b"3\r\nabc\r\n2;name=value\r\nde\r\n0\r\nx-sum: 1\r\n\r\n"
    assert bodies(replies(sent))[0] == b"POST / abcde"
    assert bodies(replies(sent[:50], sent[50:56], sent[56:-1], sent[-1:]))[0] == b"POST / abcde"


def test_expect_100_continue_is_answered_before_the_body_comes() -> None:
    async def talker(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(b"POST / HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"ok")
        return await reader.readuntil(b"ok")

    assert talk(talker).endswith(b"POST / ok")


def test_headers_are_read_in_lower_case_and_joined_where_they_repeat() -> None:
    seen: list[HttpRequest] = []

    def handler(request: HttpRequest) -> HttpAnswer:
        seen.append(request)
        return HttpAnswer()

    replies(b"GET / HTTP/1.1\r\nX-One:  a b \r\nx-ONE: c\r\n\r\n", handler=handler)
    assert dict(seen[0].headers) == {"x-one": "a b, c"}
    assert len(seen[0].headers) == 1
    assert "a b, c" in repr(seen[0].headers)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\na: b\r\n folded\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc", 400),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n" + b"1" * (HEAD_CAP + 1), 400),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % (BODY_CAP + 1), 413),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nfffffffff\r\n", 413),
        (b"GET / HTTP/1.1\r\na: " + b"b" * HEAD_CAP + b"\r\n\r\n", 431),
        (b"b" * (HEAD_CAP + 1), 431),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n" + b"b" * (HEAD_CAP + 1), 431),
    ],
)
def test_what_cannot_be_taken_is_refused_and_the_connection_closed(sent: bytes, expected: int) -> None:
    got = replies(sent)
    assert status(got) == expected
    assert got.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in got


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", True),
        (b"GET / HTTP/1.1\r\nConnection: Close\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", True),
    ],
)
def test_a_connection_is_kept_only_where_both_sides_can(sent: bytes, kept: bool) -> None:  # noqa: FBT001 - pytest's way to give parameters
    got = replies(sent)
    assert got.count(b"HTTP/1.1 200") == 1 + kept
    if b"1.0" in sent and kept:
        assert b"connection: keep-alive" in got


def test_an_answer_can_close_the_connection_and_carry_headers_and_any_status() -> None:
    answer = HttpAnswer(429, b"{}", (("retry-after", "3"),), "text/plain", close=True)
    got = replies(POST, handler=lambda _: answer)
    head = b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n"
    assert got == head + b"retry-after: 3\r\nconnection: close\r\n\r\n{}"


def test_no_body_goes_with_head_or_204() -> None:
    got = replies(
        b"HEAD / HTTP/1.1\r\n\r\n",
        handler=lambda request: HttpAnswer(204 if request.method == "GET" else 200, b"body"),
    )
    assert b"body" not in got
    assert got.count(b"content-length: 4") == 1


def test_a_handler_that_fails_is_a_500_and_the_server_goes_on() -> None:
    told: list[dict[str, Any]] = []

    def handler(request: HttpRequest) -> HttpAnswer:
        if request.path == "/bad":
            raise ValueError(request.path)
        return HttpAnswer(body=b"fine")

    async def one(port: int, path: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET " + path + b" HTTP/1.1\r\nconnection: close\r\n\r\n")
        got = await reader.read()
        writer.close()
        return got

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        async with serving(handler) as port:
            assert status(await one(port, b"/bad")) == 500
            assert (await one(port, b"/good")).endswith(b"fine")

    asyncio.run(main())
    assert isinstance(told[0]["exception"], ValueError)


def test_delays_of_many_connections_run_at_the_same_time() -> None:
    async def one(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST)
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    async def main() -> float:
        async with serving(lambda _: HttpAnswer(delay_seconds=0.05)) as port:
            start = time.monotonic()
            await asyncio.gather(*(one(port) for _ in range(40)))
            return time.monotonic() - start

    assert 0.05 <= asyncio.run(main()) < 1.0


def test_a_client_that_leaves_during_a_delay_disturbs_nobody() -> None:
    async def talker(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(POST)
        await asyncio.sleep(0.01)
        writer.transport.abort()
        await asyncio.sleep(0.05)

    talk(talker, lambda _: HttpAnswer(delay_seconds=0.03))


def test_a_client_that_does_not_read_is_not_answered_without_end() -> None:
    answered: list[str] = []
    large = bytes(1024 * 1024)

    def handler(request: HttpRequest) -> HttpAnswer:
        answered.append(request.path)
        return HttpAnswer(body=large)

    async def talker(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
        writer.write(b"GET / HTTP/1.1\r\n\r\n" * 49 + b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n")
        await asyncio.sleep(0.05)
        assert len(answered) < 50
        total = 0
        while got := await reader.read(1 << 20):
            total += len(got)
        return total

    assert talk(talker, handler) > 50 * len(large)


def test_the_system_can_choose_the_port() -> None:
    async def main() -> int:
        server = await serve(echo)
        port = bound_port(server)
        server.close()
        await server.wait_closed()
        return port

    assert asyncio.run(main()) > 0
