"""A model reached with a key of its own: whatever keys the environment holds for judges stay out of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from gavelkit.config.environment import Environment, usable_key
from gavelkit.config.reaching import engine_for
from gavelkit.config.schema import JUDGE_DEFAULTS
from gavelkit.config.surroundings import Surroundings
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine


@dataclass(frozen=True, slots=True)
class OwnKey(Environment):
    """An environment in which one key alone is sent, wherever the calls go; none where `key` is empty.

    `variable` is the one that holds it, or that would, for whoever has to mend it; empty where there is none.
    """

    key: str = field(default="", repr=False)
    variable: str = ""

    def api_key(self, judge: str, api_base: str) -> str | None:  # noqa: ARG002 - it goes wherever it is told to go
        """The key. Raises ConfigError where it cannot stand in a header."""
        return usable_key(self.key, judge)

    def key_variables(self, judge: str) -> tuple[str, ...]:  # noqa: ARG002 - the same for every judge
        """The one variable that is looked at, where there is one."""
        return (self.variable,) if self.variable else ()

    def key_variable(self, judge: str) -> str:  # noqa: ARG002 - the same for every judge
        """The one variable, where a key is sent."""
        return self.variable if self.key else ""


def reach(
    model: str,
    own: OwnKey,
    surroundings: Surroundings,
    *,
    name: str,
    address: str = "api_base",
    whose: str = "",
    as_chat: str = "engine: openai_chat",
    **settings: Any,
) -> tuple[Engine, tuple[Probe, ...]]:
    """What answers for a model, and how its endpoint is tried. `name` is what messages call it.

    `address` is what its users call the setting with its URL, `whose` the words for a model that is no judge's, and
    `as_chat` how they write that it is a chat. `settings` are those of a judge, by their names; the others have their
    defaults. Raises ConfigError for an address, a key or settings that cannot be used.
    """
    inside = replace(surroundings, environment=own)
    chosen = {**JUDGE_DEFAULTS, **settings}
    engine, probes = engine_for(chosen, inside, name=name, model=model, where=name, function=None)
    return engine, tuple(replace(probe, address=address, whose=whose, as_chat=as_chat) for probe in probes)
