"""What `run`, `score` and `demo` share: judge a configuration with progress and signals, then show the report."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from gavelkit import __version__
from gavelkit.cli.announce import tell_calls
from gavelkit.cli.confirm import confirm
from gavelkit.cli.ending import say
from gavelkit.cli.outcome import check_junit, leave_files, tell_programs
from gavelkit.cli.progress import Progress
from gavelkit.cli.signals import stopping
from gavelkit.config import Configuration
from gavelkit.core.errors import EndpointError, Interrupted, RunFailed
from gavelkit.core.event import Observe
from gavelkit.core.report import Report
from gavelkit.reports import render_table, report_json
from gavelkit.run import RunSettings, Stop, default_folder, evaluate_async, next_free, on_loop, pointing


def judge_configuration(
    configuration: Configuration,
    progress: Progress,
    *,
    folder: Path,
    settings: RunSettings,
    observe: Observe | None = None,
    stop: Stop | None = None,
) -> Report:
    """Judge what is missing in the folder; `observe` stands in for the progress's own. Raises as `evaluate_async`."""
    facts = {"settings": configuration.settings, "version": __version__}
    stop = stop or Stop()
    with stopping(stop):
        try:
            return on_loop(
                evaluate_async(
                    configuration.source,
                    configuration.judges,
                    folder=folder,
                    settings=settings,
                    facts=facts,
                    observe=observe or progress.observe,
                    stop=stop,
                )
            )
        finally:
            progress.close()


def run_and_show(configuration: Configuration, options: argparse.Namespace, progress: Progress) -> int:
    """Judge, show the report on stdout whatever the end, leave its files, and return the exit code."""
    check_junit(options)
    folder = folder_of(configuration, new_run=options.new_run)
    settings = replace(configuration.run, retry_errors=options.retry_errors)
    for judge in configuration.judges:
        if settings.repeat > 1 and judge.parameters.values.get("temperature") == 0:
            say(f"judge {judge.name!r} repeats at temperature 0, where replies hardly differ; set a temperature")
    if not options.quiet:
        say(f"judging {configuration.source.path} into {folder}")
        tell_calls(_endpoints(configuration))
    confirm(configuration, options, folder)
    try:
        observe = pointing(progress.observe, folder)
        report = judge_configuration(configuration, progress, folder=folder, settings=settings, observe=observe)
    except (RunFailed, EndpointError, Interrupted) as error:
        if error.report is not None:
            _hand_over(error.report, configuration, options)
        raise
    _hand_over(report, configuration, options)
    return 0


def _endpoints(configuration: Configuration) -> dict[str, int]:
    """Where the judges' calls go, and how many at once their ceilings allow there."""
    most: dict[str, int] = {}
    for judge in configuration.judges:
        for probe in judge.probes:
            most[probe.api_base] = most.get(probe.api_base, 0) + judge.limits.concurrency
    return most


def _hand_over(report: Report, configuration: Configuration, options: argparse.Namespace) -> None:
    """Files first, since whoever reads stdout may stop reading; but a full disk hides no result."""
    try:
        leave_files(report, configuration)
        tell_programs(report, options)
    finally:
        show(report, as_json=options.json)


def folder_of(configuration: Configuration, *, new_run: bool) -> Path:
    """Where the run lies: as asked, else by what it asks."""
    folder = configuration.output or default_folder(
        configuration.name, configuration.judges, configuration.source.mapping.spec, configuration.source.path
    )
    return next_free(folder) if new_run else folder


def show(report: Report, *, as_json: bool) -> None:
    """The report on stdout."""
    sys.stdout.write(report_json(report) if as_json else render_table(report))
    sys.stdout.write("\n")
