"""What holds at the gate whatever comes: calls that fail in every way and callers who give up at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

from benchmarks.storm import IDEAL, gated, row
from benchmarks.virtual_time import VirtualClock, run
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.makers import a_request

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.event import Event, Throttled
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines import Gate, Gated, GateRules

FAILURES = (
    CallError(FailureKind.RATE_LIMIT, "HTTP 429"),
    CallError(FailureKind.RATE_LIMIT, "HTTP 429", retry_after=0.02),
    CallError(FailureKind.RATE_LIMIT, "HTTP 429", retry_after=40),
    CallError(FailureKind.SERVER, "HTTP 503", overloaded=True, retry_after=3),
    CallError(FailureKind.TIMEOUT, "late"),
    CallError(FailureKind.CONNECT, "refused"),
    CallError(FailureKind.BAD_REQUEST, "HTTP 400"),
    CallError(FailureKind.FORBIDDEN, "HTTP 403"),
)


@dataclass(frozen=True)
class Turn:
    """How a request ends, after how many seconds; None is a reply."""

    seconds: float
    failure: CallError | None


@dataclass(frozen=True)
class Caller:
    """Comes at a time, and gives up after so many seconds; None waits to the end."""

    comes: float
    patience: float | None


def now() -> float:
    return asyncio.get_running_loop().time()


turns = st.lists(
    st.builds(Turn, st.sampled_from([0.0, 0.05, 1.0, 7.0]), st.sampled_from([None, None, *FAILURES])), min_size=1
)
callers = st.lists(
    st.builds(Caller, st.sampled_from([0.0, 0.5, 1.0, 30.0]), st.sampled_from([None, None, 0.0, 0.05, 1.0, 12.0])),
    min_size=1,
    max_size=60,
)
rules = st.builds(
    GateRules,
    failures_to_open=st.sampled_from([3, 20]),
    outage_limit=st.sampled_from([30.0, 600.0]),
    requests_per_minute=st.sampled_from([None, None, 60.0, 600.0]),
    tokens_per_minute=st.sampled_from([None, None, 6000.0]),
)


class Play:
    """Callers at a gate, and what they found; the limit is watched at every request."""

    def __init__(self, script: Sequence[Turn], concurrency: int, gate_rules: GateRules) -> None:
        self._script = cycle(script)
        self.gate = Gate(gate_rules, clock=VirtualClock(), observe=self._observe)
        self.gate.join(concurrency)
        self.inside = 0
        self._lowered_at = -1.0
        self.too_many: list[int] = []

    def _observe(self, event: Event) -> None:
        if isinstance(event, Throttled):
            self._lowered_at = now()

    async def complete(self, _request: Request) -> Completion:
        self.inside += 1
        # Whoever was let in may meet a drop of the same instant on the way.
        limit = self.gate.entrance().limit.now if self._lowered_at < now() else self.gate.most
        if self.inside > limit:
            self.too_many.append(self.inside)
        try:
            turn = next(self._script)
            await asyncio.sleep(turn.seconds)
            if turn.failure is not None:
                raise turn.failure.after(1)
            return Completion("ok")
        finally:
            self.inside -= 1

    async def call(self, caller: Caller) -> None:
        await asyncio.sleep(caller.comes)
        call = asyncio.ensure_future(Gated(self, self.gate).complete(a_request("x" * 400)))
        await asyncio.wait([call], timeout=caller.patience)
        call.cancel()
        await asyncio.wait([call])


@settings(max_examples=150, deadline=None)
@given(script=turns, crowd=callers, concurrency=st.integers(1, 8), gate_rules=rules)
def test_nobody_waits_for_nothing_and_never_are_too_many_inside(
    script: list[Turn], crowd: list[Caller], concurrency: int, gate_rules: GateRules
) -> None:
    """Where all would wait for each other, virtual time says so and the test fails."""
    play = Play(script, concurrency, gate_rules)

    async def main() -> tuple[int, int]:
        await asyncio.gather(*(play.call(caller) for caller in crowd))
        await asyncio.sleep(0)
        return play.gate.entrance().inside, len(asyncio.all_tasks())

    assert run(main()) == (0, 1)
    assert play.too_many == []


@settings(max_examples=50, deadline=None)
@given(crowd=callers, concurrency=st.integers(1, 8), kind=st.sampled_from(["connect", "rate_limit", "timeout"]))
def test_everybody_who_waits_ends_when_the_endpoint_is_given_up(
    crowd: list[Caller], concurrency: int, kind: str
) -> None:
    dead = CallError(FailureKind(kind), "dead")
    play = Play([Turn(0.05, dead)], concurrency, GateRules())

    async def forever() -> str:
        while True:
            try:
                await Gated(play, play.gate).complete(a_request())
            except CallError as error:
                if error.failure.fatal:
                    return str(error)
                await asyncio.sleep(1)

    async def main() -> list[str]:
        coming = asyncio.gather(*(play.call(caller) for caller in crowd))
        found = await asyncio.gather(*(forever() for _ in range(20)))
        await coming
        assert now() < 800
        return found

    assert len(run(main())) == 20


def test_a_storm_costs_a_twentieth_more_time_than_the_ideal_and_few_refusals() -> None:
    """50 requests a second, bursts of 50, a second each, 5,000 judgments, with hints and without."""
    for hints in (True, False):
        result = run(row(lambda seed, hints=hints: gated(seed=seed, hints=hints), 0))  # type: ignore[misc] # a default
        assert result.makespan <= 1.05 * IDEAL
        assert result.share <= 0.03
        assert result.failed == 0
