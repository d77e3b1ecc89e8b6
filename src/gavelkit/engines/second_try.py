"""A reply that was cut before its verdict is asked for once more, with twice the tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.message import Parameters, Request
from gavelkit.core.protocols import Engine
from gavelkit.engines.effective import differing
from gavelkit.engines.tokens import token_limits

Unread = Callable[[Request, Completion], bool]
"""Whether the verdict of a cut reply could not be read."""


class SecondTry:
    """An engine round an engine. The second reply is the reply, whole or not; both are paid, so both are counted.

    It belongs inside the engine that stores replies: there the reply is kept under the key of what was asked, and the
    other key of the second request is seen by nobody. Where the second try fails, the first reply stays.
    """

    def __init__(self, inner: Engine, unread: Unread) -> None:
        self._inner = inner
        self._unread = unread

    async def complete(self, request: Request) -> Completion:
        """The reply. Raises what the inner engine raises at the first try."""
        first = await self._inner.complete(request)
        if not first.cut:
            return first
        parameters = _doubled(request.parameters)
        if parameters is None or not self._unread(request, first):
            return first
        try:
            second = await self._inner.complete(replace(request, parameters=parameters))
        except CallError as error:
            return replace(first, attempts=first.attempts + error.requests)
        except NotYet:
            return first
        return _both(first, second, request.parameters, parameters)


def _doubled(parameters: Parameters) -> Parameters | None:
    """Twice the tokens; None where no limit is set."""
    twice = {name: 2 * limit for name, limit in token_limits(parameters).items()}
    return replace(parameters, values={**parameters.values, **twice}) if twice else None


def _both(first: Completion, second: Completion, asked: Parameters, again: Parameters) -> Completion:
    return replace(
        second,
        usage=_sum(first.usage, second.usage),
        effective={**(differing(asked, again) or {}), **(second.effective or {})},
        seconds=first.seconds + second.seconds,
        attempts=first.attempts + second.attempts,
    )


def _sum(first: Usage, second: Usage) -> Usage:
    return Usage(
        _added(first.prompt_tokens, second.prompt_tokens),
        _added(first.completion_tokens, second.completion_tokens),
        _added(first.cached_tokens, second.cached_tokens),
        _added(first.reasoning_tokens, second.reasoning_tokens),
    )


def _added(first: int | None, second: int | None) -> int | None:
    """What is known of either would be too little, so one that is not known makes the sum unknown."""
    return None if first is None or second is None else first + second
