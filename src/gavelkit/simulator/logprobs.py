"""Log probabilities beside a simulated reply: certain of its words, less so of the option it chose."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

_TOKEN = re.compile(r"\s*(?:\w+|[^\w\s])|\s+\Z")
_SURE = 0.98
_CHOSEN = 0.8
"""The share of the chosen option. The others share the rest alike, so that their order changes nothing."""


def logprobs_content(reply: str, options: Sequence[str], *, top: int) -> list[dict[str, Any]]:
    """An entry for each word or mark of the reply, as `choices[0].logprobs.content` has them.

    Where the last of the options in the reply begins, all options share the probability; of each of them only the
    first token counts. `top` is how many alternatives are listed.
    """
    tokens = _TOKEN.findall(reply)
    chosen = _last(reply, options)
    place = -1 if chosen is None else _token_at(tokens, chosen[1])
    content = []
    for number, token in enumerate(tokens):
        if chosen is not None and number == place:
            likely = _shared(token, options, chosen[0])
        else:
            likely = {token: _SURE, token.swapcase(): 1 - _SURE} if token != token.swapcase() else {token: _SURE}
        content.append(_entry(token, likely, top))
    return content


def _last(reply: str, options: Sequence[str]) -> tuple[str, int] | None:
    """The option that ends last in the reply, the longest of those that end there, and where it begins."""
    found = [
        (match.end(), len(option), option, match.start())
        for option in filter(None, options)
        for match in re.finditer(rf"(?<!\w){re.escape(option)}(?!\w)", reply)
    ]
    return max(found)[2:] if found else None


def _token_at(tokens: Sequence[str], place: int) -> int:
    end = 0
    for number, token in enumerate(tokens):
        end += len(token)
        if end > place:
            return number
    return -1


def _shared(token: str, options: Sequence[str], chosen: str) -> Mapping[str, float]:
    before = token[: len(token) - len(token.lstrip())]
    others = [found[0].strip() for option in options if option != chosen and (found := _TOKEN.match(option))]
    shares = {token: _CHOSEN if others else _SURE}
    for first in others:
        shares[before + first] = shares.get(before + first, 0.0) + (1 - _CHOSEN) / len(others)
    return shares


def _entry(token: str, likely: Mapping[str, float], top: int) -> dict[str, Any]:
    ranked = sorted(likely.items(), key=lambda each: -each[1])[:top]
    listed = [_written(text, share) for text, share in ranked]
    return {**_written(token, likely[token]), "top_logprobs": listed}


def _written(text: str, share: float) -> dict[str, Any]:
    return {"token": text, "logprob": math.log(share), "bytes": list(text.encode("utf-8", "surrogatepass"))}
