"""`gavel show NAME`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from gavelkit.catalog import criterion_fields, names, preset, template_text
from gavelkit.catalog.reader import Preset
from gavelkit.core.errors import ConfigError
from gavelkit.core.path import did_you_mean

_WORDS = ("system_prompt", "prompt_template", "selection_template", "summary_template")
"""The settings that hold a text of their own, in the order they are asked."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("name", metavar="NAME", help="a shipped judge, template or criterion")


def run(options: argparse.Namespace) -> int:
    """Print all that bears the name."""
    found = list(_found(options.name))
    if not found:
        known = {name for kind in ("judges", "templates", "criteria", "pairwise_criteria") for name in names(kind)}
        message = f"nothing shipped is called {options.name!r}{did_you_mean(options.name, sorted(known))}"
        raise ConfigError(message)
    sys.stdout.write("\n".join(found))
    return 0


def _found(name: str) -> Iterator[str]:
    if name in names("judges"):
        yield _judge(preset(name))
    elif name in names("templates"):
        yield template_text(name)
    if name in names("criteria"):
        yield _criterion(name, pairwise=False)
    if name in names("pairwise_criteria"):
        yield _criterion(name, pairwise=True)


def _judge(shipped: Preset) -> str:
    plain = {name: value for name, value in shipped.settings.items() if name not in _WORDS}
    if not plain.keys() & {"options", "scale"}:
        plain = {"scale": shipped.scale, **plain}
    lines = [
        f"judge {shipped.name}: {shipped.summary}",
        f"follows: {shipped.follows}",
        f"reads: {', '.join(shipped.reads)}",
        *(f"{name}: {value}" for name, value in plain.items()),
    ]
    words = [f"{name}:\n{shipped.settings[name]}" for name in _WORDS if name in shipped.settings]
    return "\n".join([*lines, *words])


def _criterion(name: str, *, pairwise: bool) -> str:
    fields = criterion_fields(name, pairwise=pairwise)
    lines = [
        f"{'pairwise' if pairwise else 'direct'} criterion {name}: {fields['description']}",
        f"prediction_field: {fields.get('prediction_field', 'none')}",
        f"context_fields: {', '.join(fields.get('context_fields', ())) or 'none'}",
    ]
    if fields.get("polarity") == "lower_is_better":
        lines.append("a lower score is better")
    scores = fields.get("option_map", {})
    lines += [
        f'- "{each["name"]}" (score {scores[each["name"]]:g}) if {each["description"]}'
        for each in fields.get("options", ())
    ]
    return "".join(f"{line}\n" for line in lines)
