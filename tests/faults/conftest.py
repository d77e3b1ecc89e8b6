"""A run against a schedule of faults: an endpoint that plays it, a clock that takes no time, and what came of it."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from ssl import SSLContext
from typing import Any

import pytest
from tests.fake_clock import FakeClock
from tests.makers import PREFLIGHT, TEMPLATE, chat_answer, prompt_of, scoring, some_rows

import gavelkit
from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.core.errors import EndpointError, GavelError, Interrupted, RunFailed
from gavelkit.core.event import Committed, Event, Noticed
from gavelkit.core.judgment import Judgment
from gavelkit.core.report import Report
from gavelkit.engines.http import HttpClient
from gavelkit.run import on_loop
from gavelkit.simulator.server import Handler, HttpAnswer, HttpRequest, serving
from gavelkit.simulator.wire import Fault

Play = Fault | int | HttpAnswer | Callable[[HttpRequest], HttpAnswer]
"""What a request gets: a fault on the wire, a bare status, an answer, or whatever a function makes of it."""

_PATIENCE = 25.0


class JumpingClock(FakeClock):
    """Whose time stands still while anything is under way, and then jumps to whoever wakes first."""

    def __init__(self) -> None:
        super().__init__()
        self.in_flight = 0
        self._due: list[tuple[float, int, asyncio.Future[None] | Callable[[], None]]] = []
        self._number = itertools.count()
        self._polling = False

    def at(self, seconds: float, action: Callable[[], None]) -> None:
        """Have something done once that time has come."""
        heapq.heappush(self._due, (seconds, next(self._number), action))

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        awake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._due, (self.now + max(0.0, seconds), next(self._number), awake))
        if not self._polling:
            self._polling = True
            self._poll(quiet=0)
        await awake

    def _poll(self, *, quiet: int) -> None:
        loop = asyncio.get_running_loop()
        if self.in_flight:
            loop.call_later(0.0005, lambda: self._poll(quiet=0))
        elif quiet < 6:  # whoever has something to do is let go first
            loop.call_soon(lambda: self._poll(quiet=quiet + 1))
        elif self._wake_next():
            loop.call_soon(lambda: self._poll(quiet=0))
        else:
            self._polling = False

    def _wake_next(self) -> bool:
        """Move on to the next who sleeps; False where nobody does."""
        while any(isinstance(each, asyncio.Future) and not each.done() for _, _, each in self._due):
            due, _, sleeper = heapq.heappop(self._due)
            if not isinstance(sleeper, asyncio.Future):
                self.now = max(self.now, due)
                sleeper()
            elif not sleeper.done():
                self.now = max(self.now, due)
                sleeper.set_result(None)
                return True
        return False


@dataclass(frozen=True)
class Seen:
    """A request as the endpoint saw it; the time is the run's."""

    time: float
    prompt: str
    connection: int
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    answer: HttpAnswer


class Endpoint:
    """Plays its schedule, an item for each request, and scores rows after it; `log` holds every request."""

    def __init__(self, schedule: Iterable[Play], clock: JumpingClock, *, preflight: bool) -> None:
        self.log: list[Seen] = []
        self.url = ""
        self._schedule = iter(schedule)
        self._clock = clock
        self._preflight = preflight

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        if not request.path.endswith("/chat/completions"):
            return chat_answer({"data": [{"id": "another"}]})
        tried = prompt_of(request) == PREFLIGHT
        answer = scoring(request) if tried and not self._preflight else self._play(request)
        body = json.loads(request.body)
        if not tried or self._preflight:
            self.log.append(
                Seen(self._clock.now, prompt_of(request), request.connection, dict(request.headers), body, answer)
            )
        return answer

    def _play(self, request: HttpRequest) -> HttpAnswer:
        play = next(self._schedule, scoring)
        if isinstance(play, str):
            fine = scoring(request)
            return HttpAnswer(fine.status, fine.body, fault=play, fault_seconds=0.02)
        if isinstance(play, int):
            return error(play)
        return play if isinstance(play, HttpAnswer) else play(request)


class Listening:
    """A server on a thread of its own, which can go away and come back on its port."""

    def __init__(self, handler: Handler, tls: SSLContext | None) -> None:
        self._handler = handler
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._stack = AsyncExitStack()
        self.port = 0
        self._thread.start()

    def up(self) -> None:
        self.port = self._do(self._stack.enter_async_context(serving(self._handler, port=self.port, tls=self._tls)))

    def down(self) -> None:
        self._do(self._stack.aclose())

    def end(self) -> None:
        self.down()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)


@contextmanager
def listening(handler: Handler, tls: SSLContext | None = None) -> Iterator[Listening]:
    server = Listening(handler, tls)
    server.up()
    try:
        yield server
    finally:
        server.end()


def error(status: int, *, message: str = "This failure is simulated.", **fields: Any) -> HttpAnswer:
    """An error in the usual shape; `headers` are the answer's, all else stands in the error."""
    headers = fields.pop("headers", {})
    return chat_answer({"error": {"message": message, **fields}}, status=status, headers=headers)


def body(data: bytes | str | Mapping[str, Any], **options: Any) -> HttpAnswer:
    """A reply of status 200 with exactly this body."""
    return chat_answer(data.encode() if isinstance(data, str) else data, **options)


