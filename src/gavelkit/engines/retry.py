"""Tries a call again where a second try may help, within the bounds a user set."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from gavelkit.core.clock import Clock
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.event import Observe, Retried, ignore
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine

_MOST_DOUBLINGS = 1000  # a float ends at 2**1024, and whoever tries that often waits the longest by then


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`attempts` retries after the first request; waits in seconds, all within `min_wait` and `max_wait`.

    A server's hint may make a wait longer, up to `max_hint`; a longer hint ends the run, which can be resumed.
    """

    attempts: int = 3
    min_wait: float = 1.0
    max_wait: float = 60.0
    max_hint: float = 300.0


class Retrying:
    """An engine round an engine. `spread` draws the jitter from 0 to 1."""

    def __init__(
        self,
        inner: Engine,
        policy: RetryPolicy,
        *,
        clock: Clock,
        spread: Callable[[], float] = random.random,
        observe: Observe = ignore,
    ) -> None:
        self._inner = inner
        self._policy = policy
        self._clock = clock
        self._spread = spread
        self._observe = observe

    async def complete(self, request: Request) -> Completion:
        """The first reply that comes. Raises the last CallError when none does."""
        tried = 0
        while True:
            tried += 1
            try:
                completion = await self._inner.complete(request)
            except CallError as error:
                wait = self._wait(error, tried)
                self._observe(Retried(request.labels.judge, error.kind, wait))
                await self._clock.sleep(wait)
            else:
                return completion if tried == 1 else replace(completion, attempts=tried)

    def _wait(self, error: CallError, tried: int) -> float:
        """Seconds until the next try. Raises the error where there is none."""
        policy = self._policy
        if not error.retryable or tried > policy.attempts:
            raise _counted(error, tried)
        hint = error.retry_after or 0.0
        if hint > policy.max_hint:
            message = f"{error}; the server asks to wait {hint:,.0f} s, longer than {policy.max_hint:,.0f} s"
            raise CallError(error.kind, message, raw=error.failure.raw, fatal=True)
        longest = min(policy.max_wait, policy.min_wait * 2.0 ** min(tried, _MOST_DOUBLINGS))
        return max(hint, policy.min_wait + self._spread() * max(0.0, longest - policy.min_wait))


def _counted(error: CallError, tried: int) -> CallError:
    if tried == 1:
        return error
    failure = error.failure
    return CallError(error.kind, f"{failure.message} ({tried} requests)", raw=failure.raw, fatal=failure.fatal)
