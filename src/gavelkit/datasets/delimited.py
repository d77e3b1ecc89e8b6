"""CSV and TSV: a header, then one row a record. Every value is text."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from gavelkit.core.errors import DataError
from gavelkit.datasets.lines import MAX_LINE_BYTES, open_binary


def read_delimited(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each record with the line it ends on. Raises DataError for a record that does not fit its header."""
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    line = 0
    try:
        with open_binary(path) as stream:
            reader = csv.reader(_text(stream), delimiter=delimiter, strict=True)
            csv.field_size_limit(MAX_LINE_BYTES)
            header = _header(next(reader, None), path)
            for record in reader:
                line = reader.line_num
                if record:
                    yield line, _row(header, record, path, line)
    except FileNotFoundError as error:
        message = f"{path}: there is no such file"
        raise DataError(message) from error
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        message = f"{path}:{line + 1}: cannot be read as CSV: {error}"
        raise DataError(message) from error


def _text(stream: IO[bytes] | gzip.GzipFile) -> io.TextIOWrapper:
    return io.TextIOWrapper(cast("IO[bytes]", stream), encoding="utf-8-sig", newline="")


def _header(names: list[str] | None, path: Path) -> list[str]:
    if not names:
        message = f"{path}:1: the file is empty, and a header with the columns' names is needed"
        raise DataError(message)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f"{path}:1: the column {twice[0]!r} stands twice in the header"
        raise DataError(message)
    return names


def _row(header: list[str], record: list[str], path: Path, line: int) -> dict[str, Any]:
    if len(record) != len(header):
        message = f"{path}:{line}: {len(record)} fields, and the header has {len(header)}"
        raise DataError(message)
    return dict(zip(header, record, strict=True))
