"""JSON Lines: one object a line, blank lines skipped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from gavelkit.core.errors import DataError
from gavelkit.datasets.lines import read_lines

_SHOWN_BYTES = 60
_decode = msgspec.json.Decoder().decode


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row with its line. Raises DataError naming the line that is no JSON object."""
    for number, line in read_lines(path):
        if line and not line.isspace():
            yield number, _row(line, path, number)


def _row(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        row = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        row = _slow_row(line, path, number)
    if not isinstance(row, dict):
        message = f"{path}:{number}: a JSON object is needed, and there is {_start(line)}"
        raise DataError(message)
    return row


def _slow_row(line: bytes, path: Path, number: int) -> Any:
    """The standard reader, which also takes lone surrogates, and says where a line goes wrong."""
    try:
        return json.loads(line, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", None) or str(error)
        column = f" (column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        message = f"{path}:{number}: not JSON: {reason}{column}: {_start(line)}"
        raise DataError(message) from error


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        _refuse(text)
    return number


def _refuse(word: str) -> NoReturn:
    message = f"{word} is no JSON number"
    raise ValueError(message)


def _start(line: bytes) -> str:
    text = line[:_SHOWN_BYTES].decode("utf-8", "replace")
    return repr(text + "..." if len(line) > _SHOWN_BYTES else text)
