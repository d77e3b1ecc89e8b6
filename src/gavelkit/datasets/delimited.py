"""CSV and TSV: a header, then one row a record. Every value is text."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gavelkit.core.errors import DataError
from gavelkit.datasets.lines import MAX_LINE_BYTES, raw_lines


def read_delimited(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each record with the line it ends on. Raises DataError for a record that does not fit its header."""
    delimiter = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    line = 0
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = csv.reader(_texts(path), delimiter=delimiter, strict=True)
    try:
        header = _header(next(reader, None), path)
        line = reader.line_num
        for record in reader:
            line = reader.line_num
            if record:
                yield line, _row(header, record, path, line)
    except csv.Error as error:
        message = f"{path}:{line + 1}: cannot be read as CSV: {error}"
        raise DataError(message) from error


def _texts(path: Path) -> Iterator[str]:
    """The lines with their ends, which may stand in quotes; an old file's carriage return alone ends a line too."""
    for number, line in raw_lines(path):
        try:
            yield from [part.decode() for part in line.splitlines(keepends=True)]
        except UnicodeDecodeError as error:
            message = f"{path}:{number}: not UTF-8: {error}; save the file as UTF-8"
            raise DataError(message) from error


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
