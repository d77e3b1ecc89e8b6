"""What readers of JSON answers share: which object is the verdict, its explanation, and how one is written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.protocols import Parser
from gavelkit.parsing.json_block import block_end, json_objects
from gavelkit.parsing.thinking import spoken
from gavelkit.parsing.written import proven

_EXPLAINING = ("explanation", "reasoning", "reason", "rationale", "feedback", "comment")
_OPENS = re.compile(r"\s*+(?:```[A-Za-z]*+\s*+)?+")
_SHUTS = re.compile(r"\s*+(?:```)?+\s*+")

V = TypeVar("V", float, str)


def json_verdict(text: str, field: str, *, meaning: Callable[[object], V | None], wanted: str) -> Grade:
    """The meaning of the field in the first JSON object. `meaning` is None for what is not `wanted`.

    A later object whose field means something else makes the verdict ambiguous. Raises ParseError.
    """
    objects = tuple(json_objects(_said(text), field))
    if not objects:
        message = "no JSON object in the reply"
        raise ParseError(message)
    first = objects[0]
    if field not in first:
        names = ", ".join(name[:40] for name in list(first)[:8])
        message = f"the JSON object has no field {field!r}; it has {names}"
        raise ParseError(message)
    value = meaning(first[field])
    if value is None:
        message = f"the field {field!r} holds {_shown(first[field])}, which is {wanted}"
        raise ParseError(message)
    for other in objects[1:]:
        if field in other and meaning(other[field]) != value:
            message = (
                f"several JSON objects that differ in {field!r}: {_shown(first[field])} and {_shown(other[field])}"
            )
            raise ParseError(message, kind=FailureKind.AMBIGUOUS)
    return Grade(value, _explanation(first, field), first)


def write_json(parser: Parser, grade: Grade, *, field: str) -> str:
    """The parts as one object, reasoning first. Raises ValueError where that would not read back."""
    parts = grade.parts or {"reasoning": grade.explanation, field: grade.value}
    words = [name for name in parts if name in _EXPLAINING and name != field]
    try:
        text = json.dumps({name: parts[name] for name in dict.fromkeys([*words, *parts])}, allow_nan=False)
    except (TypeError, RecursionError) as error:
        message = f"the reader {parser.name} cannot carry {type(grade).__name__} parts that are no JSON: {error}"
        raise ValueError(message) from error
    return proven(parser, text, grade)


def _said(text: str) -> str:
    """The reply without its thinking. One that is a single object has none: a tag in its texts is talk about tags."""
    opens = _OPENS.match(text)
    start = opens.end() if opens else 0
    if text.startswith("{", start):
        end = block_end(text, start)
        if end is not None and _SHUTS.fullmatch(text, end):
            return text
    return spoken(text)


def _explanation(found: Mapping[str, Any], field: str) -> str:
    for name in _EXPLAINING:
        words = found.get(name)
        if name != field and isinstance(words, str) and words.strip():
            return words.strip()
    return ""


def _shown(value: object) -> str:
    return json.dumps(value)[:60]
