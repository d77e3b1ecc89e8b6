"""`gavel run CONFIG.yaml`."""

from __future__ import annotations

import argparse

from gavelkit.cli.flags import add_settings, read_flags
from gavelkit.cli.judging import run_and_show
from gavelkit.cli.progress import Progress
from gavelkit.config import Surroundings, read_configuration


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("config", metavar="CONFIG.yaml", help="the configuration; flags win over what it says")
    add_settings(parser)


def run(options: argparse.Namespace) -> int:
    """Judge, and show the report."""
    progress = Progress(quiet=options.quiet)
    surroundings = Surroundings(observe=progress.observe)
    configuration = read_configuration(options.config, surroundings, flags=read_flags(options))
    return run_and_show(configuration, options, progress)
