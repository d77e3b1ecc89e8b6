"""The lines of a text file, plain or gzipped, with their numbers."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gavelkit.core.errors import DataError

MAX_LINE_BYTES = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1, without its end. Raises DataError as `raw_lines` does."""
    for number, line in raw_lines(path):
        yield number, line.rstrip(b"\r\n")


def raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1 and its end, without a byte order mark.

    Raises DataError where the file cannot be read, is UTF-16, or has a line beyond 64 MiB (as a gzip bomb would).
    """
    number = 0
    try:
        with _open(path) as stream:
            while line := stream.readline(MAX_LINE_BYTES + 1):
                number += 1
                if number == 1:
                    line = _without_mark(line, path)
                if len(line) > MAX_LINE_BYTES:
                    message = f"{path}:{number}: the line is longer than {MAX_LINE_BYTES:,} bytes"
                    raise DataError(message)
                yield number, line
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(_reason(path, number, error)) from error


def _open(path: Path) -> IO[bytes] | gzip.GzipFile:
    """The file's bytes, decompressed where its name ends in `.gz`."""
    if path.suffix == ".gz":
        return gzip.open(path, "rb")
    return path.open("rb")


def _without_mark(line: bytes, path: Path) -> bytes:
    if line.startswith(_UTF16) or b"\0" in line[:2]:
        message = f"{path}:1: the file is UTF-16; save it as UTF-8"
        raise DataError(message)
    return line.removeprefix(_BOM)


def _reason(path: Path, number: int, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{path}: there is no such file"
    if isinstance(error, IsADirectoryError):
        return f"{path}: this is a folder, and a data file is needed"
    return f"{path}:{number + 1}: cannot be read: {error}"
