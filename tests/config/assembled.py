"""Judges from their settings, and what is said of settings that are wrong; no test is here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Event
from gavelkit.judges import AnyJudge, Direct

PLAIN = {"prompt_template": "{{ response }}"}


def made(environment: dict[str, str] | None = None, /, *, folder: Path | None = None, **settings: Any) -> Direct:
    """A judge of one step from settings, in this environment and no other."""
    judge = assembled(environment, folder=folder, **{**PLAIN, **settings})
    assert isinstance(judge, Direct)
    return judge


def assembled(environment: dict[str, str] | None = None, /, *, folder: Path | None = None, **settings: Any) -> AnyJudge:
    """A judge from these settings alone."""
    surroundings = Surroundings(Environment(environment or {}), folder or Path())
    return assemble(settings, surroundings, where="conf.yaml: judges[1]")


def refusal(environment: dict[str, str] | None = None, /, **settings: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        made(environment, **settings)
    return str(caught.value)


def reaching(judge: AnyJudge) -> list[Any]:
    """What stands between a judge and its provider, outermost first, and the provider last."""
    engines: list[Any] = [judge.engine if isinstance(judge, Direct) else judge.turns.engine]
    while hasattr(engines[-1], "_inner"):
        engines.append(engines[-1]._inner)
    return engines


def observed(**settings: Any) -> list[Event]:
    events: list[Event] = []
    surroundings = Surroundings(Environment({"LLM_JUDGE_API_KEY": "sk-secret"}), observe=events.append)
    assemble({**PLAIN, **settings}, surroundings, where="conf.yaml")
    return events
