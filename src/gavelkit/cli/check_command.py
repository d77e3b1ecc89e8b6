"""`gavel check CONFIG.yaml`."""

from __future__ import annotations

import argparse
import sys

from gavelkit.cli.flags import add_settings, read_flags
from gavelkit.config import Configuration, Surroundings, read_configuration
from gavelkit.core.example import Example
from gavelkit.judges import Direct
from gavelkit.reports import printable
from gavelkit.run.check import check_rows
from gavelkit.run.conclude import describe_scale


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("config", metavar="CONFIG.yaml", help="the configuration; flags win over what it says")
    add_settings(parser)


def run(options: argparse.Namespace) -> int:
    """Read every row, render every prompt, show the first, and count what a run would judge."""
    configuration = read_configuration(options.config, Surroundings(), flags=read_flags(options))
    settings = configuration.run
    planned = check_rows(configuration.source, configuration.judges, limit=settings.limit, repeat=settings.repeat)
    first = next(configuration.source.examples(limit=1))
    for judge in configuration.judges:
        _show(judge, first)
    _print(_summary(configuration, planned.rows, planned.total))
    return 0


def _show(judge: Direct, example: Example) -> None:
    system = next(iter(example.responses))
    scale = describe_scale(judge.criterion)
    _print(
        f"judge {judge.name}: model {judge.parameters.model}, parser {judge.parser.name}, scale {scale or 'any number'}"
    )
    _print(f"the first prompt, about {example.place}{f', system {system!r}' if system else ''}:")
    for message in judge.prompt.messages(example, system):
        _print(f"--- {message.role}")
        _print(message.content)
    _print("---\n")


def _summary(configuration: Configuration, rows: int, judgments: int) -> str:
    judges = len(configuration.judges)
    several = "s" if judges > 1 else ""
    return f"ok: {rows:,} rows, {judges} judge{several}, {judgments:,} judgments to make; nothing was called"


def _print(text: str) -> None:
    sys.stdout.write(printable(text, lines=True) + "\n")
