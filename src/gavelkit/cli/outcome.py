"""What a run leaves for programs: the files in its folder, JUnit XML, and annotations where GitHub runs it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gavelkit.cli.ending import say
from gavelkit.config import Configuration
from gavelkit.core.errors import ConfigError
from gavelkit.core.report import Report
from gavelkit.engines import SystemClock
from gavelkit.reports import github_annotations, junit_xml, replace_file
from gavelkit.run.files import write_files


def add_junit(parser: argparse.ArgumentParser) -> None:
    """The flag for JUnit XML."""
    parser.add_argument("--junit", metavar="FILE", help="write error rates and gates as JUnit XML")


def check_junit(options: argparse.Namespace) -> None:
    """Raises ConfigError where the file's folder is missing, before anything is paid for."""
    if options.junit and not Path(options.junit).parent.is_dir():
        message = f"--junit: the folder of {options.junit} does not exist"
        raise ConfigError(message)


def on_github() -> bool:
    """Whether this runs as a job there."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def leave_files(report: Report, configuration: Configuration) -> None:
    """The files in the run's folder, once the run is finished. Raises StorageError."""
    if report.judges and report.finished:
        write_files(report, configuration.judges, task=configuration.source.name, clock=SystemClock())


def tell_programs(report: Report, options: argparse.Namespace) -> None:
    """JUnit XML where it is asked for, and annotations on GitHub. Raises StorageError."""
    if options.junit:
        with replace_file(Path(options.junit)) as file:
            file.write(junit_xml(report))
    if on_github():
        for annotation in github_annotations(report):
            say(annotation)
