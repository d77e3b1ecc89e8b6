"""Reads the shipped files. A preset names its template; both are looked up by file name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from gavelkit.core.errors import ConfigError
from gavelkit.core.path import did_you_mean

_KINDS: Mapping[str, tuple[str, str]] = {"judges": ("judges", ".yaml"), "templates": ("templates", ".jinja")}


@dataclass(frozen=True, slots=True)
class Preset:
    """A judge that ships: what it is for, what it reads from a row, and the settings it stands for."""

    name: str
    summary: str
    follows: str
    reads: tuple[str, ...]
    settings: Mapping[str, Any]


def names(kind: str) -> list[str]:
    """The names of all shipped `judges` or `templates`, sorted."""
    folder, ending = _KINDS[kind]
    found = (each.name for each in files(__package__).joinpath(folder).iterdir())
    return sorted(name.removesuffix(ending) for name in found if name.endswith(ending))


@cache
def preset(name: str) -> Preset:
    """A judge preset. Raises ConfigError with the nearest name where there is none."""
    fields = yaml.safe_load(_text("judges", name))
    settings = dict(fields["settings"])
    if "template" in settings:
        settings["prompt_template"] = template_text(settings.pop("template"))
    if "system_template" in settings:
        settings["system_prompt"] = template_text(settings.pop("system_template"))
    return Preset(name, fields["summary"], fields["follows"], tuple(fields["reads"]), settings)


def template_text(name: str) -> str:
    """A prompt template as it stands in its file. Raises ConfigError where there is none."""
    return _text("templates", name)


def demo_file(name: str) -> Path:
    """Where a file of the demo lies."""
    return Path(str(files(__package__).joinpath("demo", name)))


def shipped_file(name: str) -> Path:
    """Where any other shipped file lies."""
    return Path(str(files(__package__).joinpath(name)))


def _text(kind: str, name: str) -> str:
    folder, ending = _KINDS[kind]
    known = names(kind)
    if name not in known:
        message = f"there is no shipped {kind.removesuffix('s')} {name!r}{did_you_mean(name, known)}"
        raise ConfigError(message)
    return files(__package__).joinpath(folder, name + ending).read_text(encoding="utf-8")
