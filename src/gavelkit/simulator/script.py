"""What a simulated endpoint does besides answering: fixed replies, latency and faults, by rules in a YAML file.

reply: "Score: 8"            # a fixed reply to everything; left out, every prompt is answered in its own form
choose: first              # of the options that a prompt lists: best (where left out), first or last
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
  - match: "music"
    fault: reset             # goes wrong on its way: reset, short, drip, silence ... (`wire.Fault` lists them)
    fault_seconds: 0.3       # between two bytes that drip, or how long one that refuses is away
  - match: "dance"
    status: 307
    headers: {location: "http://127.0.0.1:1/"}
limit: {rate: 50, burst: 50} # requests a second; the others get a 429 that says when to come again
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml

from gavelkit.core.errors import ConfigError
from gavelkit.simulator.answers import Choose
from gavelkit.simulator.throttle import Limit
from gavelkit.simulator.wire import Fault

Seconds = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Status = Annotated[int, msgspec.Meta(ge=200, le=599)]
HeaderName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9-]+$")]
HeaderValue = Annotated[str, msgspec.Meta(pattern=r"^[ -~]*$")]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which requests it is about (`match`, and of those the `first` so many or each `every`-th), and what is done."""

    match: str = ""
    first: Count | None = None
    every: Count | None = None
    status: Status = 200
    message: str = "This failure is simulated."
    retry_after: Seconds | None = None
    delay: Seconds = 0.0
    body: str | None = None
    reply: str | None = None
    finish_reason: str | None = None
    headers: dict[HeaderName, HeaderValue] = {}
    fault: Fault | None = None
    fault_seconds: Seconds = 0.3

    def applies(self, count: int) -> bool:
        """Whether it is about the `count`-th request that matches, counted from 1."""
        return (self.first is None or count <= self.first) and (self.every is None or count % self.every == 0)


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole script. `reply` None: every prompt is answered in its own form, by `choose` where it lists options."""

    reply: str | None = None
    choose: Choose = "best"
    # Bounds inside a union (`Seconds | tuple[Seconds, Seconds]`) crash msgspec 0.22 at the next garbage collection.
    latency: float | tuple[float, float] = 0.0
    seed: int = 0
    rules: tuple[Rule, ...] = ()
    limit: Limit | None = None

    def __post_init__(self) -> None:
        ends = self.latency if isinstance(self.latency, tuple) else (self.latency, self.latency)
        if not 0 <= ends[0] <= ends[1]:
            message = f"latency must be seconds from 0 up, or the shortest and the longest, not {self.latency}"
            raise ValueError(message)


class Performance:
    """A script being played: how often each rule has matched, and the state of its chance."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._matched = [0] * len(script.rules)
        self._chance = random.Random(script.seed)  # noqa: S311 - delays, not secrets

    def rule_for(self, text: str) -> Rule | None:
        """The first rule that applies to the next request; every rule that matches counts it."""
        chosen: Rule | None = None
        for number, rule in enumerate(self.script.rules):
            if rule.match in text:
                self._matched[number] += 1
                if chosen is None and rule.applies(self._matched[number]):
                    chosen = rule
        return chosen

    def latency(self) -> float:
        """How many seconds the next reply takes."""
        latency = self.script.latency
        return self._chance.uniform(*latency) if isinstance(latency, tuple) else latency


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
        content: Any = yaml.safe_load(text)
        return msgspec.convert({} if content is None else content, Script)
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        message = f"not a script: {error}"
        raise ConfigError(message) from error
