"""What the HTTP client makes of replies and of their absence, one server on loopback for each."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import tracemalloc
from pathlib import Path

import pycurl
import pytest
import trustme

from gavelkit.core.failure import FailureKind
from gavelkit.engines.curl_failure import Ending, Limits, call_error
from gavelkit.simulator.server import HttpAnswer, HttpRequest, serving

from .peers import (
    OK,
    a_client,
    answering,
    failing,
    failure,
    kind_of,
    listening,
    outcome,
    post,
    read_request,
    run,
    unused_port,
)


def test_a_reply_comes_back_with_status_body_and_headers() -> None:
    reply = outcome(answering(b"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\ncontent-length: 2\r\n\r\nno"))
    assert (reply.status, reply.body) == (429, b"no")
    assert reply.header("retry-AFTER") == "7"
    assert reply.header("x-absent") is None


def test_the_server_gets_method_path_headers_and_body_and_no_expect() -> None:
    seen: list[HttpRequest] = []

    def handler(request: HttpRequest) -> HttpAnswer:
        seen.append(request)
        return HttpAnswer()

    async def main() -> None:
        large = bytes(3 * 1024 * 1024)
        async with serving(handler) as port, a_client(connections=1) as client:
            url = f"http://127.0.0.1:{port}/a?b=c"
            for method, body in (("POST", large), ("GET", None), ("PUT", b"x"), ("HEAD", None)):
                await client.request(method, url, headers=("x-a: b",), body=body, timeout=5)
            await client.request("POST", url, headers=(), body=b"", timeout=5)

    run(main())
    assert [(each.method, len(each.body)) for each in seen] == [
        ("POST", 3 * 1024 * 1024),
        ("GET", 0),
        ("PUT", 1),
        ("HEAD", 0),
        ("POST", 0),
    ]
    assert {each.path for each in seen} == {"/a?b=c"}
    assert [each.headers.get("x-a") for each in seen] == ["b", "b", "b", "b", None]
    assert not any("expect" in each.headers or "cookie" in each.headers for each in seen)
    assert seen[0].headers["accept-encoding"] == "gzip"


def test_only_the_last_head_counts_and_interim_replies_are_passed_over() -> None:
    reply = outcome(answering(b"HTTP/1.1 103 Hints\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\nx: b\r\n\r\n"))
    assert (reply.status, reply.header("link"), reply.header("x")) == (200, None, "b")


def test_a_redirect_is_an_ordinary_reply() -> None:
    head = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
    reply = outcome(answering(head))
    assert (reply.status, reply.header("location")) == (302, "http://127.0.0.1:1/")


def test_a_gzip_reply_is_decoded() -> None:
    packed = gzip.compress(b"hello" * 1000)
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {len(packed)}\r\n\r\n"
    assert outcome(answering(head.encode() + packed)).body == b"hello" * 1000


def test_what_is_called_gzip_and_is_not_fails_as_decode() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 9\r\n\r\nnot gzip!"
    assert kind_of(failure(answering(head))) is FailureKind.DECODE


def test_a_gzip_bomb_is_stopped_at_the_cap_and_never_held_in_memory() -> None:
    packed = gzip.compress(bytes(64 * 1024 * 1024))
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {len(packed)}\r\n\r\n"
    peer = answering(head.encode() + packed)
    tracemalloc.start()
    try:
        error = failure(peer, body_cap=1024 * 1024)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert kind_of(error) is FailureKind.TOO_LARGE
    assert peak < 4 * 1024 * 1024


def test_a_body_over_the_cap_fails_and_its_connection_is_closed_early() -> None:
    sent: list[int] = []

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(10_000):
            writer.write(bytes(10_000))
            sent.append(10_000)
            await writer.drain()

    error = failure(endless, body_cap=50_000)
    assert kind_of(error) is FailureKind.TOO_LARGE
    assert sum(sent) < 50_000_000


def test_a_body_of_exactly_the_cap_is_taken() -> None:
    assert outcome(answering(OK), body_cap=2).body == b"ok"


def test_a_refused_connection_fails_as_connect() -> None:
    async def main() -> None:
        async with a_client() as client:
            error = await failing(client, f"http://me:pw@127.0.0.1:{unused_port()}/v1?key=hush")
            assert kind_of(error) is FailureKind.CONNECT
            assert "refused" in str(error)
            assert not any(secret in str(error) for secret in ("me", "pw", "hush"))

    run(main())


def test_a_connection_that_is_never_answered_fails_as_connect_within_its_own_limit() -> None:
    async def main() -> None:
        with socket.socket() as full, socket.socket() as first, socket.socket() as second:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            for filler in (first, second):
                filler.setblocking(False)  # noqa: FBT003 - socket's signature
                filler.connect_ex(full.getsockname())
            async with a_client(connect_timeout=0.1) as client:
                error = await failing(client, f"http://127.0.0.1:{full.getsockname()[1]}/")
        assert kind_of(error) is FailureKind.CONNECT
        assert "0.1 s" in str(error)

    run(main())


def test_a_name_that_does_not_resolve_fails_as_dns() -> None:
    async def main() -> None:
        async with a_client() as client:
            error = await failing(client, "http://nowhere.invalid/v1")
        assert kind_of(error) is FailureKind.DNS
        assert str(error).startswith("nowhere.invalid: ")

    run(main())


def test_a_server_that_says_nothing_fails_as_timeout() -> None:
    error = failure(answering(b"", then="hold"), limit=0.1)
    assert kind_of(error) is FailureKind.TIMEOUT
    assert "0.1 s" in str(error)


def test_a_body_that_drips_beyond_the_deadline_fails_as_timeout() -> None:
    async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.02)

    assert kind_of(failure(dripping, limit=0.15)) is FailureKind.TIMEOUT


def test_an_idle_connection_fails_as_timeout_and_says_idle_for_how_long() -> None:
    ending = Ending(pycurl.E_OPERATION_TIMEDOUT, "Operation too slow. Less", "http://h/", 60, False)  # noqa: FBT003 - not overflowed
    error = call_error(pycurl.Curl(), ending, limits=Limits(10, 30, 100))
    assert kind_of(error) is FailureKind.TIMEOUT
    assert str(error) == "h: nothing came for 30 s"


@pytest.mark.parametrize(
    ("data", "then"),
    [
        (b"", "close"),
        (b"", "reset"),
        (b"HTTP/1.1 200 OK\r\ncontent-le", "reset"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok", "reset"),
    ],
)
def test_a_connection_lost_before_the_end_fails_as_reset(data: bytes, then: str) -> None:
    assert kind_of(failure(answering(data, then=then))) is FailureKind.RESET


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\nok",
        b"HTTP/9.9 200 OK\r\n\r\nok",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
    ],
)
def test_what_is_not_a_whole_http_reply_fails_as_protocol(data: bytes) -> None:
    error = failure(answering(data))
    assert kind_of(error) is FailureKind.PROTOCOL


def test_https_to_a_plain_port_fails_as_tls_and_asks_whether_it_is_http() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    error = failure(plain, scheme="https")
    assert kind_of(error) is FailureKind.TLS
    assert "is this http?" in str(error)


def test_a_certificate_is_trusted_only_through_the_ca_file(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)

    async def main() -> None:
        async with listening(answering(OK), ssl=context) as port:
            url = f"https://127.0.0.1:{port}/v1"
            async with a_client(ca_file=str(tmp_path / "ca.pem")) as client:
                assert (await post(client, url)).body == b"ok"
            async with a_client() as client:
                error = await failing(client, url)
                assert kind_of(error) is FailureKind.TLS
                assert "certificate" in str(error)
            async with a_client(ca_file=str(tmp_path / "none.pem")) as client:
                error = await failing(client, url)
                assert kind_of(error) is FailureKind.TLS
                assert error.failure.fatal

    run(main())


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://[", "nonsense"])
def test_nothing_but_http_and_https_is_spoken(url: str) -> None:
    async def main() -> None:
        async with a_client() as client:
            error = await failing(client, url, limit=0.3)
            assert kind_of(error) in {FailureKind.PROTOCOL, FailureKind.DNS}

    run(main())
