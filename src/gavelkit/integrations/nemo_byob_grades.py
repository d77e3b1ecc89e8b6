"""How a bring-your-own benchmark's judge is read: by a pattern, or from a JSON object's field."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from gavelkit.core.errors import OutOfRange, ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.parsing import GradePatternParser
from gavelkit.parsing.json_block import json_objects
from gavelkit.parsing.limited import compile_limited, find_limited
from gavelkit.parsing.thinking import spoken

_FIELDS = ("grade", "score", "rating", "verdict")


def parse_grade(
    response: str | None,
    grade_pattern: str,
    structured: bool = False,  # noqa: FBT001, FBT002 - the signature that its users know
) -> str | None:
    """The grade in a reply, taken as it stands: None where there is none.

    Where `structured`, the first of the fields grade, score, rating and verdict if the reply is a JSON object; else the
    pattern's first match; else that field of the first object in braces. Raises ConfigError: not a pattern with
    exactly one group.
    """
    pattern = compile_limited(grade_pattern)
    text = response or ""
    grade = _field(_decoded(text)) if structured else None
    if grade is not None:
        return grade
    try:
        found = next(find_limited(pattern, text), None)
    except ParseError:  # out of time
        return None
    if found is not None:
        return None if found[1] is None else str(found[1])
    begin = text.find("{")
    return _field(_decoded(text[begin : text.find("}", begin) + 1])) if begin >= 0 else None


def read_grade(reply: str, reader: GradePatternParser, *, structured: bool = False) -> str:
    """As `parse_grade`, but without the model's thinking, and the last match. Raises ParseError."""
    said = spoken(reply)
    whole = _decoded(said) if structured else None
    grade = _field(whole)
    if grade is not None:
        return grade
    if isinstance(whole, Mapping) and not whole.keys().isdisjoint(_FIELDS):
        message = f"the JSON object's grade is null: {said[:60]!r}"
        raise ParseError(message)
    try:
        return str(reader.parse(reply).value)
    except ParseError as error:
        grades = [] if error.kind is FailureKind.AMBIGUOUS else _grades_of_objects(said)
        if not grades:
            raise
        return grades[-1]


def score_of(grade: Any, mapping: Mapping[str, float]) -> float:
    """The number a grade becomes. Raises OutOfRange: neither in the mapping nor a finite number."""
    try:
        score = float(mapping.get(grade, grade))
    except (TypeError, ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        message = f"the grade {str(grade)[:60]!r} is neither in score_mapping nor a finite number"
        raise OutOfRange(message)
    return score


def _grades_of_objects(said: str) -> list[str]:
    """Raises nothing: what begins like an object and is none holds no grade."""
    try:
        return [grade for each in json_objects(said, _FIELDS[0]) if (grade := _field(each)) is not None]
    except ParseError:
        return []


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _field(decoded: Any) -> str | None:
    """The first field there is that holds a grade; a whole number is written without its point."""
    if not isinstance(decoded, Mapping):
        return None
    value = next((decoded[name] for name in _FIELDS if decoded.get(name) is not None), None)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return None if value is None else str(value)
