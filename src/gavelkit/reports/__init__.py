"""Records in, text and files out: one file a format, each streamed. Knows nothing of how the records came about."""

from __future__ import annotations

from gavelkit.reports.as_json import report_json
from gavelkit.reports.export_csv import export_csv
from gavelkit.reports.export_jsonl import export_jsonl
from gavelkit.reports.files import replace_file
from gavelkit.reports.github import github_annotations
from gavelkit.reports.html_page import render_html
from gavelkit.reports.junit import junit_xml
from gavelkit.reports.markdown import render_markdown
from gavelkit.reports.page_lines import page_line
from gavelkit.reports.rows import COLUMNS, RenderPrompt
from gavelkit.reports.table import render_table
from gavelkit.reports.terminal import printable

__all__ = [
    "COLUMNS",
    "RenderPrompt",
    "export_csv",
    "export_jsonl",
    "github_annotations",
    "junit_xml",
    "page_line",
    "printable",
    "render_html",
    "render_markdown",
    "render_table",
    "replace_file",
    "report_json",
]
