"""Where JSON objects stand in a text, and what they hold, read strictly. It does not know what they mean."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.parsing.number import read_number

DEEPEST = 64
"""How many levels an object may have: far above any verdict, far below what would exhaust the stack."""

# A list of objects is passed over as a whole: what stands in it is not the reply's own object.
_BEGINS = re.compile(r"\[\s*+\{\s*+\"|\{\s*+\"")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.|\\\Z)*+"?|[{}\[\]]', re.DOTALL)


def json_objects(text: str, field: str) -> Iterator[Mapping[str, Any]]:
    """Every object that stands in the text on its own, in order. Prose such as `{x}` is none.

    Raises:
        ParseError: what begins like an object cannot be read, or not as strict JSON: not ended, too deep, a key
            twice (AMBIGUOUS where that is `field`), a number that is not finite or endless.

    """
    decoder = _decoder(field)
    at = 0
    while begin := _BEGINS.search(text, at):
        start = begin.start()
        end = block_end(text, start)
        if end is None:
            message = f"a JSON object begins and does not end: {text[start : start + 60]!r}"
            raise ParseError(message)
        if text[start] == "{":
            yield _read(decoder, text[start:end])
        at = end


def block_end(text: str, start: int) -> int | None:
    """Where the bracket at `start` is closed, strings passed over; None where it never is. Raises ParseError."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
        if depth == 0:
            return token.end()
        if depth > DEEPEST:
            message = f"a JSON object has more than {DEEPEST} levels"
            raise ParseError(message)
    return None


def _decoder(field: str) -> json.JSONDecoder:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
            message = f"the key {twice[0][:60]!r} stands twice in one JSON object"
            raise ParseError(message, kind=FailureKind.AMBIGUOUS if field in twice else None)
        return found

    return json.JSONDecoder(
        object_pairs_hook=unique, parse_int=_whole, parse_float=_decimal, parse_constant=_not_finite
    )


def _read(decoder: json.JSONDecoder, block: str) -> Mapping[str, Any]:
    try:
        found: dict[str, Any] = decoder.decode(block)
    except json.JSONDecodeError as error:
        message = f"what begins like a JSON object is none ({error.msg}): {block[max(0, error.pos - 20) :][:40]!r}"
        raise ParseError(message) from error
    return found


def _whole(digits: str) -> int:
    _decimal(digits)
    return int(digits)


def _decimal(digits: str) -> float:
    value = read_number(digits)
    if value is None:
        message = f"a number in the JSON object is endless or not finite: {digits[:40]}"
        raise ParseError(message)
    return value


def _not_finite(word: str) -> float:
    message = f"{word} in the JSON object is no number"
    raise ParseError(message)
