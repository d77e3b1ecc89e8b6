"""What makes one of context-bench's systems or evaluators itself, as far as its name, class and settings tell."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import Any

from gavelkit.reports.wellformed import plain_json

_SECRET = re.compile(r"key|token|secret|password|credential|authorization", re.IGNORECASE)


def identity_of(thing: Any) -> dict[str, object]:
    """Its name, its class and, of a dataclass, its public settings; never a text that is named like a secret.

    What a class keeps otherwise is not known: whoever changes it gives it another name.
    """
    kind = type(thing)
    told: dict[str, object] = {"name": thing.name, "class": f"{kind.__module__}.{kind.__qualname__}"}
    if settings := _settings(thing):
        told["settings"] = settings
    return told


def name_of(function: Any) -> str:
    """A function as an identity has it: where it is defined. Its address in memory would differ every time."""
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", type(function).__qualname__)
    return ".".join(filter(None, (module, name)))


def _settings(thing: Any) -> dict[str, object]:
    if not is_dataclass(thing):
        return {}
    public = {each.name: getattr(thing, each.name) for each in fields(thing) if not each.name.startswith("_")}
    return {name: _told(value) for name, value in public.items() if not _is_secret(name, value)}


def _is_secret(name: str, value: Any) -> bool:
    """A number is none, whatever its name, nor is a function: `max_tokens` and `tokenize` shape what is asked."""
    return _SECRET.search(name) is not None and not (isinstance(value, int | float) or callable(value))


def _told(value: Any) -> object:
    return name_of(value) if callable(value) else plain_json(value) if _is_plain(value) else type(value).__qualname__


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)
