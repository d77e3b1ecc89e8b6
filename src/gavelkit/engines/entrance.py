"""Who may go to an endpoint now, who waits and for what: the part of a gate that belongs to one event loop."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from dataclasses import dataclass

from gavelkit.core.clock import Clock
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.event import CircuitClosed, CircuitOpened, Observe, Throttled
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines.aimd import AdaptiveLimit
from gavelkit.engines.circuit import TROUBLE, Circuit
from gavelkit.engines.hints import beyond
from gavelkit.engines.rate_limit import Rates, estimated_tokens

_SPREAD = 1.0  # seconds over which calls go out again after a pause: all at once would meet an empty bucket at once


@dataclass(frozen=True, slots=True)
class GateRules:
    """What holds for an endpoint; waits in seconds. None sets no rate.

    A server that has too much to do and does not say for how long is left alone for `pause`. A hint longer than
    `max_hint` ends the run, and so does an endpoint that fails every call for `outage_limit`.
    """

    pause: float = 1.0
    max_hint: float = 300.0
    outage_limit: float = 600.0
    probe_seconds: float = 10.0
    failures_to_open: int = 20
    forbidden_to_end: int = 5
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


@dataclass(slots=True)
class Place:
    """One call inside: the limit's cuts when it went in, what it was thought to need, whether it is a probe."""

    cuts: int
    tokens: int = 0
    probe: bool = False


_Waiter = tuple["asyncio.Future[Place | CallError]", int]


