"""How the models of a bring-your-own benchmark are reached: each by its own settings, its key by a variable's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gavelkit.config import Surroundings
from gavelkit.config.own_key import OwnKey, reach
from gavelkit.config.provider import OPENAI_COMPLETIONS
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine
from gavelkit.integrations.nemo_byob_config import ByobError, is_variable

_LONGEST_WAIT: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model's address, and how often and how long it may be asked.

    `api_key` is the name of the variable that holds the key; `name` is what messages call the model, and `judges`
    whether it is a judge's. `backoff` is the shortest wait before another try, in seconds. `tried` is False where no
    request tries it before the run, and `plain` True where it is asked by plain completions.
    """

    name: str
    url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = 0.0
    seconds: float = 600.0
    retries: int = 3
    backoff: float = 1.0
    most: int = 32
    tried: bool = True
    judges: bool = True
    plain: bool = False

    def reach(self, surroundings: Surroundings) -> tuple[Engine, tuple[Probe, ...]]:
        """What answers for it. Raises ConfigError: an address or a key that cannot be used."""
        variables = surroundings.environment.variables
        variable = checked_variable(self.api_key, variables, self.name)
        return reach(
            self.model,
            OwnKey(variables, variables.get(variable, "").strip(), variable),
            surroundings,
            name=self.name,
            address="url",
            whose="" if self.judges else self.name,
            as_chat="--model-type chat",
            engine=OPENAI_COMPLETIONS if self.plain else "openai_chat",
            api_base=self.url,
            temperature=self.temperature,
            timeout=self.seconds,
            retry_attempts=self.retries,
            retry_min_wait=min(self.backoff, _LONGEST_WAIT),
            retry_max_wait=_LONGEST_WAIT,
            concurrency=self.most,
            preflight_check=self.tried,
        )


def checked_variable(name: str | None, variables: Mapping[str, str], whose: str) -> str:
    """The variable's name, empty where none is given. Raises ByobError where it is not set; no key is ever shown."""
    if not name:
        return ""
    if not is_variable(name):
        message = f"{whose}: the name of an environment variable is needed for the key, such as MY_API_KEY, not a key"
        raise ByobError(message)
    if not variables.get(name, "").strip():
        message = f"{whose}: the environment variable {name}, which holds the key, is not set: export {name}=..."
        raise ByobError(message)
    return name
