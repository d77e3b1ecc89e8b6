"""Paths to nested fields: `doc.question`, `resps[0]`, `choices[0].message.content`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

_PART = re.compile(r"(?:^|(?!^)\.)([^.\[\]]+)|\[(-?\d+)\]")


@dataclass(frozen=True, slots=True)
class Path:
    """A way to one field of a nested row. A column whose whole name is the path's text is found first."""

    text: str
    parts: tuple[str | int, ...]

    @classmethod
    def parse(cls, text: str) -> Path:
        """Read a path. Raises ValueError where it is not one."""
        parts: list[str | int] = []
        end = 0
        for match in _PART.finditer(text):
            if match.start() != end:
                break
            name, index = match.groups()
            parts.append(name if name is not None else int(index))
            end = match.end()
        if not parts or end != len(text):
            message = f"{text!r} is not a path such as doc.question or resps[0]"
            raise ValueError(message)
        return cls(text, tuple(parts))

    def get(self, row: Mapping[str, Any]) -> Any:
        """The field's value. Raises LookupError saying what is missing and what is near."""
        if self.text in row:
            return row[self.text]
        value: Any = row
        for at, part in enumerate(self.parts):
            try:
                value = _step(value, part)
            except LookupError as error:
                message = f"no field {self.text!r}: {error}{self._hint(value, at)}"
                raise LookupError(message) from None
        return value

    def _hint(self, value: Any, at: int) -> str:
        part = self.parts[at]
        if not isinstance(value, Mapping) or not isinstance(part, str):
            return ""
        before = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in self.parts[:at])
        return did_you_mean(part, value, prefix=before.removeprefix("."))


def did_you_mean(name: str, known: Iterable[str], *, prefix: str = "") -> str:
    """`; did you mean ...?` with the nearest known name, or the names there are, or nothing."""
    names = [str(each) for each in known]
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {f'{prefix}.{near[0]}' if prefix else near[0]}?"
    return f"; there are {', '.join(sorted(names)[:12])}" if names else ""


def _step(value: Any, part: str | int) -> Any:
    if isinstance(part, int):
        if isinstance(value, list):
            if -len(value) <= part < len(value):
                return value[part]
            message = f"[{part}] is beyond the {len(value)} items there"
            raise LookupError(message)
        message = f"[{part}] needs a list, and there is {_kind(value)}"
        raise LookupError(message)
    if isinstance(value, Mapping):
        if part in value:
            return value[part]
        message = f"{part!r} is not there"
        raise LookupError(message)
    message = f"{part!r} needs a mapping, and there is {_kind(value)}"
    raise LookupError(message)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return "a list" if isinstance(value, list) else f"a {type(value).__name__}"
