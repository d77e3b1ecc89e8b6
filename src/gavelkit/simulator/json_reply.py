"""A JSON object in the shape a request asks for: by its schema, or by the keys its prompt shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gavelkit.simulator.scale import Scale

_KEY = re.compile(r"\"(\w+)\"\s*:\s*(\"|<[^>\n]*>|\[|true|false|-?\d+(?:\.\d+)?)?")
_DEFAULT_KEYS = (("reasoning", '"'), ("score", "<int>"))
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply has to say: how good, on which scale, in which words, and which of some options."""

    share: float
    scale: Scale
    words: str
    pick: Callable[[Mapping[str, str]], str]


def by_schema(schema: Mapping[str, Any], verdict: Verdict) -> str:
    """A JSON text that the schema accepts, as far as it uses the common keywords."""
    return json.dumps(_value(schema, verdict, depth=0), ensure_ascii=False)


def enumerated(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The values of the last property that lists them."""
    for each in reversed(list(schema.get("properties", {}).values())):
        if each.get("enum"):
            return tuple(map(str, each["enum"]))
    return ()


def keys_shown(text: str) -> tuple[tuple[str, str], ...]:
    """The keys of a JSON object shown in a prompt, each with what stands in its value's place."""
    return tuple(dict(_KEY.findall(text)).items())


def by_keys(text: str, verdict: Verdict) -> str:
    """A JSON object with the keys that the prompt shows, in their order."""
    shown = keys_shown(text) or _DEFAULT_KEYS
    return json.dumps({key: _placeholder(place, verdict) for key, place in shown}, ensure_ascii=False)


def _placeholder(place: str, verdict: Verdict) -> Any:
    if place in {"true", "false"} or "bool" in place:
        return verdict.share >= 0.5  # noqa: PLR2004 - half
    if place == "[":
        return []
    if place == '"' or "str" in place or "sentence" in place:
        return verdict.words
    return verdict.scale.place(verdict.share, whole="." not in place and "float" not in place)


def _value(schema: Mapping[str, Any], verdict: Verdict, *, depth: int) -> Any:
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return verdict.pick({str(each): str(each) for each in schema["enum"]})
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "null")
    if kind == "object" and depth < _DEEPEST:
        properties: Mapping[str, Any] = schema.get("properties", {})
        return {name: _value(each, verdict, depth=depth + 1) for name, each in properties.items()}
    if kind == "array" and depth < _DEEPEST:
        return [_value(schema.get("items", {}), verdict, depth=depth + 1)]
    return _scalar(kind, schema, verdict)


def _scalar(kind: object, schema: Mapping[str, Any], verdict: Verdict) -> Any:
    if kind == "boolean":
        return verdict.share >= 0.5  # noqa: PLR2004 - half
    if kind in {"integer", "number"}:
        scale = Scale(schema.get("minimum", verdict.scale.low), schema.get("maximum", verdict.scale.high))
        return scale.place(verdict.share, whole=kind == "integer")
    return None if kind == "null" else verdict.words
