"""A server that takes 50 requests a second, and 5,000 judgments that know nothing of it: the gate beside two rivals.

Everything runs on virtual time, so that two minutes take seconds. The ideal is what the server's own bucket allows.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from benchmarks.virtual_time import VirtualClock, run
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.engines import Ceiling, Gate, Gated, Retrying, RetryPolicy

JUDGMENTS = 5_000
PER_SECOND = 50.0
BURST = 50.0
LATENCY = 1.0
REFUSAL_LATENCY = 0.05
MOST = 256
HINT = 1.0
IDEAL = (JUDGMENTS - BURST) / PER_SECOND
REQUEST = Request((Message("user", "Hello"),), Parameters("m"), labels=Labels(judge="j"))


class Server:
    """A token bucket; a request that finds it empty is refused at once, with a hint or without."""

    def __init__(self, *, hints: bool = True, jitter: float = 0.0, seed: int = 0) -> None:
        self.requests = self.refusals = self.most = self.inside = 0
        self._hint = HINT if hints else None
        self._jitter, self._draw = jitter, random.Random(seed + 1000)
        self._level, self._when = BURST, 0.0

    async def complete(self, _request: Request) -> Completion:
        now = asyncio.get_running_loop().time()
        self._level = min(BURST, self._level + (now - self._when) * PER_SECOND)
        self._when = now
        self.requests += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            if self._level < 1:
                self.refusals += 1
                await asyncio.sleep(REFUSAL_LATENCY)
                raise CallError(FailureKind.RATE_LIMIT, "HTTP 429", retry_after=self._hint)
            self._level -= 1
            await asyncio.sleep(self._draw.uniform(LATENCY - self._jitter, LATENCY + self._jitter))
            return Completion("Score: 1")
        finally:
            self.inside -= 1


@dataclass
class Result:
    makespan: float
    server: Server
    failed: int

    @property
    def share(self) -> float:
        return self.server.refusals / self.server.requests


async def play(server: Server, ask: Callable[[], Awaitable[object]], workers: int, judgments: int) -> Result:
    left, failed = judgments, 0

    async def work() -> None:
        nonlocal left, failed
        while left:
            left -= 1
            try:
                await ask()
            except CallError:
                failed += 1

    await asyncio.gather(*(work() for _ in range(workers)))
    return Result(asyncio.get_running_loop().time(), server, failed)


async def gated(*, hints: bool = True, jitter: float = 0.0, fixed: int = 0, seed: int = 0) -> Result:
    """What a run does: the judge's ceiling, its retries with their defaults, and the gate."""
    server, clock, spread = Server(hints=hints, jitter=jitter, seed=seed), VirtualClock(), random.Random(seed).random
    gate = Gate(clock=clock)
    if fixed:
        gate.join(fixed)
    else:
        gate.join_auto(MOST)
    inner = Ceiling(Gated(server, gate), fixed or MOST)
    engine = Retrying(inner, RetryPolicy(), clock=clock, spread=spread, gate=gate)
    return await play(server, lambda: engine.complete(REQUEST), fixed or MOST, JUDGMENTS)


async def fixed_with_backoff(*, hints: bool = True, seed: int = 0) -> Result:
    """256 at once, whatever happens; each request backs off by itself, as long as it takes."""
    server, draw = Server(hints=hints), random.Random(seed)

    async def ask() -> None:
        tried = 0
        while True:
            try:
                await server.complete(REQUEST)
            except CallError:
                tried += 1
                await asyncio.sleep(draw.uniform(0, min(30.0, 0.5 * 2**tried)))
            else:
                return

    return await play(server, ask, MOST, JUDGMENTS)


async def aimd_without_pause(*, hints: bool = True, seed: int = 0) -> Result:
    """256 at first; a fifth less after two seconds with a drop, else a twentieth more. Nobody else waits."""
    server, draw = Server(hints=hints), random.Random(seed)
    limit, ends, dropped, inside = float(MOST), 2.0, False, 0
    turn = asyncio.Condition()

    async def once() -> bool:
        nonlocal limit, ends, dropped, inside
        async with turn:
            await turn.wait_for(lambda: inside < int(limit))
            inside += 1
        replied = True
        try:
            await server.complete(REQUEST)
        except CallError:
            replied, dropped = False, True
        now = asyncio.get_running_loop().time()
        if now >= ends:
            limit = max(1.0, limit * 0.8) if dropped else min(float(MOST), limit * 1.05)
            ends, dropped = now + 2.0, False
        async with turn:
            inside -= 1
            turn.notify(2)
        return replied

    async def ask() -> None:
        tried = 0
        while not await once():
            tried += 1
            await asyncio.sleep(draw.uniform(0, min(30.0, 0.5 * 2**tried)))

    return await play(server, ask, MOST, JUDGMENTS)


ROWS: tuple[tuple[str, Callable[[int], Awaitable[Result]]], ...] = (
    ("gate, auto", lambda seed: gated(seed=seed)),
    ("gate, auto, server gives no hint", lambda seed: gated(seed=seed, hints=False)),
    ("gate, auto, 0.5 to 1.5 s", lambda seed: gated(seed=seed, jitter=0.5)),
    ("gate, fixed 256", lambda seed: gated(seed=seed, fixed=MOST)),
    ("gate, fixed 32", lambda seed: gated(seed=seed, fixed=32)),
    ("fixed 256, each request backs off", lambda seed: fixed_with_backoff(seed=seed)),
    ("AIMD, no pause of the endpoint", lambda seed: aimd_without_pause(seed=seed)),
)


async def row(make: Callable[[int], Awaitable[Result]], seed: int) -> Result:
    return await make(seed)


def main() -> None:
    print(
        f"{JUDGMENTS:,} judgments, {PER_SECOND:g} requests/s, bursts of {BURST:g}, {LATENCY:g} s each; mean of 3 seeds"
    )
    print(f"  {'':34} {'makespan':>9} {'/ ideal':>8} {'requests':>9} {'429s':>7} {'share':>7} {'failed':>7}")
    for name, make in ROWS:
        results = [run(row(make, seed)) for seed in range(3)]
        seconds, requests, refusals, failed = (
            sum(values) / len(results)
            for values in zip(
                *((r.makespan, r.server.requests, r.server.refusals, r.failed) for r in results), strict=True
            )
        )
        print(
            f"  {name:34} {seconds:7.1f} s {seconds / IDEAL:8.3f} {requests:9,.0f} {refusals:7,.0f}"
            f" {refusals / requests:7.1%} {failed:7.1f}"
        )


if __name__ == "__main__":
    main()
