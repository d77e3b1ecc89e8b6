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

_KINDS: Mapping[str, tuple[str, str]] = {
    "judges": (".yaml", "judge"),
    "templates": (".jinja", "template"),
    "criteria": (".yaml", "criterion"),
    "pairwise_criteria": (".yaml", "pairwise criterion"),
}
"""Each kind's folder, with the ending of its files and what one of them is called."""

_TEMPLATES: Mapping[str, str] = {
    "template": "prompt_template",
    "system_template": "system_prompt",
    "selection_template": "selection_template",
    "summary_template": "summary_template",
}
"""What a preset says by a template's name, and the setting that holds its text."""

_LONG_NAMES: Mapping[str, str] = {
    "metrics.llm_as_judge.direct.criteria.": "criteria",
    "metrics.llm_as_judge.pairwise.criteria.": "pairwise_criteria",
}


@dataclass(frozen=True, slots=True)
class Preset:
    """A judge that ships: what it is for, what it reads from a row, and the settings it stands for.

    `scale` is what its scores can be: the two ends, the score of each grade, or words where a criterion decides.
    """

    name: str
    summary: str
    follows: str
    reads: tuple[str, ...]
    scale: Any
    settings: Mapping[str, Any]


def names(kind: str) -> list[str]:
    """The names of all shipped `judges`, `templates`, `criteria` or `pairwise_criteria`, sorted."""
    ending, _one = _KINDS[kind]
    found = (each.name for each in files(__package__).joinpath(kind).iterdir())
    return sorted(name.removesuffix(ending) for name in found if name.endswith(ending))


@cache
def preset(name: str) -> Preset:
    """A judge preset. Raises ConfigError with the nearest name where there is none."""
    fields = yaml.safe_load(_text("judges", name))
    settings = dict(fields["settings"])
    for shipped, setting in _TEMPLATES.items():
        if shipped in settings:
            settings[setting] = template_text(settings.pop(shipped))
    scale = fields.get("scale") or settings.get("options") or settings.get("scale")
    return Preset(name, fields["summary"], fields["follows"], tuple(fields["reads"]), scale, settings)


def template_text(name: str) -> str:
    """A prompt template as it stands in its file. Raises ConfigError where there is none."""
    return _text("templates", name)


@cache
def criterion_fields(name: str, *, pairwise: bool = False) -> Mapping[str, Any]:
    """A criterion as its file gives it: one with options, or one for contests where `pairwise`.

    A long name such as `metrics.llm_as_judge.direct.criteria.NAME` says itself which of the two it is; a contest
    takes either. Raises ConfigError with the nearest name where there is none.
    """
    kind, short = "pairwise_criteria" if pairwise else "criteria", name
    for start, its_kind in _LONG_NAMES.items():
        if name.startswith(start):
            kind, short = its_kind, name.removeprefix(start)
    direct_too = kind == "criteria" and short in names("criteria")
    if not pairwise and not direct_too and short in names("pairwise_criteria"):
        message = f"the criterion {name!r} is for contests; to judge a response by itself takes one with options"
        raise ConfigError(message)
    fields: Mapping[str, Any] = yaml.safe_load(_text(kind, short))
    return fields


def demo_file(name: str) -> Path:
    """Where a file of the demo lies."""
    return Path(str(files(__package__).joinpath("demo", name)))


def shipped_file(name: str) -> Path:
    """Where any other shipped file lies."""
    return Path(str(files(__package__).joinpath(name)))


def _text(kind: str, name: str) -> str:
    ending, one = _KINDS[kind]
    known = names(kind)
    if name not in known:
        message = f"there is no shipped {one} {name!r}{did_you_mean(name, known)}"
        raise ConfigError(message)
    return files(__package__).joinpath(kind, name + ending).read_text(encoding="utf-8")
