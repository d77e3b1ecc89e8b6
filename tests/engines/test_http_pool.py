"""What the HTTP client promises about connections, places in the queue, proxies and its end."""

from __future__ import annotations

import asyncio

import pytest

from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.engines import curl_loop
from gavelkit.engines.http import HttpClient, HttpReply
from gavelkit.simulator.server import HttpAnswer, HttpRequest, serving

from .peers import (
    HEADERS,
    OK,
    a_client,
    answering,
    failing,
    kind_of,
    listening,
    post,
    read_request,
    run,
    unused_port,
)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_server_that_closes_after_each_reply_unannounced_causes_no_failure(
    concurrency: int,
) -> None:
    async def main() -> None:
        async with (
            listening(answering(OK)) as port,
            a_client(connections=concurrency) as client,
        ):

            async def worker() -> None:
                for _ in range(1000 // concurrency):
                    assert (await post(client, f"http://127.0.0.1:{port}/")).body == b"ok"

            await asyncio.gather(*(worker() for _ in range(concurrency)))

    run(main())


def test_a_request_outlives_more_dead_connections_than_libcurl_tries() -> None:
    opened: list[int] = []

    async def main() -> None:
        together = asyncio.Barrier(8)

        async def fragile(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            opened.append(1)
            fails_later = len(opened) <= 8
            await read_request(reader)
            if fails_later:
                await together.wait()
            writer.write(OK)
            await read_request(reader)

        async with listening(fragile) as port, a_client(connections=8) as client:
            url = f"http://127.0.0.1:{port}/"
            await asyncio.gather(*(post(client, url) for _ in range(8)))
            assert len(opened) == 8
            assert (await post(client, url)).body == b"ok"
            assert len(opened) == 9

    run(main())


def test_connections_are_kept_and_used_again() -> None:
    opened: list[int] = []

    async def keeping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(1)
        while True:
            await read_request(reader)
            writer.write(OK)

    async def main() -> None:
        async with listening(keeping) as port, a_client(connections=4) as client:
            url = f"http://127.0.0.1:{port}/"
            for _ in range(5):
                await asyncio.gather(*(post(client, url) for _ in range(20)))

    run(main())
    assert len(opened) <= 4


def test_more_requests_than_connections_wait_in_the_order_they_came() -> None:
    order: list[bytes] = []

    def handler(request: HttpRequest) -> HttpAnswer:
        order.append(request.body)
        return HttpAnswer(delay_seconds=0.002)

    async def main() -> None:
        async with serving(handler) as port, a_client(connections=1) as client:
            url = f"http://127.0.0.1:{port}/"
            await asyncio.gather(
                *(client.request("POST", url, headers=HEADERS, body=b"%d" % number, timeout=5) for number in range(20))
            )

    run(main())
    assert order == [b"%d" % number for number in range(20)]


def test_cancelling_aborts_the_transfer_and_frees_its_place() -> None:
    async def main() -> None:
        gone = asyncio.Event()
        arrived = asyncio.Event()

        async def hanging(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if b"/hang" not in await read_request(reader):
                writer.write(OK)
                return
            arrived.set()
            assert await reader.read() == b""
            gone.set()

        async with listening(hanging) as port, a_client(connections=1) as client:
            url = f"http://127.0.0.1:{port}"
            running = asyncio.create_task(post(client, f"{url}/hang"))
            waiting = [asyncio.create_task(post(client, f"{url}/next")) for _ in range(3)]
            await arrived.wait()
            waiting[0].cancel()
            running.cancel()
            assert isinstance((await asyncio.gather(running, return_exceptions=True))[0], BaseException)
            await asyncio.wait_for(gone.wait(), 1)
            assert [(await task).body for task in waiting[1:]] == [b"ok", b"ok"]
            assert waiting[0].cancelled()

    run(main())


def test_a_place_handed_to_a_task_that_is_cancelled_at_once_goes_to_the_next() -> None:
    async def main() -> None:
        async with serving(lambda _: HttpAnswer(body=b"ok")) as port, a_client(1) as client:
            url = f"http://127.0.0.1:{port}/"
            tasks = [asyncio.create_task(post(client, url)) for _ in range(50)]
            tasks[0].add_done_callback(lambda _: tasks[1].cancel())
            tasks[2].add_done_callback(lambda _: tasks[3].cancel())
            done = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(each, HttpReply) for each in done) == 48

    run(main())


def test_loopback_never_goes_through_the_proxy_and_other_hosts_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        writer.write(OK)

    async def main() -> None:
        async with listening(proxy) as through, listening(answering(OK)) as port:
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{through}")
            monkeypatch.setenv("no_proxy", "skipped.invalid")
            async with a_client() as client:
                for host in ("127.0.0.1", "localhost", "127.0.0.1"):
                    assert (await post(client, f"http://{host}:{port}/")).body == b"ok"
                assert seen == []
                assert (await post(client, "http://judge.invalid/v1")).body == b"ok"
                assert seen[0].startswith(b"POST http://judge.invalid/v1 HTTP/1.1")
                error = await failing(client, "http://skipped.invalid/v1")
                assert kind_of(error) is FailureKind.DNS

    run(main())


def test_a_proxy_that_refuses_fails_as_connect_and_its_password_is_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"

    async def main() -> None:
        async with listening(answering(refusal)) as port:
            for address in (f"http://me:hush@127.0.0.1:{port}", "weird://me:hush@127.0.0.1:1"):
                monkeypatch.setenv("https_proxy", address)
                async with a_client() as client:
                    error = await failing(client, "https://judge.invalid/v1")
                    assert "hush" not in str(error)
                    if not address.startswith("weird"):
                        assert kind_of(error) is FailureKind.CONNECT
                        assert "407" in str(error)

    run(main())


def test_a_header_with_a_line_break_is_refused() -> None:
    async def main() -> None:
        async with a_client() as client:
            with pytest.raises(ValueError, match="line break") as caught:
                await client.request("GET", "http://127.0.0.1:1/", headers=("a: sk\r\nb: c",), timeout=1)
            assert "sk" not in str(caught.value)

    run(main())


def test_a_closed_client_wakes_who_waits_and_takes_no_more() -> None:
    async def main() -> None:
        async with listening(answering(b"", then="hold")) as port, a_client(1) as client:
            url = f"http://127.0.0.1:{port}/"
            tasks = [asyncio.create_task(post(client, url)) for _ in range(3)]
            await asyncio.sleep(0.02)
            await client.aclose()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            assert [type(each) for each in done] == [RuntimeError] * 3
            with pytest.raises(RuntimeError, match="closed"):
                await post(client, url)

    run(main())


def test_a_client_of_another_event_loop_is_refused() -> None:
    client = HttpClient(connections=1)
    with pytest.raises(CallError):
        run(post(client, f"http://127.0.0.1:{unused_port()}/"))
    with pytest.raises(RuntimeError, match="another event loop"):
        run(post(client, f"http://127.0.0.1:{unused_port()}/"))


def test_the_poller_for_systems_without_epoll_does_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(curl_loop, "make_poller", curl_loop.SelectorPoller)

    async def main() -> None:
        async with serving(lambda _: HttpAnswer(body=b"ok")) as port, a_client(8) as client:
            url = f"http://127.0.0.1:{port}/"
            replies = await asyncio.gather(*(post(client, url) for _ in range(200)))
            assert {each.body for each in replies} == {b"ok"}
            error = await failing(client, f"http://127.0.0.1:{unused_port()}/")
            assert kind_of(error) is FailureKind.CONNECT

    run(main())
