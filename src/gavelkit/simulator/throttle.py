"""A limit on requests per second as endpoints keep it: a bucket of tokens, and a 429 that says when to come again."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Annotated, Literal

import msgspec

from gavelkit.simulator.chat import error_bytes
from gavelkit.simulator.wire import HttpAnswer

Hint = Literal["seconds", "date", "milliseconds", "reset", "none"]
"""How a refusal says when to come again: Retry-After as a number or a date, `retry-after-ms`, `x-ratelimit-reset-*`."""


class Limit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`rate` requests a second, `burst` of them at once. The server's clock, which dates follow, is off by `skew` s."""

    rate: Annotated[float, msgspec.Meta(gt=0)]
    burst: Annotated[int, msgspec.Meta(ge=1)] = 1
    hint: Hint = "seconds"
    skew: float = 0.0


class Bucket:
    """Holds `burst` tokens and gets `rate` more each second; a request takes one. `now` gives monotonic seconds."""

    def __init__(self, limit: Limit, now: Callable[[], float]) -> None:
        self._limit = limit
        self._now = now
        self._tokens = float(limit.burst)
        self._at = now()

    def refusal(self) -> HttpAnswer | None:
        """None for a request that may pass, else the answer it gets."""
        limit, now = self._limit, self._now()
        self._tokens = min(limit.burst, self._tokens + (now - self._at) * limit.rate)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return None
        wait = (1 - self._tokens) / limit.rate
        body = error_bytes("Rate limit reached.", kind="rate_limit_error", code="rate_limit_exceeded")
        return HttpAnswer(429, body, hint_headers(wait, limit.hint, skew=limit.skew))


def hint_headers(seconds: float, hint: Hint, *, skew: float = 0.0) -> tuple[tuple[str, str], ...]:
    """The headers that ask to wait at least so long, in one of their forms."""
    whole = max(1, math.ceil(seconds))
    if hint == "seconds":
        return (("retry-after", str(whole)),)
    if hint == "milliseconds":
        return (("retry-after-ms", str(math.ceil(seconds * 1000))),)
    if hint == "reset":
        return (("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", _duration(seconds)))
    if hint == "date":
        here = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=skew)
        then = here + timedelta(seconds=whole)
        return (("date", format_datetime(here, usegmt=True)), ("retry-after", format_datetime(then, usegmt=True)))
    return ()


def _duration(seconds: float) -> str:
    """As OpenAI's servers write it: `250ms`, `7s`, `1m30s`."""
    if seconds < 1:
        return f"{math.ceil(seconds * 1000)}ms"
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
