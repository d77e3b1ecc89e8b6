"""CPU time per request of asynchronous HTTP clients, 256 at once from one loop.

    python benchmarks/http_clients.py [requests] [rounds]

The server runs in a process of its own and every measurement in a fresh one. What is printed is
the client process's CPU time, not the wall clock; the ratio is taken within each round, so that a
machine that is slow for a while is slow for all, and the median of the rounds is shown.
"""

from __future__ import annotations

import asyncio
import collections
import importlib
import importlib.util
import itertools
import multiprocessing
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Protocol

import pycurl

from gavelkit.engines.http import HttpClient
from gavelkit.simulator.server import HttpAnswer, HttpRequest, serving

IN_FLIGHT = 256
WARM_UP = 1_024
AT_ONCE, LATER = "/at-once", "/later"
SLOW_SECONDS = 0.2
BODY = b'{"model": "m", "messages": "' + b"x" * 570 + b'"}'
REPLY = b'{"choices": [{"message": {"content": "' + b"x" * 360 + b'"}}]}'
HEADERS = ("content-type: application/json", "authorization: Bearer none")


class Client(Protocol):
    async def post(self, url: str) -> tuple[int, bytes]: ...

    async def aclose(self) -> None: ...


class Gavelkit:
    def __init__(self) -> None:
        self._client = HttpClient(connections=IN_FLIGHT)

    async def post(self, url: str) -> tuple[int, bytes]:
        reply = await self._client.request("POST", url, headers=HEADERS, body=BODY, timeout=60)
        return reply.status, reply.body

    async def aclose(self) -> None:
        await self._client.aclose()


def easy_handle() -> pycurl.Curl:
    curl = pycurl.Curl()
    curl.setopt(pycurl.HTTPHEADER, [*HEADERS, "Expect:"])
    curl.setopt(pycurl.ACCEPT_ENCODING, "gzip")
    curl.setopt(pycurl.NOSIGNAL, 1)
    curl.setopt(pycurl.NOPROXY, "*")
    curl.setopt(pycurl.TIMEOUT_MS, 60_000)
    curl.setopt(pycurl.LOW_SPEED_LIMIT, 1)
    curl.setopt(pycurl.LOW_SPEED_TIME, 120)
    return curl


class PycurlAsync:
    """pycurl's own driver: one reader of the loop per socket."""

    def __init__(self) -> None:
        self._multi = pycurl.AsyncCurlMulti()  # type: ignore[attr-defined, unused-ignore]
        self._multi.setopt(pycurl.M_MAXCONNECTS, IN_FLIGHT)
        self._free = [easy_handle() for _ in range(IN_FLIGHT)]

    async def run(self, curl: pycurl.Curl) -> None:
        await self._multi.perform(curl)

    async def post(self, url: str) -> tuple[int, bytes]:
        curl = self._free.pop()
        chunks: list[bytes] = []
        head: list[bytes] = []
        curl.setopt(pycurl.URL, url)
        curl.setopt(pycurl.POSTFIELDS, BODY)
        curl.setopt(pycurl.WRITEFUNCTION, chunks.append)
        curl.setopt(pycurl.HEADERFUNCTION, head.append)
        await self.run(curl)
        self._free.append(curl)
        return curl.getinfo(pycurl.RESPONSE_CODE), b"".join(chunks)

    async def aclose(self) -> None:
        await self._multi.aclose()


class PycurlThread(PycurlAsync):
    """A thread of its own for libcurl; the replies come back in batches."""

    def __init__(self) -> None:
        self._free = [easy_handle() for _ in range(IN_FLIGHT)]
        self._loop = asyncio.get_running_loop()
        self._new: collections.deque[pycurl.Curl] = collections.deque()
        self._waiting: dict[pycurl.Curl, asyncio.Future[None]] = {}
        self._stopped = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    async def run(self, curl: pycurl.Curl) -> None:
        done = self._waiting[curl] = self._loop.create_future()
        self._new.append(curl)
        await done

    def _work(self) -> None:
        multi = pycurl.CurlMulti()
        multi.setopt(pycurl.M_MAXCONNECTS, IN_FLIGHT)
        while not self._stopped:
            while self._new:
                multi.add_handle(self._new.popleft())
            multi.perform()
            _, ended, failed = multi.info_read()
            for curl in ended:
                multi.remove_handle(curl)
            if failed:
                raise RuntimeError(failed[0][2])
            if ended:
                self._loop.call_soon_threadsafe(self._back, ended)
            multi.select(0.01)

    def _back(self, ended: list[pycurl.Curl]) -> None:
        for curl in ended:
            self._waiting.pop(curl).set_result(None)

    async def aclose(self) -> None:
        self._stopped = True
        self._thread.join()


