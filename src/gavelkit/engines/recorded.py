"""Replies from a file: what a judge said before, or what somebody else's batch brought back. Never a network call."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, DataError
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request

_FIELDS = {"key", "example_id", "judge", "system", "step", "repeat", "reply", "finish_reason", "usage"}
_System = str | tuple[str, ...]
_Place = tuple[str, str, _System | None, str | None, int | None]
_CONTEST = 2
_ONLY_STEPS = {"", "judge"}
"""Steps that a message needs not name."""


class RecordedEngine:
    """Reads a JSONL file of `{key | example_id + judge [+ system] [+ step] [+ repeat], reply, ...}`.

    A field left out of a line fits any value. `system` is a name, or a list of the two of a contest. Raises DataError
    for a line that is none, or that repeats another.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._by_key: dict[str, Completion] = {}
        self._by_place: dict[_Place, Completion] = {}
        for number, line in enumerate(_lines(self._path), start=1):
            if line.strip():
                self._add(line, f"{self._path}:{number}")

    async def complete(self, request: Request) -> Completion:
        """The recorded reply. Raises CallError of kind `not_recorded`."""
        asked = replace(request, apart="") if request.apart else request  # the key of the same question asked live
        found = self._by_key.get(asked.key.hex()) if self._by_key else None
        if found is not None:
            return found
        labels = request.labels
        system = labels.systems[0] if len(labels.systems) == 1 else labels.systems
        for place in product((system, None), (labels.step, None), (request.repeat, None)):
            found = self._by_place.get((labels.example_id, labels.judge, *place))
            if found is not None:
                return found
        message = f"{self._path} holds no reply of judge {labels.judge!r} on example {labels.example_id!r}"
        message += f" of {_named(system)}" if system else ""
        message += f" to step {labels.step!r}" if labels.step not in _ONLY_STEPS else ""
        raise CallError(FailureKind.NOT_RECORDED, message)

    def _add(self, line: bytes, place: str) -> None:
        row = _row(line, place)
        completion = Completion(
            text=row["reply"],
            finish_reason=str(row.get("finish_reason") or "stop"),
            usage=_usage(row.get("usage"), place),
        )
        if "key" in row:
            repeated = self._by_key.setdefault(str(row["key"]), completion) is not completion
        else:
            repeated = self._by_place.setdefault(_place(row), completion) is not completion
        if repeated:
            message = f"{place}: a line before has the reply to the same request"
            raise DataError(message)


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            yield from stream
    except (OSError, EOFError, zlib.error) as error:
        message = f"{path}: the recorded replies cannot be read: {getattr(error, 'strerror', None) or error}"
        raise DataError(message) from error


def _row(line: bytes, place: str) -> dict[str, Any]:
    try:
        row = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"{place}: not JSON: {error}"
        raise DataError(message) from error
    named = isinstance(row, dict) and ("key" in row or {"example_id", "judge"} <= row.keys())
    if not named or not isinstance(row.get("reply"), str) or row.keys() - _FIELDS:
        message = (
            f"{place}: a recorded reply has key, or example_id and judge, a text in reply, and else only {_others()}"
        )
        raise DataError(message)
    if not (_is_system(row.get("system")) and isinstance(row.get("step"), str | None)):
        message = f"{place}: system is a name, or the list of a contest's two names, and step is a text"
        raise DataError(message)
    if isinstance(row.get("repeat"), bool) or not isinstance(row.get("repeat"), int | None):
        message = f"{place}: repeat is a whole number"
        raise DataError(message)
    return dict(row)


def _others() -> str:
    return ", ".join(sorted(_FIELDS - {"key", "example_id", "judge", "reply"}))


def _is_system(value: object) -> bool:
    contest = isinstance(value, list) and len(value) == _CONTEST and all(isinstance(name, str) for name in value)
    return contest or isinstance(value, str | None)


def _named(system: _System) -> str:
    return f"system {system!r}" if isinstance(system, str) else f"the contest of {' and '.join(map(repr, system))}"


def _place(row: Mapping[str, Any]) -> _Place:
    system = row.get("system")
    fits = tuple(system) if isinstance(system, list) else system
    return (str(row["example_id"]), str(row["judge"]), fits, row.get("step"), row.get("repeat"))


def _usage(usage: Any, place: str) -> Usage:
    try:
        return msgspec.convert(usage or {}, Usage)
    except msgspec.ValidationError as error:
        message = f"{place}: usage: {error}"
        raise DataError(message) from error
