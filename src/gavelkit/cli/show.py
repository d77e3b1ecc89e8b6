"""`gavel show NAME`."""

from __future__ import annotations

import argparse
import sys

from gavelkit.catalog import names, preset, template_text
from gavelkit.catalog.reader import Preset
from gavelkit.core.errors import ConfigError
from gavelkit.core.path import did_you_mean


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("name", metavar="NAME", help="a shipped judge or template")


def run(options: argparse.Namespace) -> int:
    """Print it."""
    if options.name in names("judges"):
        sys.stdout.write(_judge(preset(options.name)))
    elif options.name in names("templates"):
        sys.stdout.write(template_text(options.name))
    else:
        hint = did_you_mean(options.name, names("judges") + names("templates"))
        message = f"nothing shipped is called {options.name!r}{hint}"
        raise ConfigError(message)
    return 0


def _judge(shipped: Preset) -> str:
    settings = {
        name: value for name, value in shipped.settings.items() if name not in {"prompt_template", "system_prompt"}
    }
    lines = [
        f"judge {shipped.name}: {shipped.summary}",
        f"follows: {shipped.follows}",
        f"reads: {', '.join(shipped.reads)}",
        *(f"{name}: {value}" for name, value in settings.items()),
        "prompt_template:",
        shipped.settings["prompt_template"],
    ]
    return "\n".join(lines)
