"""`gavel run CONFIG.yaml`."""

from __future__ import annotations

import argparse

from gavelkit.cli.flags import add_settings, read_flags
from gavelkit.cli.judging import run_and_show
from gavelkit.cli.outcome import add_junit
from gavelkit.cli.progress import Progress
from gavelkit.config import Surroundings, read_configuration


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    told = "the configuration, or an lm-eval task file; flags win over it"
    parser.add_argument("config", metavar="CONFIG.yaml", help=told)
    add_settings(parser)
    add_junit(parser)


def run(options: argparse.Namespace) -> int:
    """Judge, and show the report."""
    progress = Progress(quiet=options.quiet)
    surroundings = Surroundings(observe=progress.observe, strict=options.strict)
    configuration = read_configuration(options.config, surroundings, flags=read_flags(options))
    return run_and_show(configuration, options, progress)
