"""What a simulated endpoint does besides answering: fixed replies, latency and faults, by rules in a YAML file.

    reply: "Score: 8"            # a fixed reply to everything; left out, every prompt is answered in its own form
    latency: [0.05, 0.2]         # seconds, fixed or from a range
    seed: 7                      # of the range
    rules:                       # the first that applies to a request decides
      - match: "astronomy"       # only requests whose messages hold this text
        first: 2                 # only the first 2 of those ...
        status: 429              # ... fail with this status
        retry_after: 1.5
      - every: 10                # every 10th request
        body: '{"choices": ['    # is answered with exactly these bytes
      - match: "history"
        reply: "GRADE: C"
        finish_reason: length
        delay: 3                 # seconds on top of the latency
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from gavelkit.core.errors import ConfigError
from gavelkit.core.path import did_you_mean

_LOWEST_STATUS, _HIGHEST_STATUS = 200, 599


@dataclass(frozen=True, slots=True)
class Rule:
    """Which requests it is about (`match`, and of those the `first` so many or `every` so many-th), and what is done."""

    match: str = ""
    first: int | None = None
    every: int | None = None
    status: int = 200
    message: str = "This failure is simulated."
    retry_after: float | None = None
    delay: float = 0.0
    body: str | None = None
    reply: str | None = None
    finish_reason: str | None = None

    def __post_init__(self) -> None:
        for name in ("first", "every"):
            value = getattr(self, name)
            if value is not None and value < 1:
                message = f"{name} counts requests from 1, so it cannot be {value}"
                raise ConfigError(message)
        if not _LOWEST_STATUS <= self.status <= _HIGHEST_STATUS:
            message = f"status must be from {_LOWEST_STATUS} to {_HIGHEST_STATUS}, not {self.status}"
            raise ConfigError(message)
        _check_seconds("delay", self.delay)

    def applies(self, count: int) -> bool:
        """Whether it is about the `count`-th request that matches, counted from 1."""
        return (self.first is None or count <= self.first) and (self.every is None or count % self.every == 0)


@dataclass(frozen=True, slots=True)
class Script:
    """A whole script. `reply` None: every prompt is answered in its own form."""

    reply: str | None = None
    latency: tuple[float, float] = (0.0, 0.0)
    seed: int = 0
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        low, high = self.latency
        _check_seconds("latency", low)
        if high < low:
            message = f"latency runs from the shorter to the longer time, not from {low} to {high}"
            raise ConfigError(message)


@dataclass(slots=True)
class Performance:
    """A script being played: how often each rule's text has been seen, and the state of its chance."""

    script: Script
    _seen: list[int] = field(init=False)
    _chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._seen = [0] * len(self.script.rules)
        self._chance = random.Random(self.script.seed)  # noqa: S311 - delays, not secrets

    def rule_for(self, text: str) -> Rule | None:
        """The first rule that applies to the next request. All that match count it."""
        chosen: Rule | None = None
        for number, rule in enumerate(self.script.rules):
            if rule.match in text:
                self._seen[number] += 1
                if chosen is None and rule.applies(self._seen[number]):
                    chosen = rule
        return chosen

    def latency(self) -> float:
        """How many seconds the next reply takes."""
        low, high = self.script.latency
        return low if low == high else self._chance.uniform(low, high)


def read_script(path: Path) -> Script:
    """Read a script file. Raises ConfigError naming the file, and the key that is wrong."""
    try:
        return parse_script(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"cannot read the script {path}: {error.strerror}"
        raise ConfigError(message) from error
    except (ConfigError, UnicodeDecodeError) as error:
        message = f"{path}: {error}"
        raise ConfigError(message) from error


def parse_script(text: str) -> Script:
    """Read a script. Raises ConfigError naming the key that is wrong."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        message = f"not YAML: {error}"
        raise ConfigError(message) from error
    settings = dict(_checked(Script, {} if content is None else content, "script"))
    if "latency" in settings:
        settings["latency"] = _range(settings["latency"])
    rules = settings.pop("rules", [])
    if not isinstance(rules, list):
        message = f"rules must be a list, not {rules!r}"
        raise ConfigError(message)
    return Script(**settings, rules=tuple(_rule(rule, number) for number, rule in enumerate(rules, 1)))


def _rule(content: object, number: int) -> Rule:
    try:
        return Rule(**_checked(Rule, content, "rule"))
    except ConfigError as error:
        message = f"rule {number}: {error}"
        raise ConfigError(message) from error


def _checked(record: type[Script] | type[Rule], content: object, place: str) -> Mapping[str, Any]:
    if not isinstance(content, dict):
        message = f"a {place} is a mapping of settings, not {content!r}"
        raise ConfigError(message)
    known = {each.name: str(each.type) for each in fields(record)}
    for key, value in content.items():
        if key not in known:
            message = f"unknown key {key!r} in the {place}{did_you_mean(str(key), known)}"
            raise ConfigError(message)
        if not _fits(value, known[key]):
            message = f"{key} must be {_WORDS.get(known[key], 'a text')}, not {value!r}"
            raise ConfigError(message)
    return content
