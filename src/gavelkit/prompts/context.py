"""What is shown beside a response: fields of its row, by the names a reader of the prompt sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import Example, Uses
from gavelkit.core.path import Path
from gavelkit.prompts.sandbox import shown

_BARE = "context"


class Context:
    """Reads the fields of an example, each named by what is shown and found by its path.

    A path may also be written with slashes. Raises ConfigError where one is no path.
    """

    __slots__ = ("_paths", "fields")

    def __init__(self, fields: Mapping[str, str]) -> None:
        self.fields = dict(fields)
        self._paths = {name: _path(text) for name, text in fields.items()}

    @property
    def uses(self) -> Uses:
        """Which parts of an example are read."""
        found = Uses()
        for path in self._paths.values():
            first = path.parts[0]
            names = frozenset({path.text, str(first)})
            inner = path.parts[1] if len(path.parts) > 1 else None
            doc = None if first == "doc" and not isinstance(inner, str) else frozenset({str(inner)})
            found = found | (Uses(names, doc) if first == "doc" else Uses(names))
        return found

    def text(self, example: Example) -> str:
        """The fields as one text: bare where the only one is called context, else a named line for each.

        Raises DataError where the row lacks one.
        """
        row = {**example.fields, "doc": example.doc}
        found = {name: _value(path, row, example) for name, path in self._paths.items()}
        if len(found) == 1 and next(iter(found)).lower() == _BARE:
            return next(iter(found.values()))
        return "\n".join(f"{name}: {value}" for name, value in found.items())


def _path(text: str) -> Path:
    try:
        return Path.parse(text.replace("/", "."))
    except ValueError as error:
        message = f"context_fields: {error}"
        raise ConfigError(message) from error


def _value(path: Path, row: Mapping[str, Any], example: Example) -> str:
    try:
        return str(shown(path.get(row)))
    except LookupError as error:
        message = f"{example.place}: the criterion's context: {error.args[0]}"
        raise DataError(message) from None
