"""`gavel report [RUN]`."""

from __future__ import annotations

import argparse
import sys

from gavelkit.reports import render_table, report_json
from gavelkit.run.conclude import conclude
from gavelkit.run.folder import find_run


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("run", nargs="?", metavar="RUN", help="the run's folder (default: the last run)")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="how it is shown (default: table)")


def run(options: argparse.Namespace) -> int:
    """Show what the run concluded, finished or not."""
    report = conclude(find_run(options.run))
    sys.stdout.write(report_json(report) if options.format == "json" else render_table(report))
    sys.stdout.write("\n")
    return 0
