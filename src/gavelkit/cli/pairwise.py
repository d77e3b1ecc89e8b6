"""`gavel pairwise DATA...`: contests between two or more systems."""

from __future__ import annotations

import argparse
from typing import Any

from gavelkit.cli.flags import add_settings, read_flags
from gavelkit.cli.judging import run_and_show
from gavelkit.cli.outcome import add_junit
from gavelkit.cli.progress import Progress
from gavelkit.cli.stepwise import add_stepwise, read_stepwise
from gavelkit.config import Surroundings
from gavelkit.config import configure as configuration_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    told = "one file whose rows hold several systems, or several files joined by id: FILE, or NAME=FILE"
    parser.add_argument("data", nargs="+", metavar="DATA", help=told)
    parser.add_argument(
        "--judge", default="pairwise", metavar="PRESET", help="a shipped pairwise judge (default: pairwise)"
    )
    add_stepwise(parser, pairwise=True)
    add_settings(parser, skip=("data",))
    add_junit(parser)


def run(options: argparse.Namespace) -> int:
    """Judge, and show the report."""
    progress = Progress(quiet=options.quiet)
    judge: dict[str, Any] = {"mode": "pairwise", "preset": options.judge, **read_stepwise(options)}
    surroundings = Surroundings(observe=progress.observe, strict=options.strict)
    configuration = configuration_of(
        {"judges": [judge]}, surroundings, where="gavel pairwise", flags=read_flags(options)
    )
    return run_and_show(configuration, options, progress)