class Pyreqwest:
    def __init__(self) -> None:
        from pyreqwest.client import ClientBuilder

        self._client = ClientBuilder().http1_only().max_connections(IN_FLIGHT).build()
        self._headers = dict(line.split(": ") for line in HEADERS)

    async def post(self, url: str) -> tuple[int, bytes]:
        request = self._client.post(url).headers(self._headers).body_bytes(BODY).build()
        reply = await request.send()
        return reply.status, bytes(await reply.bytes())

    async def aclose(self) -> None:
        await self._client.close()


class Aiohttp:
    def __init__(self) -> None:
        import aiohttp

        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=IN_FLIGHT))
        self._headers = dict(line.split(": ") for line in HEADERS)

    async def post(self, url: str) -> tuple[int, bytes]:
        async with self._session.post(url, data=BODY, headers=self._headers) as reply:
            return reply.status, await reply.read()

    async def aclose(self) -> None:
        await self._session.close()


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    make: Callable[[], Client]
    needs: str
    uvloop: bool = False

    def missing(self) -> str | None:
        wanted = (self.needs, "uvloop") if self.uvloop else (self.needs,)
        absent = [name for name in wanted if importlib.util.find_spec(name) is None]
        if self.make is PycurlAsync and not hasattr(pycurl, "AsyncCurlMulti"):
            absent.append("pycurl 7.47 or later")
        return ", ".join(absent) or None


CANDIDATES = [
    Candidate(name + (" + uvloop" if uvloop else ""), make, needs, uvloop)
    for name, make, needs in (
        ("gavelkit (pycurl, one poller)", Gavelkit, "pycurl"),
        ("pycurl.AsyncCurlMulti", PycurlAsync, "pycurl"),
        ("pycurl in a thread", PycurlThread, "pycurl"),
        ("pyreqwest", Pyreqwest, "pyreqwest"),
        ("aiohttp", Aiohttp, "aiohttp"),
    )
    for uvloop in (False, True)
]


def pin(core: int) -> None:
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[core % len(allowed)]})


def serve_until_told(pipe: Connection) -> None:
    at_once = HttpAnswer(body=REPLY)
    delays = itertools.cycle(SLOW_SECONDS + at / 1000 for at in range(0, 200, 7))

    def handler(request: HttpRequest) -> HttpAnswer:
        if request.path == AT_ONCE:
            return at_once
        return HttpAnswer(body=REPLY, delay_seconds=next(delays))

    async def main() -> None:
        async with serving(handler) as port:
            pipe.send(port)
            await asyncio.to_thread(pipe.recv)

    pin(0)
    asyncio.run(main())


async def spend(make: Callable[[], Client], url: str, requests: int) -> float:
    client = make()

    async def worker(count: int) -> None:
        for _ in range(count):
            status, body = await client.post(url)
            if (status, len(body)) != (200, len(REPLY)):
                raise RuntimeError(status)

    async def all_of(count: int) -> None:
        await asyncio.gather(*(worker(count // IN_FLIGHT) for _ in range(IN_FLIGHT)))

    await all_of(WARM_UP)
    before = time.process_time()
    await all_of(requests)
    spent = time.process_time() - before
    await client.aclose()
    return spent * 1e6 / (requests // IN_FLIGHT * IN_FLIGHT)


def measure(index: int, url: str, requests: int, pipe: Connection) -> None:
    pin(1)
    candidate = CANDIDATES[index]
    run = importlib.import_module("uvloop").run if candidate.uvloop else asyncio.run
    pipe.send(run(spend(candidate.make, url, requests)))


def in_a_process(index: int, url: str, requests: int) -> float:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=measure, args=(index, url, requests, theirs))
    process.start()
    theirs.close()
    result: float = ours.recv()
    process.join()
    if process.exitcode:
        print(f"{CANDIDATES[index].name}: the process ended with {process.exitcode}", flush=True)
    return result


def present() -> list[int]:
    for each in CANDIDATES:
        if each.missing():
            print(f"skipped: {each.name} (not installed: {each.missing()})")
    return [index for index, each in enumerate(CANDIDATES) if not each.missing()]


def table(title: str, spent: list[dict[int, float]]) -> None:
    print(f"\n{title:44} {'CPU us/request':>14} {'ratio':>6}")
    for index in spent[0]:
        middle = statistics.median(each[index] for each in spent)
        ratio = statistics.median(each[index] / each[0] for each in spent)
        print(f"{CANDIDATES[index].name:44} {middle:14.1f} {ratio:6.2f}", flush=True)


def main(requests: int = 20_000, rounds: int = 5) -> None:
    context = multiprocessing.get_context("spawn")
    pipe, theirs = context.Pipe()
    server = context.Process(target=serve_until_told, args=(theirs,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{pipe.recv()}"
    chosen = present()
    for title, path, count in (
        ("replies at once", AT_ONCE, requests),
        ("replies after 0.2 to 0.4 s", LATER, requests // 4),
    ):
        runs = [{at: in_a_process(at, url + path, count) for at in chosen} for _ in range(rounds)]
        table(title, runs)
    pipe.send("stop")
    server.join()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
