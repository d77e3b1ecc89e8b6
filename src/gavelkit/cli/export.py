"""`gavel export [RUN] -o F.{jsonl,csv}`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gavelkit.cli.ending import say
from gavelkit.core.errors import ConfigError
from gavelkit.run.export import export_run
from gavelkit.run.folder import find_run


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("run", nargs="?", metavar="RUN", help="the run's folder (default: the last run)")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the file to write: .jsonl or .csv")
    parser.add_argument(
        "--prompts", action="store_true", help="add each prompt, rendered again and checked against its call"
    )
    parser.add_argument("--raw", action="store_true", help="leave CSV cells that a spreadsheet would run as they are")


def run(options: argparse.Namespace) -> int:
    """Write one line a judgment."""
    file = Path(options.output)
    if file.suffix not in {".jsonl", ".csv"}:
        message = f"{file}: an export ends in .jsonl or .csv"
        raise ConfigError(message)
    if options.raw and file.suffix != ".csv":
        message = "--raw is for .csv"
        raise ConfigError(message)
    count = export_run(find_run(options.run), file, prompts=options.prompts, raw=options.raw)
    say(f"{count:,} judgments written to {file}")
    return 0
