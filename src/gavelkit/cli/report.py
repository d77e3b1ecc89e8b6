"""`gavel report [RUN]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gavelkit.cli.ending import say
from gavelkit.cli.outcome import add_junit, check_junit, on_github, tell_programs
from gavelkit.reports import render_markdown, render_table, replace_file, report_json
from gavelkit.run.conclude import conclude
from gavelkit.run.folder import find_run
from gavelkit.run.report_page import html_report

FORMATS = ("table", "md", "json", "html")
_BY_ENDING = {".md": "md", ".json": "json", ".html": "html", ".htm": "html"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("run", nargs="?", metavar="RUN", help="the run's folder (default: the last run)")
    parser.add_argument(
        "--format", choices=FORMATS, help="how it is shown (default: as the file of -o ends, else table)"
    )
    add_junit(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to write (default: shown on stdout)")


def run(options: argparse.Namespace) -> int:
    """Show what the run concluded, finished or not."""
    file = Path(options.output) if options.output else None
    made = options.format or _BY_ENDING.get(file.suffix.lower() if file else "", "table")
    check_junit(options)
    folder = find_run(options.run)
    text = _text(folder, made)
    if options.junit or on_github():
        tell_programs(conclude(folder), options)
    if file is None:
        sys.stdout.write(text if made in {"md", "html"} else f"{text}\n")
        return 0
    with replace_file(file) as stream:
        stream.write(text.encode())
    say(f"the report was written to {file}")
    return 0


def _text(folder: Path, made: str) -> str:
    if made == "html":
        return html_report(folder)
    report = conclude(folder)
    return {"table": render_table, "md": render_markdown, "json": report_json}[made](report)
