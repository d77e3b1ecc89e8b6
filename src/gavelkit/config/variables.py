"""A user's own variables for the templates: which names they may not take, and which nobody reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gavelkit.config.schema import JUDGE
from gavelkit.config.setting import letters_apart
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Noticed, Observe
from gavelkit.prompts import Prompt

_LIKELY_TYPO = 2  # letters between a variable's name and a setting's


def check_variables(
    custom: Mapping[str, Any], prompts: Sequence[Prompt], *, reserved: Collection[str], where: str, observe: Observe
) -> None:
    """Warn of a variable that no prompt reads or that is nearly a setting. Raises ConfigError for a reserved name."""
    taken = sorted(set(reserved) & custom.keys())
    if taken:
        message = f"{where}: the variable {taken[0]!r} has a meaning of its own and cannot be set"
        raise ConfigError(message)
    read = frozenset[str]().union(*(prompt.names for prompt in prompts))
    for name in custom:
        near = [setting.name for setting in JUDGE if letters_apart(name, setting.name) <= _LIKELY_TYPO]
        hint = f"; is the setting {near[0]} meant?" if near else ""
        if name not in read:
            observe(Noticed(f"{where}: no template uses the variable {name!r}{hint}"))
        elif near:
            observe(Noticed(f"{where}: {name!r} is a variable of the templates{hint}"))
