"""Flags from the table of settings, and what they say."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

import yaml

from gavelkit.config import Flags
from gavelkit.config.schema import JUDGE, LIMITS, RUN, TOP
from gavelkit.config.setting import TEXT, Kind, Setting

_RUN_NAMES = {setting.name for setting in (*TOP, *RUN)}


def add_settings(parser: argparse.ArgumentParser, *, skip: Iterable[str] = (), judging: bool = True) -> None:
    """A flag for each setting that has one; with the ones lm-eval's users know for the output.

    Those that only mean something where calls are made are left out where there is no `judging`.
    """
    left_out = set(skip)
    seen: set[str] = set()
    for setting in (*TOP, *RUN, *JUDGE):
        if setting.flag and setting.name not in seen | left_out:
            seen.add(setting.name)
            _add(parser, setting)
    strict = "refuse to send a key over plain http to another machine, and to ask an endpoint otherwise than was set"
    parser.add_argument("--strict", action="store_true", help=strict)
    if judging:
        retry = "try unreadable, refused and cut replies again too"
        parser.add_argument("--retry-errors", action="store_true", help=retry)
        parser.add_argument("--yes", action="store_true", help="answer the question about the cost beforehand")
        parser.add_argument("--new-run", action="store_true", help="begin again in a new folder beside the old one")
        add_output(parser)


def add_output(parser: argparse.ArgumentParser) -> None:
    """How results and progress are shown."""
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def read_flags(options: argparse.Namespace) -> Flags:
    """The settings given as flags: those of the run, and those of every judge."""
    run: dict[str, Any] = {}
    judge: dict[str, Any] = {}
    for setting in (*TOP, *RUN, *JUDGE):
        value = getattr(options, setting.name, None)
        if setting.flag and value is not None:
            (run if setting.name in _RUN_NAMES else judge)[setting.name] = value
    return Flags(run, judge)


def _add(parser: argparse.ArgumentParser, setting: Setting) -> None:
    names = [setting.flag]
    if setting.name == "output":
        names = ["-o", "--output", "--output-path", "--output_path"]
    default = "" if setting.default is None or setting in LIMITS else f" (default: {setting.default})"
    text = (setting.help.replace(", relative to this file", "") + default).replace("%", "%%")
    if setting.name == "map":
        parser.add_argument(*names, dest="map", metavar="NAME=PATH", action=_Pairs, help=text)
        return
    read = str if setting.kind is TEXT else value_of
    parser.add_argument(*names, dest=setting.name, metavar=_metavar(setting), type=read, help=text)


def value_of(text: str) -> Any:
    """A flag's value as a file would have it; what is no YAML stays text, and the setting's check refuses it."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def read_as(kind: Kind) -> Callable[[str], Any]:
    """What reads a flag that is no setting, and says what it takes where it is given anything else."""

    def read(text: str) -> Any:
        try:
            value = value_of(text)
            return kind.read(float(value) if isinstance(value, str) else value)  # YAML takes 1e-3 for a text
        except ValueError:
            message = f"takes {kind.expects}, not {text!r}"
            raise argparse.ArgumentTypeError(message) from None

    return read


def _metavar(setting: Setting) -> str:
    return {
        "api_base": "URL",
        "data": "FILE",
        "output": "DIR",
        "replies": "FILE",
        "model": "MODEL",
        "filter": "NAME",
        "prices": "FILE",
        "preflight_check": "true|false",
        "engine": "HOW",
        "on_failure": "HOW",
        "interval": "HOW",
    }.get(setting.name, "N")


class _Pairs(argparse.Action):
    """`--map name=path`, given again for each name; `response.NAME=path` for several systems."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        _option: str | None = None,
    ) -> None:
        name, sign, path = str(values).partition("=")
        if not sign or not name or not path:
            message = f"takes NAME=PATH, such as question=doc.question, not {values!r}"
            raise argparse.ArgumentError(self, message)
        pairs = dict(getattr(namespace, self.dest) or {})
        if name.startswith("response."):
            pairs["response"] = {**pairs.get("response", {}), name.removeprefix("response."): path}
        else:
            pairs[name] = path
        setattr(namespace, self.dest, pairs)
