"""Fields of an instance by name, or by a path with slashes: `metadata/template`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gavelkit.integrations.unitxt_error import perhaps, unitxt_error


def field_of(row: Mapping[str, Any], path: str, *, where: str) -> Any:
    """The field's value; a field whose whole name is the path is found first. Raises UnitxtError naming the nearest."""
    if path in row:
        return row[path]
    value: Any = row
    for part in path.split("/"):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            hint = perhaps(part, value) if isinstance(value, Mapping) else ""
            message = f"{where}: there is no field {path!r}.{hint}"
            raise unitxt_error(message)
    return value


def with_field(row: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The same instance with a field set."""
    first, _, rest = path.partition("/")
    if not rest:
        return {**row, first: value}
    inner = row.get(first)
    return {**row, first: with_field(inner if isinstance(inner, Mapping) else {}, rest, value)}
