"""A configuration to start from: it runs as it is, and every other setting stands in it as a comment."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gavelkit.config.schema import JUDGE, LIMITS, RUN, TOP
from gavelkit.config.setting import Setting

DATA = "answers.jsonl"
_WIDTH = 110
_TOP = {"data": DATA}
_JUDGE = {
    "name": "quality",
    "preset": "score_0_10",
    "model": "simulated",
    "api_base": "http://127.0.0.1:8010/v1",
}
_NESTED = frozenset({"judges", "run"})
_HEAD = """\
# A configuration of gavel. It runs as it is beside `gavel simulate`, an endpoint that is no LLM:
#   gavel simulate                 (in another terminal)
#   gavel check {file}
#   gavel run {file}
# For a real judge set model and api_base below, and export LLM_JUDGE_API_KEY where the endpoint wants a key.
# A line with a single # before a setting shows its default; one without a value is left out by default.
"""


def starter_text(file: str) -> str:
    """The configuration, made from the tables of settings; `file` is what it will be called."""
    limits = {setting.name for setting in LIMITS}
    judge = [setting for setting in JUDGE if setting.name not in limits]
    lines = [
        *_HEAD.format(file=" ".join(shlex.quote(file).split())).splitlines(),
        "",
        *_section((setting for setting in TOP if setting.name not in _NESTED), _TOP, ""),
        *_help(TOP, "judges", ""),
        "judges:",
        "  -",
        *_section(judge, _JUDGE, "    "),
        *_help(TOP, "run", ""),
        "run:",
        *_section(RUN, {"concurrency": 8}, "  "),
    ]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _section(settings: Iterable[Setting], chosen: Mapping[str, Any], indent: str) -> Iterator[str]:
    """What is chosen stands; the rest is commented out with its default."""
    for setting in settings:
        yield from _told(setting, indent)
        if setting.name in chosen:
            yield f"{indent}{setting.name}: {_written(chosen[setting.name])}"
        else:
            default = "" if setting.default is None else f" {_written(setting.default)}"
            yield f"{indent}# {setting.name}:{default}"
        yield ""


def _help(settings: Iterable[Setting], name: str, indent: str) -> Iterator[str]:
    return _told(next(setting for setting in settings if setting.name == name), indent)


def _told(setting: Setting, indent: str) -> Iterator[str]:
    text = f"{setting.help} Takes {setting.kind.expects}."
    return (f"{indent}## {line}" for line in textwrap.wrap(text, _WIDTH, break_long_words=False))


def _written(value: Any) -> str:
    """As YAML has it: JSON, but for texts that need no quotes."""
    return (
        value if isinstance(value, str) and value and not set(value) & set("#{}[]&*!|>'\"%@`,") else json.dumps(value)
    )
