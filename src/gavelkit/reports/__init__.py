"""Records in, text and files out: one file a format, each streamed. Knows nothing of how the records came about."""

from __future__ import annotations

from gavelkit.reports.as_json import report_json
from gavelkit.reports.export_csv import export_csv
from gavelkit.reports.export_jsonl import export_jsonl
from gavelkit.reports.files import replace_file
from gavelkit.reports.rows import COLUMNS, RenderPrompt
from gavelkit.reports.table import render_table
from gavelkit.reports.terminal import printable

__all__ = [
    "COLUMNS",
    "RenderPrompt",
    "export_csv",
    "export_jsonl",
    "printable",
    "render_table",
    "replace_file",
    "report_json",
]
