"""Tries a call again where a second try may help, within the bounds a user set."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from gavelkit.core.clock import Clock
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, EmptyReply
from gavelkit.core.event import Observe, Retried, ignore
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine
from gavelkit.engines.gate import Gate
from gavelkit.engines.hints import beyond

_MOST_DOUBLINGS = 1000  # a float ends at 2**1024, and whoever tries that often waits the longest by then
_MOST_UNREADABLE = 2  # a reply that nobody can read is paid for, and seldom better the third time


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
    """An engine round an engine. `spread` draws the jitter from 0 to 1.

    Where a gate stands further in, it makes everybody wait for a server's hint, and its budget bounds the tries.
    """

    def __init__(
        self,
        inner: Engine,
        policy: RetryPolicy,
        *,
        clock: Clock,
        spread: Callable[[], float] = random.random,
        observe: Observe = ignore,
        gate: Gate | None = None,
    ) -> None:
        self._inner = inner
        self._policy = policy
        self._clock = clock
        self._spread = spread
        self._observe = observe
        self._gate = gate

    async def complete(self, request: Request) -> Completion:
        """The first reply that comes. Raises the last CallError when none does."""
        tried = requests = 0
        while True:
            tried += 1
            try:
                completion = await self._inner.complete(request)
            except CallError as error:
                requests += error.requests
                try:
                    wait = self._wait(error, tried, requests)
                except CallError:
                    if isinstance(error, EmptyReply):
                        return replace(error.completion, attempts=requests)
                    raise
                self._observe(Retried(request.labels.judge, error.kind, wait))
                await self._clock.sleep(wait)
            else:
                made = requests + completion.attempts
                return completion if tried == 1 else replace(completion, attempts=made)

    def _wait(self, error: CallError, tried: int, requests: int) -> float:
        """Seconds until the next try. Raises the error where there is none."""
        policy, gate = self._policy, self._gate
        if not error.retryable or tried > min(policy.attempts, _most_retries(error)):
            raise _counted(error, tried, requests)
        if gate is not None:
            if not (_told_to_wait(error) or gate.budget.take()):
                message = f"{error}; not tried again: the endpoint's retries ({gate.budget}) are used up"
                raise error.after(requests, message=message)
        elif (end := beyond(error, policy.max_hint)) is not None:
            raise end.after(requests)
        longest = min(policy.max_wait, policy.min_wait * 2.0 ** min(tried, _MOST_DOUBLINGS))
        wait = policy.min_wait + self._spread() * max(0.0, longest - policy.min_wait)
        return wait if gate is not None else max(error.retry_after or 0.0, wait)


def _most_retries(error: CallError) -> float:
    if error.most_retries is not None:
        return error.most_retries
    return _MOST_UNREADABLE if error.kind is FailureKind.DECODE else math.inf


def _told_to_wait(error: CallError) -> bool:
    """A server that says when to come again is not in trouble: the gate slows down for it, and the try is free."""
    return error.kind is FailureKind.RATE_LIMIT or error.retry_after is not None


def _counted(error: CallError, tried: int, requests: int) -> CallError:
    if tried == 1:
        return error
    asked = error.requests > 0  # else it is the gate's answer, and says nothing of this call's requests
    return error.after(requests, message=f"{error.failure.message} ({requests} requests)" if asked else "")
