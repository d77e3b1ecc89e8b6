"""`gavel reparse [RUN]`."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from gavelkit.cli.flags import add_output
from gavelkit.cli.judging import show
from gavelkit.cli.progress import Progress
from gavelkit.config import Flags, Surroundings, configure_judges, read_file
from gavelkit.core.errors import ConfigError
from gavelkit.judges import AnyJudge
from gavelkit.run import on_loop, reparse_async
from gavelkit.run.folder import find_run
from gavelkit.storage import open_reader


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("run", nargs="?", metavar="RUN", help="the run's folder (default: the last run)")
    parser.add_argument(
        "--config", metavar="CONFIG.yaml", help="read as this configuration says (default: as the run's own does now)"
    )
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Read every stored reply again, and show the report."""
    folder = find_run(options.run)
    progress = Progress(quiet=options.quiet)
    judges, repeat = _judges(folder, options.config, Surroundings(observe=progress.observe))
    try:
        report = on_loop(reparse_async(judges, folder=folder, repeat=repeat, observe=progress.observe))
    finally:
        progress.close()
    show(report, as_json=options.json)
    return 0


def _judges(folder: Path, config: str | None, surroundings: Surroundings) -> tuple[tuple[AnyJudge, ...], int]:
    """The judges of the given file, of the run's own file as it is now, or as the record describes them."""
    reader = open_reader(folder)
    try:
        recorded: dict[str, Any] | None = reader.meta.get("settings")
        own = [judge.name for judge in reader.judges if judge.asks["way"] == "function"]
    finally:
        reader.close()
    file = Path(config) if config else Path(recorded["config"]) if recorded and "config" in recorded else None
    flags = Flags(*recorded["flags"]) if recorded else Flags({}, {})
    if file is not None and (config or file.exists()):
        given, where = read_file(file), str(file)
        surroundings = replace(surroundings, folder=file.parent)
    elif recorded:
        given, where = recorded["given"], f"{folder}: settings"
        surroundings = replace(surroundings, folder=Path(recorded["folder"]))
    elif own:
        message = (
            f"{folder}: the replies are read by code ({own[0]}), which no configuration holds; "
            f"run again what made this run: it asks nothing that is held, and reads again where the code changed"
        )
        raise ConfigError(message)
    else:
        message = f"{folder}: the run was made from Python and names no configuration; give one with --config"
        raise ConfigError(message)
    return configure_judges(given, surroundings, where=where, flags=flags), int(reader.meta.get("repeat", 1))
