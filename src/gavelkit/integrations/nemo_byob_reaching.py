"""How the models of a bring-your-own benchmark are reached: each by its own settings, its key by a variable's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gavelkit.config import Surroundings
from gavelkit.config.environment import Environment
from gavelkit.config.reaching import engine_for
from gavelkit.config.schema import JUDGE
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine
from gavelkit.integrations.nemo_byob_config import ByobError, is_variable

_DEFAULTS = {setting.name: setting.default for setting in JUDGE if setting.default is not None}


@dataclass(frozen=True, slots=True)
class NamedKey(Environment):
    """An environment in which one variable alone holds the key; none does where `variable` is empty."""

    variable: str = ""

    def api_key(self, judge: str, api_base: str) -> str | None:
        """The key of the variable. Raises ConfigError where it cannot stand in a header."""
        if not self.variable:
            return None
        key = self.variables.get(self.variable, "").strip()
        return Environment({"LLM_JUDGE_API_KEY": key}).api_key(judge, api_base)

    def key_variables(self, judge: str) -> tuple[str, ...]:  # noqa: ARG002 - the same for every judge
        """The one variable that is looked at, where there is one."""
        return (self.variable,) if self.variable else ()

    def key_variable(self, judge: str) -> str:  # noqa: ARG002 - the same for every judge
        """The one variable that is looked at."""
        return self.variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model's address, and how often and how long it may be asked.

    `api_key` is the name of the variable that holds the key; `name` is what messages call the model. `backoff` is the
    shortest wait before another try, in seconds. `tried` is False where no request tries it before the run.
    """

    name: str
    url: str
    model: str
    api_key: str | None = None
    temperature: float | None = 0.0
    seconds: float = 600.0
    retries: int = 3
    backoff: float = 1.0
    most: int = 32
    tried: bool = True

    def reach(self, surroundings: Surroundings) -> tuple[Engine, tuple[Probe, ...]]:
        """What answers for it. Raises ConfigError: an address or a key that cannot be used."""
        variables = surroundings.environment.variables
        environment = NamedKey(variables, checked_variable(self.api_key, variables, self.name))
        settings = {
            **_DEFAULTS,
            "api_base": self.url,
            "temperature": self.temperature,
            "timeout": self.seconds,
            "retry_attempts": self.retries,
            "retry_min_wait": min(self.backoff, float(_DEFAULTS["retry_max_wait"])),
            "concurrency": self.most,
            "preflight_check": self.tried,
        }
        inside = replace(surroundings, environment=environment)
        return engine_for(settings, inside, name=self.name, model=self.model, where=self.name, function=None)


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
