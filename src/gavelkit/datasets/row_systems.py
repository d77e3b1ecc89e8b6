"""The responses of several systems that stand in one value of a row. Knows neither columns' aliases nor paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gavelkit.core.errors import DataError

PLURALS = ("responses", "outputs", "predictions")
_LISTED = "outputs"


def plural_column(row: Mapping[str, Any]) -> str | None:
    """The first column that holds several systems without a doubt: texts by name, or `outputs` as a list."""
    for column in PLURALS:
        value = row.get(column)
        if isinstance(value, Mapping) and value and all(isinstance(each, str | None) for each in value.values()):
            return column
        if column == _LISTED and isinstance(value, list) and value:
            return column
    return None


def read_systems(value: Any, name: str, *, place: str, bare: bool) -> dict[str, Any]:
    """The responses by system: of a mapping by its keys, of items with `id` (or `model`) and `output` by those.

    Where a list may hold `bare` responses, their systems are called 1, 2, and so on. `name` is what the value is called
    in messages. Raises DataError for what is none of these, and for a system without a name or named twice.
    """
    if isinstance(value, Mapping) and value:
        return _by_name(value.items(), name, place)
    if isinstance(value, list) and value:
        if bare and not any(isinstance(each, Mapping) for each in value):
            return {str(number): text_of(each) for number, each in enumerate(value, start=1)}
        return _by_name([_item(each, name, place) for each in value], name, place)
    found = f"an empty {type(value).__name__}" if isinstance(value, Mapping | list) else repr(value)
    message = f"{place}: {name} must be a mapping of systems to their responses, or a list of them, not {found}"
    raise DataError(message)


def text_of(value: Any) -> Any:
    """A model that said nothing is judged as an empty response, not as the word None."""
    return "" if value is None else value


def _by_name(pairs: Iterable[tuple[Any, Any]], name: str, place: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        system = str(key)
        if not system:
            message = f"{place}: {name} holds a response of a system without a name"
            raise DataError(message)
        if system in found:
            message = f"{place}: {name} names the system {system!r} twice"
            raise DataError(message)
        found[system] = text_of(value)
    return found


def _item(item: Any, name: str, place: str) -> tuple[Any, Any]:
    system = item.get("id", item.get("model")) if isinstance(item, Mapping) else None
    if system is None or "output" not in item:
        message = f"{place}: each item of {name} needs id (or model) and output"
        raise DataError(message)
    return system, item["output"]
