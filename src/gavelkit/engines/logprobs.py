"""The log probabilities that came with a chat reply."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from gavelkit.core.completion import Token


class _Alternative(msgspec.Struct):
    token: str
    logprob: float | None = None


class _Place(msgspec.Struct):
    token: str
    logprob: float
    top_logprobs: list[_Alternative] | None = None


class _Logprobs(msgspec.Struct):
    content: list[_Place] | None = None


def read_logprobs(sent: Any) -> tuple[Token, ...]:
    """The reply's tokens from `choices[0].logprobs`; none where anything there has another form.

    Of alternatives that are written alike, the first listed counts.
    """
    try:
        places = msgspec.convert(sent, _Logprobs).content or ()
    except (msgspec.ValidationError, RecursionError):
        return ()
    tokens = tuple(_token(place) for place in places)
    return tokens if all(token.text in token.top for token in tokens) else ()


def _token(place: _Place) -> Token:
    top: dict[str, float] = {}
    for each in (*(place.top_logprobs or ()), _Alternative(place.token, place.logprob)):
        if each.logprob is not None and math.isfinite(each.logprob):
            top.setdefault(each.token, each.logprob)
    return Token(place.token, top)
