"""The form of the answer: a form of the wire's own as it is, or an example turned into a strict JSON schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gavelkit.catalog import shipped_file
from gavelkit.core.errors import ConfigError
from gavelkit.prompts import Template
from gavelkit.prompts.prompt import FORMAT

_FORMS = frozenset({"text", "json_object", "json_schema"})
_SCHEMA_NAME = "llm_judge_response"
_INDENT = 2


@dataclass(frozen=True, slots=True)
class ResponseFormat:
    """A judge's `response_format`: what is sent, as JSON text, and what a prompt shows of it.

    `example` is the example it was made from, None where it is a form of the wire's own. Keys keep their order.
    """

    sent: str
    shown: str
    example: Mapping[str, Any] | None = None
    is_json: bool = True


def read_response_format(settings: Mapping[str, Any], where: str) -> ResponseFormat | None:
    """The setting, read; None where it is left out. Raises ConfigError where no schema can be made of it."""
    given = settings.get("response_format")
    if given is None:
        return None
    if "response_format" in settings.get("extra_body", {}):
        message = f"{where}: response_format stands in extra_body too; keep one"
        raise ConfigError(message)
    shown = json.dumps(given, indent=_INDENT, ensure_ascii=False)
    if isinstance(given.get("type"), str) and given["type"] in _FORMS:
        return ResponseFormat(json.dumps(given), shown, is_json=given["type"] != "text")
    schema = _schema(given, f"{where}: response_format")
    form = {"type": "json_schema", "json_schema": {"name": _SCHEMA_NAME, "strict": True, "schema": schema}}
    return ResponseFormat(json.dumps(form), shown, given)


def templates(settings: Mapping[str, Any], form: ResponseFormat | None, where: str) -> tuple[Template, Template | None]:
    """The user's and the system's template. Where neither shows an example's form, the user's gets an instruction."""
    words = settings.get("system_prompt")
    system = None if words is None else Template(words, name=f"{where}: system_prompt")
    user = Template(settings["prompt_template"], name=f"{where}: prompt_template")
    shows = FORMAT in user.names or (system is not None and FORMAT in system.names)
    if form is None or form.example is None or shows:
        return user, system
    instruction = shipped_file("answer_as_json.jinja").read_text(encoding="utf-8").strip()
    return Template(f"{user.text.rstrip()}\n\n{instruction}", name=user.name), system


def _schema(example: Any, where: str) -> dict[str, Any]:
    """The schema of values like the example's."""
    if isinstance(example, Mapping):
        return _object(example, where)
    if isinstance(example, list | tuple):
        if not example:
            message = f"{where} is an empty list: give one item as the example of all"
            raise ConfigError(message)
        return {"type": "array", "items": _schema(example[0], f"{where}[0]")}
    return {"type": _scalar(example)}


def _object(example: Mapping[str, Any], where: str) -> dict[str, Any]:
    if not example:
        message = f'{where} is empty: give an example of the answer, such as {{reasoning: "...", score: 8}}'
        raise ConfigError(message)
    odd = [name for name in example if not isinstance(name, str)]
    if odd:
        message = f"{where}: a field's name must be a text, not {odd[0]!r}; put it in quotes"
        raise ConfigError(message)
    return {
        "type": "object",
        "properties": {name: _schema(value, f"{where}.{name}") for name, value in example.items()},
        "required": list(example),
        "additionalProperties": False,
    }


def _scalar(example: object) -> str:
    if isinstance(example, bool):
        return "boolean"
    if isinstance(example, int | float):
        return "number"
    return "null" if example is None else "string"
