"""`gavel init [FILE]`: a configuration to start from, with three example rows beside it."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from gavelkit.catalog import shipped_file
from gavelkit.cli.ending import say
from gavelkit.config.starter import DATA, starter_text
from gavelkit.core.errors import ConfigError


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("file", nargs="?", default="judge.yaml", metavar="FILE", help="the file (default: judge.yaml)")
    parser.add_argument(
        "--force", action="store_true", help="write over a configuration that is there; never over rows"
    )


def run(options: argparse.Namespace) -> int:
    """Write both files. Rows that are there already stay."""
    file = Path(options.file)
    if file.exists() and not options.force:
        message = f"{file} is there already; name another file, or write over it with --force"
        raise ConfigError(message)
    rows = file.parent / DATA
    try:
        file.write_text(starter_text(str(file)), encoding="utf-8")
        if rows.exists():
            say(f"{rows} is there already and stays as it is")
        else:
            shutil.copyfile(shipped_file(f"init/{DATA}"), rows)
            say(f"{rows} written: three invented rows")
    except OSError as error:
        message = f"{error.filename or file}: cannot be written: {error.strerror or error}"
        raise ConfigError(message) from error
    say(f"{file} written; next: gavel simulate in another terminal, then gavel run {file}")
    return 0
