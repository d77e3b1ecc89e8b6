"""`gavel score DATA --judge PRESET`: one judge over one file."""

from __future__ import annotations

import argparse

from gavelkit.cli.flags import add_settings, read_flags
from gavelkit.cli.judging import run_and_show
from gavelkit.cli.outcome import add_junit
from gavelkit.cli.progress import Progress
from gavelkit.cli.stepwise import add_stepwise, read_stepwise
from gavelkit.config import Surroundings
from gavelkit.config import configure as configuration_of
from gavelkit.core.errors import ConfigError


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument(
        "data", metavar="DATA", help="the file of model outputs: .jsonl, .jsonl.gz, .csv, .tsv or .parquet"
    )
    parser.add_argument("--judge", metavar="PRESET", help="a shipped judge; `gavel list judges` names them")
    add_stepwise(parser, pairwise=False)
    add_settings(parser, skip=("data",))
    add_junit(parser)


def run(options: argparse.Namespace) -> int:
    """Judge, and show the report."""
    progress = Progress(quiet=options.quiet)
    judge = read_stepwise(options)
    if options.judge is not None:
        judge["preset"] = options.judge
    elif "criterion" not in judge:
        message = "gavel score: which judge? --judge PRESET (`gavel list judges`) or --criterion NAME"
        raise ConfigError(message)
    given = {"judges": [judge]}
    surroundings = Surroundings(observe=progress.observe, strict=options.strict)
    configuration = configuration_of(given, surroundings, where="gavel score", flags=read_flags(options))
    return run_and_show(configuration, options, progress)
