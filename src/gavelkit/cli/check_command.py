"""`gavel check CONFIG.yaml`: everything a run would do before its first judgment, and what it would cost."""

from __future__ import annotations

import argparse
import json
import sys

from gavelkit.catalog import read_prices
from gavelkit.cli.checked import Checked, Estimate, checked_json, price_lines
from gavelkit.cli.ending import say
from gavelkit.cli.flags import add_settings, read_flags
from gavelkit.cli.judging import folder_of
from gavelkit.config import Configuration, Surroundings, read_configuration
from gavelkit.core.event import Event, Noticed
from gavelkit.core.example import Example
from gavelkit.judges import AnyJudge
from gavelkit.reports import printable
from gavelkit.run import on_loop
from gavelkit.run.check import check_gates, check_rows, check_settings
from gavelkit.run.conclude import describe_scale
from gavelkit.run.estimate import count_calls
from gavelkit.run.preflight import distinct_probes, preflight


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    told = "the configuration, or an lm-eval task file; flags win over it"
    parser.add_argument("config", metavar="CONFIG.yaml", help=told)
    add_settings(parser, judging=False)
    parser.add_argument("--offline", action="store_true", help="call nothing: leave the pre-flight out")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def run(options: argparse.Namespace) -> int:
    """Read every row, render every prompt, show the first, count and price the calls, and try the endpoints."""
    surroundings = Surroundings(strict=options.strict, observe=_observe)
    configuration = read_configuration(options.config, surroundings, flags=read_flags(options))
    checked = _check(configuration)
    if not options.json:
        _show(checked)
    tried = () if options.offline else distinct_probes(configuration.judges)
    if tried:
        on_loop(preflight(configuration.judges, observe=_observe))
    if options.json:
        found = checked_json(checked, preflight="ok" if tried else "left out")
        sys.stdout.write(json.dumps(found, indent=2, ensure_ascii=True) + "\n")
    else:
        _print(_summary(checked, called=bool(tried)))
    return 0


def _check(configuration: Configuration) -> Checked:
    """All that can be found without a call. Raises UsageError or StorageError."""
    settings = configuration.run
    prices = read_prices(settings.prices)
    check_settings(configuration.judges, settings)
    planned = check_rows(configuration.source, configuration.judges, limit=settings.limit, repeat=settings.repeat)
    check_gates(settings.gates, planned)
    folder = folder_of(configuration, new_run=False)
    calls = on_loop(
        count_calls(
            configuration.source if planned.complete else None,
            configuration.judges,
            folder=folder,
            limit=settings.limit,
            repeat=settings.repeat,
        )
    )
    estimates = tuple(Estimate.made(judge, calls.get(judge.name), prices) for judge in configuration.judges)
    return Checked(planned, estimates, str(folder))


def _observe(event: Event) -> None:
    if isinstance(event, Noticed):
        say(event.message)


def _show(checked: Checked) -> None:
    for estimate in checked.estimates:
        _show_judge(estimate.judge, checked.plan.first.get(estimate.judge.name))
    for line in price_lines(checked):
        _print(line)


def _show_judge(judge: AnyJudge, example: Example | None) -> None:
    scale = describe_scale(judge.criterion)
    _print(f"judge {judge.name}: model {judge.parameters.model}, parser {judge.reader}, scale {scale or 'any number'}")
    if example is None:
        return
    systems = [repr(system) for system in judge.plan(example)[0].systems if system]
    about = f", system{'s' if len(systems) > 1 else ''} {' and '.join(systems)}" if systems else ""
    _print(f"the first prompt, about {example.place}{about}:")
    for message in judge.first_prompt(example):
        _print(f"--- {message.role}")
        _print(message.content)
    _print("---\n")


def _summary(checked: Checked, *, called: bool) -> str:
    judges = len(checked.estimates)
    several = "s" if judges > 1 else ""
    plan = checked.plan
    counts = f"{plan.rows:,} rows, {judges} judge{several}, {plan.total:,} judgments to make"
    if not plan.complete:
        counts = f"{judges} judge{several}; the rows can be read only once and are checked as they are judged"
    return f"ok: {counts}; nothing was {'judged' if called else 'called'}"


def _print(text: str) -> None:
    sys.stdout.write(printable(text, lines=True) + "\n")
