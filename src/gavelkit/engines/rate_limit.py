"""Requests and tokens a minute, as a user set them: buckets that fill up with time. It reads no clock."""

from __future__ import annotations

from gavelkit.core.completion import Usage
from gavelkit.core.message import Request

_MINUTE = 60.0
_CHARACTERS_PER_TOKEN = 4


class TokenBucket:
    """Lets `per_minute` pass in a minute, and at once no more than a second's worth, or one.

    What is larger than the bucket passes when it is full, and leaves a debt.
    """

    __slots__ = ("_level", "_per_second", "_size", "_when")

    def __init__(self, per_minute: float) -> None:
        self._per_second = per_minute / _MINUTE
        self._size = self._level = max(1.0, self._per_second)
        self._when = 0.0

    def wait(self, now: float, count: float) -> float:
        """Seconds until so much may pass, 0 where it may now."""
        if now > self._when:
            self._level = min(self._size, self._level + (now - self._when) * self._per_second)
            self._when = now
        short = min(count, self._size) - self._level
        return short / self._per_second if short > 1e-9 else 0.0  # noqa: PLR2004 - what rounding leaves is no wait

    def take(self, count: float) -> None:
        """Let so much pass; a negative count gives back what was taken too much."""
        self._level = min(self._size, self._level - count)


class Rates:
    """The two buckets of an endpoint; None is no bucket."""

    def __init__(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        self._requests = None if requests_per_minute is None else TokenBucket(requests_per_minute)
        self._tokens = None if tokens_per_minute is None else TokenBucket(tokens_per_minute)

    def wait(self, now: float, tokens: int) -> float:
        """Seconds until a request with so many tokens may go."""
        one = self._requests.wait(now, 1) if self._requests else 0.0
        return max(one, self._tokens.wait(now, tokens) if self._tokens else 0.0)

    def take(self, tokens: int) -> None:
        """A request goes out that is thought to need so many tokens."""
        if self._requests:
            self._requests.take(1)
        if self._tokens:
            self._tokens.take(tokens)

    def correct(self, tokens: int, usage: Usage) -> None:
        """A request that was thought to need so many tokens needed these."""
        if self._tokens and usage.prompt_tokens is not None and usage.completion_tokens is not None:
            self._tokens.take(usage.prompt_tokens + usage.completion_tokens - tokens)


def estimated_tokens(request: Request) -> int:
    """A quarter of the characters, and the most that the reply may have."""
    values = request.parameters.values
    longest = values.get("max_completion_tokens", values.get("max_tokens"))
    reply = longest if isinstance(longest, int) else 0
    return sum(len(message.content) for message in request.messages) // _CHARACTERS_PER_TOKEN + reply
