"""Parquet, by the optional package pyarrow: read in batches, each row as JSON would have it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from gavelkit.core.errors import DataError

_BATCH_ROWS = 1024


def read_parquet(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row with its number from 1. Raises DataError: no pyarrow, no Parquet, or a value that is no JSON."""
    for number, row in enumerate(_rows(path), start=1):
        try:
            yield number, {name: _plain(value) for name, value in row.items()}
        except ValueError as error:
            message = f"{path}:{number}: {error}"
            raise DataError(message) from error


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - the optional package
        from pyarrow import parquet  # noqa: PLC0415 - the optional package
    except ImportError as error:
        message = f"{path}: Parquet needs a package more: pip install 'gavelkit[parquet]'"
        raise DataError(message) from error
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        message = f"{path}: cannot be read as Parquet: {error}"
        raise DataError(message) from error


def _plain(value: Any) -> Any:
    """The value as JSON would have it. Raises ValueError."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return _text(value)
    return str(value) if isinstance(value, Decimal | timedelta) else value


def _number(value: float) -> float | None:
    """The number itself; one that is missing (NaN) is null."""
    if math.isinf(value):
        message = f"{value} is no JSON number"
        raise ValueError(message)
    return None if math.isnan(value) else value


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        message = "a column of bytes is no text; leave it out or save it as text"
        raise ValueError(message) from error
