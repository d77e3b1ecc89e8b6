"""The question before a run that may cost much: asked on a terminal alone, and only where the cost is known."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gavelkit.catalog import read_prices
from gavelkit.cli.checked import Estimate, told_usd
from gavelkit.cli.ending import say
from gavelkit.config import Configuration
from gavelkit.core.errors import UsageError
from gavelkit.run import on_loop
from gavelkit.run.estimate import count_calls

_YES = frozenset({"y", "yes"})


def confirm(configuration: Configuration, options: argparse.Namespace, folder: Path) -> None:
    """Raises UsageError where the answer is no: nothing was called by then."""
    if options.yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    cost = _most(configuration, folder)
    if cost is None or cost <= configuration.run.confirm_above:
        return
    say(f"this may cost up to {told_usd(cost)} at list prices; go on? [y/N]")
    if sys.stdin.readline().strip().lower() not in _YES:
        message = "not confirmed, so nothing was called; --yes answers beforehand, --max-cost USD sets a cap"
        raise UsageError(message)


def _most(configuration: Configuration, folder: Path) -> float | None:
    """The most that the calls still to make can cost; None where a price or the rows are not known beforehand."""
    run, source = configuration.run, configuration.source
    prices = read_prices(run.prices)
    unpriced = [Estimate.made(judge, None, prices).price is None for judge in configuration.judges if judge.probes]
    if not unpriced or any(unpriced) or not source.rereadable:
        return None
    calls = on_loop(count_calls(source, configuration.judges, folder=folder, limit=run.limit, repeat=run.repeat))
    estimates = [Estimate.made(judge, calls.get(judge.name), prices) for judge in configuration.judges]
    costs = [estimate.cost for estimate in estimates]
    return None if None in costs else sum(cost for cost in costs if cost is not None)