def says(text: object, *, finish: str = "stop", usage: object = None, **message: Any) -> HttpAnswer:
    """A whole reply with this content."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    return chat_answer({"model": "m-2026", "choices": [choice], "usage": usage})


def forever(play: Play) -> Iterator[Play]:
    return itertools.repeat(play)


@dataclass
class Outcome:
    """What came of a run."""

    report: Report | None
    error: GavelError | None
    clock: JumpingClock
    log: list[Seen]
    judgments: list[Judgment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def code(self) -> int:
        """The exit code that the command would end with."""
        return 0 if self.error is None else self.error.exit_code

    @property
    def message(self) -> str:
        return str(self.error)

    @property
    def requests(self) -> int:
        return len(self.log)

    @property
    def statuses(self) -> dict[str, int]:
        """How many judgments ended how, as the report counts them."""
        if self.report is None:
            return {}
        return {str(status): n for status, n in self.report.metric("accuracy").counts.items() if n}

    @property
    def kinds(self) -> dict[str, int]:
        """How many failures are of which kind."""
        return dict(Counter(str(each.failure.kind) for each in self.judgments if each.failure is not None))

    @property
    def notices(self) -> str:
        return "\n".join(event.message for event in self.events if isinstance(event, Noticed))

    @property
    def gaps(self) -> list[float]:
        """The seconds between one request and the next."""
        return [later.time - earlier.time for earlier, later in itertools.pairwise(self.log)]


Check = Callable[[Outcome], None]


class Bench:
    """Runs judges against schedules, always in one folder: a second run resumes the first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "out"
        self.clock = JumpingClock()

    def run(
        self, *schedule: Play | Iterator[Play], rows: int | Sequence[Mapping[str, Any]] = 1, **given: Any
    ) -> Outcome:
        """Judge so many rows, one at a time unless told otherwise, by an endpoint that plays the schedule."""
        plays = itertools.chain.from_iterable(each if isinstance(each, Iterator) else (each,) for each in schedule)
        endpoint = Endpoint(plays, self.clock, preflight=given.get("preflight_check", False))
        with listening(endpoint, given.pop("tls", None)) as server:
            return self.judge(endpoint, server, rows=rows, **given)

    def judge(
        self,
        endpoint: Endpoint,
        server: Listening,
        *,
        rows: int | Sequence[Mapping[str, Any]] = 1,
        scheme: str = "http",
        environment: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> Outcome:
        base = f"{scheme}://127.0.0.1:{server.port}/v1"
        asked = some_rows(rows) if isinstance(rows, int) else list(rows)
        outcome = Outcome(None, None, self.clock, endpoint.log)

        def observe(event: Event) -> None:
            outcome.events.append(event)
            if isinstance(event, Committed):
                outcome.judgments.extend(event.judgments)

        surroundings = Surroundings(Environment(environment or {}), clock=self.clock, observe=observe)
        judge = assemble({**_GIVEN, "api_base": base, **settings}, surroundings, where="judge")

        async def judged() -> Report:
            work = gavelkit.evaluate_async(asked, judge, output=self.folder, observe=observe)
            return await asyncio.wait_for(work, _PATIENCE)

        try:
            outcome.report = on_loop(judged())
        except (RunFailed, EndpointError, Interrupted) as ended:
            outcome.error, outcome.report = ended, ended.report
        if outcome.report is not None:
            assert sum(outcome.statuses.values()) == outcome.report.planned == len(asked)
        return outcome


_GIVEN: Mapping[str, Any] = {
    "name": "accuracy",
    "model": "m",
    "prompt_template": TEMPLATE,
    "scale": (0, 10),
    "concurrency": 1,
    "preflight_check": False,
    "timeout": 5,
}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(tmp_path)
    request = HttpClient.request

    async def counted(client: HttpClient, *given: Any, **named: Any) -> Any:
        """The same request; the clock stands still until it has ended."""
        bench.clock.in_flight += 1
        try:
            return await request(client, *given, **named)
        finally:
            bench.clock.in_flight -= 1

    wrapped: Callable[..., Awaitable[Any]] = counted
    monkeypatch.setattr(HttpClient, "request", wrapped)
    return bench


def expect(
    outcome: Outcome,
    status: str | Mapping[str, int],
    *,
    kind: str | None = None,
    requests: int | range | None = None,
    waited: tuple[float, float] = (0.0, 0.0),
    code: int | None = None,
) -> None:
    """That a run ended so. A status alone is that of its only row; waits are the run's seconds, at least and at most.

    Without a code, a single row that failed ends with 3, for more than a tenth of the rows did.
    """
    counts = {status: 1} if isinstance(status, str) else dict(status)
    assert outcome.statuses == counts
    assert outcome.kinds == ({kind: 1} if kind else {}) or not isinstance(status, str)
    if requests is not None:
        assert outcome.requests in (requests if isinstance(requests, range) else (requests,))
    assert waited[0] <= outcome.clock.now <= waited[1], f"waited {outcome.clock.now}"
    assert outcome.code == (code if code is not None else 0 if counts.keys() <= {"ok"} else 3), outcome.message