class Entrance:
    """Lets calls in, in order, as the limit, the pauses, the rates and the circuit allow.

    `clear` says that nothing but the limit stands in the way, so that a call in good times costs a comparison.
    """

    def __init__(self, rules: GateRules, *, clock: Clock, observe: Observe) -> None:
        self.limit = AdaptiveLimit()
        self.inside = 0
        self.clear = False
        self.quiet = False
        self._rules = rules
        self._clock = clock
        self._observe = observe
        self._circuit = Circuit(
            failures=rules.failures_to_open, probe_seconds=rules.probe_seconds, outage_limit=rules.outage_limit
        )
        limited = rules.requests_per_minute is not None or rules.tokens_per_minute is not None
        self._rates = Rates(rules.requests_per_minute, rules.tokens_per_minute) if limited else None
        self._queue: deque[_Waiter] = deque()
        self._waiting = 0
        self._paused_until = -math.inf
        self._spread = 0.0
        self._forbidden = 0
        self._last: CallError | None = None
        self._verdict: CallError | None = None
        self._timer: asyncio.Task[None] | None = None
        self._wakes_at = math.inf

    def widen(self, most: int, *, auto: bool = False) -> None:
        """A judge joins with so many calls at once at most."""
        self.limit.widen(most, auto=auto)
        self.quiet = False

    def enter(self) -> Place | None:
        """A place, where one is to be had at once."""
        if self.clear and self.inside < self.limit.now:
            self.inside += 1
            return Place(self.limit.cuts)
        return None

    async def turn(self, request: Request) -> Place:
        """A place, as soon as there is one. Raises CallError where the endpoint is known to be of no use."""
        future: asyncio.Future[Place | CallError] = asyncio.get_running_loop().create_future()
        self._queue.append((future, estimated_tokens(request) if self._rates else 0))
        self._waiting += 1
        self._circuit.resume(self._clock.monotonic())
        self._admit()
        try:
            place = await future
        except asyncio.CancelledError:
            if not future.cancelled() and isinstance(place := future.result(), Place):
                self.leave(place)  # it came at the moment the caller gave up
            elif future.cancelled():
                self._waiting -= 1
                self._settle()
            raise
        if isinstance(place, CallError):
            raise place
        return place

    def leave(self, place: Place) -> None:
        """A call ended and says nothing of the endpoint."""
        self.inside -= 1
        if place.probe:
            self._circuit.probing = False
        if self._waiting:
            self._admit()

    def succeeded(self, place: Place, completion: Completion) -> None:
        """A call brought a reply."""
        self.inside -= 1
        if not self.quiet:
            self._forbidden = 0
            self.limit.clean(self._clock.monotonic())
            self._alive()
        if self._rates:
            self._rates.correct(place.tokens, completion.usage)
        if self._waiting:
            self._admit()

    def failed(self, place: Place, error: CallError) -> CallError:
        """A call failed: the error to raise, which is another one where this was the last straw."""
        self.inside -= 1
        self.quiet = False
        if place.probe:
            self._circuit.probing = False
        if error.failure.fatal:
            self._give_up(error)
        elif error.kind is FailureKind.FORBIDDEN:
            error = self._refused(error)
        elif error.kind in TROUBLE:
            error = self._troubled(place, error)
        elif place.probe and error.kind is not FailureKind.DECODE:
            self._alive()  # it read the request and had something to say
        if self._waiting:
            self._admit()
        return error

    def forget(self) -> None:
        """What was known of the endpoint's failures is of yesterday."""
        self._verdict = None
        self._forbidden = 0
        self._paused_until = -math.inf
        self._circuit.succeeded()
        self._settle()

    def _alive(self) -> None:
        opened = self._circuit.opened
        self._circuit.succeeded()
        self._settle()
        if opened is not None:
            self._observe(CircuitClosed(self._clock.monotonic() - opened))

    def _refused(self, error: CallError) -> CallError:
        self._forbidden += 1
        if self._forbidden < self._rules.forbidden_to_end:
            return error
        message = f"{error} ({self._forbidden} requests in a row are forbidden, so the key is taken to be)"
        return self._give_up(CallError(error.kind, message, raw=error.failure.raw, fatal=True))

    def _troubled(self, place: Place, error: CallError) -> CallError:
        self._last = error
        hint = error.retry_after if error.retryable else None
        end = beyond(error, self._rules.max_hint) if hint else None
        if end is not None:
            return self._give_up(end)
        now = self._clock.monotonic()
        wait = hint or (self._rules.pause if error.overloaded and error.kind is not FailureKind.TIMEOUT else 0.0)
        paused = wait > 0 and self._pause(now, wait)
        open_before = self._circuit.opened is not None
        if self._circuit.failed(now, wait=hint or 0.0):
            self._observe(CircuitOpened(self._circuit.next_probe - now, str(error)))
        fresh = error.overloaded and not open_before and place.cuts == self.limit.cuts
        if (fresh and self.limit.cut(now, wait=wait)) or (paused and not open_before):
            self._observe(Throttled(self.limit.now, wait, error.kind))
        self._settle()
        return error

    def _pause(self, now: float, wait: float) -> bool:
        """Let nobody in before the wait is over: whether that is news."""
        until, before = now + wait, self._paused_until
        if until > before:
            self._paused_until = until
            self._spread = min(_SPREAD, wait)
        return before <= now

    def _give_up(self, error: CallError) -> CallError:
        """Whoever waits or comes gets this error, and no request is made for it."""
        self._verdict = error
        self._settle()
        self._admit()
        return error

    def _admit(self) -> None:
        """Let in whoever may go, in order, and see to it that somebody looks again when the next one may."""
        now = self._clock.monotonic()
        if self._circuit.end <= now and self._verdict is None and self._last is not None:
            seconds = self._rules.outage_limit
            message = f"{self._last}; the endpoint has failed every call for {seconds:,.0f} s and is given up"
            self._verdict = CallError(self._last.kind, message, raw=self._last.failure.raw, fatal=True)
        while self._queue:
            future, tokens = self._queue[0]
            if future.done():
                self._queue.popleft()  # its caller gave up
            elif self._verdict is not None:
                self._answer(_unasked(self._verdict))
            elif self.inside >= self.limit.now:
                self._wake_at(self._circuit.end)
                break
            elif (ready := self._ready(now, tokens)) > now:
                self._wake_at(min(ready, self._circuit.end))
                break
            else:
                self._let_in(now, tokens)
        self._settle()

    def _ready(self, now: float, tokens: int) -> float:
        """When the first in the queue may go, as far as is known."""
        ready = self._paused_until
        if self._spread:
            ready += self._spread * self.inside / self.limit.now
        if self._circuit.opened is not None:
            ready = max(ready, self._circuit.next_probe)
        wait = self._rates.wait(now, tokens) if self._rates else 0.0
        return max(ready, now + wait) if wait else ready

    def _let_in(self, now: float, tokens: int) -> None:
        self.inside += 1
        if self._rates:
            self._rates.take(tokens)
        probe = self._circuit.opened is not None
        if probe:
            self._circuit.probe(now)
        self._answer(Place(self.limit.cuts, tokens, probe))

    def _answer(self, answer: Place | CallError) -> None:
        future, _ = self._queue.popleft()
        self._waiting -= 1
        future.set_result(answer)

    def _settle(self) -> None:
        """What the quick ways in and out may rely on, and no timer where nobody waits."""
        open_ = self._circuit.opened is not None
        if self._paused_until != -math.inf and self._paused_until + self._spread <= self._clock.monotonic():
            self._paused_until = -math.inf
        paused = self._paused_until != -math.inf
        self.clear = not (paused or open_ or self._verdict or self._rates)
        settled = not (self._circuit.in_a_row or self._forbidden)
        self.quiet = settled and self.limit.now >= self.limit.most
        if not self._waiting and self._timer is not None:
            self._timer.cancel()
            self._timer, self._wakes_at = None, math.inf

    def _wake_at(self, when: float) -> None:
        if when >= self._wakes_at or when == math.inf:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._wakes_at = when
        self._timer = asyncio.get_running_loop().create_task(self._wake(when))

    async def _wake(self, when: float) -> None:
        await self._clock.sleep(max(0.0, when - self._clock.monotonic()))
        self._timer, self._wakes_at = None, math.inf
        self._admit()


def _unasked(verdict: CallError) -> CallError:
    """The same for a caller who made no request."""
    return verdict.after(0)
