"""Judgments as CSV (RFC 4180), one record each, as they stream by."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import BinaryIO

from gavelkit.core.protocols import Entry
from gavelkit.reports.rows import RenderPrompt, Value, columns, row
from gavelkit.reports.wellformed import plain_json

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_csv(
    entries: Iterable[Entry], file: BinaryIO, *, prompt: RenderPrompt | None = None, raw: bool = False
) -> int:
    """Write a header and the columns of `rows.COLUMNS` as UTF-8, and return how many judgments.

    A text that a spreadsheet would run as a formula gets an apostrophe before it, unless `raw`; numbers never do.
    None is an empty cell, a boolean true or false, an object its JSON text.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        writer = csv.writer(text)
        writer.writerow(columns(prompt))
        written = 0
        for entry in entries:
            writer.writerow([_cell(value, raw=raw) for value in row(entry, prompt).values()])
            written += 1
        text.flush()
    finally:
        text.detach()  # the file is the caller's to close
    return written


def _cell(value: Value, *, raw: bool) -> str | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return json.dumps(plain_json(value, as_written=True), ensure_ascii=False, allow_nan=False)
    if isinstance(value, str) and not raw and value.startswith(_FORMULA):
        return f"'{value}"
    return value
