"""The cost cap and the request cap of a run: what may be spent is set aside before a request is made."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine
from gavelkit.engines.tokens import prompt_tokens, token_limits

Cost = Callable[[int, int], float]
"""What so many prompt and completion tokens cost, in USD."""

_UNLIMITED_TOKENS = 4096
"""Set aside for a reply whose request sets no limit: more than a judge writes, unless it thinks long."""
_ROUNDING = 1e-9  # of a cap in USD, so that a sum of many floats reaches it exactly


@dataclass(slots=True)
class _Waiting:
    """One that waits until `cost` can be set aside."""

    cost: float
    turn: asyncio.Future[None]


class Ledger:
    """What a run folder has spent, in USD and in requests, and what is set aside for the calls in flight.

    `cost` and `requests` are what was spent before this start; of `unknown` replies among it nobody counted the tokens,
    so that they were billed with what was set aside for them. `on_cap` hears once, in words, that a cap is reached:
    when the next request does not fit and nothing in flight can give anything back. It serves one event loop.
    """

    def __init__(
        self,
        *,
        max_cost: float | None = None,
        max_requests: int | None = None,
        cost: float = 0.0,
        requests: int = 0,
        unknown: int = 0,
        on_cap: Callable[[str], None] = lambda _message: None,
    ) -> None:
        self.cost = cost
        self.requests = requests
        self.unknown = unknown
        self.capped = False
        self._max_cost = max_cost
        self._max_requests = max_requests
        self._on_cap = on_cap
        self._open = 0
        self._set_aside = 0.0
        self._queue: deque[_Waiting] = deque()

    @property
    def full(self) -> bool:
        """Whether not even a request that costs nothing fits."""
        return not self._fits(0.0)

    def bill(self, requests: int, cost: float = 0.0) -> None:
        """Count what was spent beside the engines: the pre-flight."""
        self.requests += requests
        self.cost += cost

    async def reserve(self, cost: float) -> None:
        """Set aside one request and its cost, once they fit. Raises NotYet where a cap is reached."""
        if self.capped:
            raise NotYet
        if not self._queue and self._fits(cost):
            self._take(cost)
            return
        waiting = _Waiting(cost, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        self._go_on()
        try:
            await waiting.turn
        except asyncio.CancelledError:
            if waiting.turn.done() and not waiting.turn.cancelled() and waiting.turn.exception() is None:
                self.settle(cost, spent=0.0, requests=0)  # the turn came at the moment the caller gave up
            else:
                self._go_on()  # whoever stood behind may fit
            raise

    def settle(self, reserved: float, *, spent: float, requests: int) -> None:
        """Give back what was set aside, and count what it came to."""
        self._open -= 1
        self._set_aside = self._set_aside - reserved if self._open else 0.0
        self.cost += spent
        self.requests += requests
        self._go_on()

    def _fits(self, cost: float) -> bool:
        if self._max_requests is not None and self.requests + self._open >= self._max_requests:
            return False
        if self._max_cost is None:
            return True
        return self.cost + self._set_aside + cost <= self._max_cost * (1 + _ROUNDING)

    def _take(self, cost: float) -> None:
        self._open += 1
        self._set_aside += cost

    def _go_on(self) -> None:
        """Let those who wait go, in order, as far as they fit; where nothing is in flight and none fits, it is over."""
        while self._queue:
            waiting = self._queue[0]
            if not waiting.turn.done():
                if not self._fits(waiting.cost):
                    break
                self._take(waiting.cost)
                waiting.turn.set_result(None)
            self._queue.popleft()
        if self._queue and not self._open:
            self._close(self._queue[0].cost)

    def _close(self, cost: float) -> None:
        self.capped = True
        for waiting in self._queue:
            if not waiting.turn.done():
                waiting.turn.set_exception(NotYet())
        self._queue.clear()
        self._on_cap(self._message(cost))

    def _message(self, cost: float) -> str:
        if self._max_requests is not None and self.requests >= self._max_requests:
            made = f"{self.requests:,} were made; a higher one goes on"
            return f"the cap of {self._max_requests:,} requests is reached: {made}"
        least = "at least " if self.unknown else ""
        return (
            f"the cost cap of {self._max_cost:,.2f} USD is reached: {least}{self.cost:,.4f} USD are spent, and the "
            f"next request may cost {cost:,.4f} USD; a higher cap goes on"
        )


class Budget:
    """An engine round an engine. `cost` is None where no cap in USD is set, or the model's calls cost nothing.

    It stands outside whatever tries again, so a call that was retried, repaired or asked twice is billed with all its
    tokens and requests. A failed call costs nothing that anybody knows of, and is counted by its requests.
    """

    def __init__(self, inner: Engine, ledger: Ledger, *, cost: Cost | None = None) -> None:
        self._inner = inner
        self._ledger = ledger
        self._cost = cost

    async def complete(self, request: Request) -> Completion:
        """The inner engine's reply. Raises what it raises, and NotYet where a cap is reached."""
        ledger, worst = self._ledger, 0.0 if self._cost is None else self._cost(*_most_tokens(request))
        await ledger.reserve(worst)
        spent, requests = 0.0, 1  # a call that is cancelled may have been sent
        try:
            completion = await self._inner.complete(request)
            spent, requests = self._billed(completion, worst), completion.attempts
        except CallError as error:
            requests = error.requests
            raise
        except NotYet:
            requests = 0
            raise
        else:
            return completion
        finally:
            ledger.settle(worst, spent=spent, requests=requests)

    def _billed(self, completion: Completion, worst: float) -> float:
        if self._cost is None:
            return 0.0
        usage = completion.usage
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            self._ledger.unknown += 1
            return worst
        return self._cost(usage.prompt_tokens, usage.completion_tokens)


def _most_tokens(request: Request) -> tuple[int, int]:
    """The prompt's tokens, an estimate, and the most of its reply."""
    return prompt_tokens(request), max(token_limits(request.parameters).values(), default=_UNLIMITED_TOKENS)
