"""The reader of structured answers: a number in one field of the reply's JSON object."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing.json_block import block_end, json_objects
from gavelkit.parsing.number import NUMBER, read_number
from gavelkit.parsing.thinking import spoken
from gavelkit.parsing.written import proven

_EXPLAINING = ("explanation", "reasoning", "reason", "rationale", "feedback", "comment")
_NUMBER = re.compile(NUMBER)
_OPENS = re.compile(r"\s*+(?:```[A-Za-z]*+\s*+)?+")
_SHUTS = re.compile(r"\s*+(?:```)?+\s*+")


@dataclass(frozen=True, slots=True)
class JsonParser:
    """`json`: the number in `score_field` of the first JSON object, bare, in prose or in a fence.

    A text that holds nothing but a number counts as the number. A later object whose `score_field` differs makes the
    verdict ambiguous: which of the two is the judge's own cannot be told from their order. Whatever begins like an
    object and cannot be read is no reason to take another. Of a `cut` reply only objects read whole count. `parts` is
    the whole object; the explanation is the first of its fields `explanation`, `reasoning`, `reason`, `rationale`,
    `feedback` and `comment` that is a text. Writable: a grade whose parts hold its value and explanation.
    """

    score_field: str = "score"
    name: str = "json"
    version: int = 1

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The number. Raises ParseError: no object, none in its field, several that differ, an empty reply."""
        objects = tuple(json_objects(_said(text), self.score_field))
        if not objects:
            message = "no JSON object in the reply"
            raise ParseError(message)
        first = objects[0]
        value = self._value(first)
        for other in objects[1:]:
            if self.score_field in other and _number(other[self.score_field]) != value:
                shown = f"{_shown(first[self.score_field])} and {_shown(other[self.score_field])}"
                message = f"several JSON objects that differ in {self.score_field!r}: {shown}"
                raise ParseError(message, kind=FailureKind.AMBIGUOUS)
        return Grade(value, self._explanation(first), first, cut=cut)

    def write(self, grade: Grade) -> str:
        """The parts as one object, reasoning first. Raises ValueError where that would not read back."""
        parts = grade.parts or {"reasoning": grade.explanation, self.score_field: grade.value}
        words = [name for name in parts if name in _EXPLAINING and name != self.score_field]
        try:
            text = json.dumps({name: parts[name] for name in dict.fromkeys([*words, *parts])}, allow_nan=False)
        except (TypeError, RecursionError) as error:
            message = f"the reader json cannot carry {type(grade).__name__} parts that are no JSON: {error}"
            raise ValueError(message) from error
        return proven(self, text, grade)

    def _value(self, found: Mapping[str, Any]) -> float:
        if self.score_field not in found:
            names = ", ".join(name[:40] for name in list(found)[:8])
            message = f"the JSON object has no field {self.score_field!r}; it has {names}"
            raise ParseError(message)
        value = _number(found[self.score_field])
        if value is None:
            message = f"the field {self.score_field!r} holds {_shown(found[self.score_field])}, which is no number"
            raise ParseError(message)
        return value

    def _explanation(self, found: Mapping[str, Any]) -> str:
        for name in _EXPLAINING:
            words = found.get(name)
            if name != self.score_field and isinstance(words, str) and words.strip():
                return words.strip()
        return ""


def _said(text: str) -> str:
    """The reply without its thinking. One that is a single object has none: a tag in its texts is talk about tags."""
    opens = _OPENS.match(text)
    start = opens.end() if opens else 0
    if text.startswith("{", start):
        end = block_end(text, start)
        if end is not None and _SHUTS.fullmatch(text, end):
            return text
    return spoken(text)


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    digits = value.strip() if isinstance(value, str) else ""
    return read_number(digits) if _NUMBER.fullmatch(digits) else None


def _shown(value: object) -> str:
    return json.dumps(value)[:60]
