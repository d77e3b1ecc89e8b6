"""How a judge of a bring-your-own benchmark is reached: its settings, by the names that such benchmarks give them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from gavelkit.core.errors import ConfigError
from gavelkit.engines.openai_chat import chat_url

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_DEFAULT_TOKENS = 4096
_SHORTEST_SECRET = 4


class ByobError(ConfigError, ValueError):
    """A benchmark, a judge's settings or a template cannot be used; nothing was asked."""


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """A judge's endpoint and how it is asked.

    `url` is its base URL, `api_key` the name of the environment variable that holds the key, `request_timeout` the
    seconds one request may take, `max_retries` how often it is tried again. `parallelism` bounds nothing. Raises
    ByobError where a value cannot be used.
    """

    url: str
    model_id: str
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = 0.0
    top_p: float | None = 1.0
    max_new_tokens: int = _DEFAULT_TOKENS
    parallelism: int | None = None
    max_retries: int = 16
    request_timeout: float = 600

    def __post_init__(self) -> None:
        if not (isinstance(self.url, str) and re.match(r"https?://[^/\s]", self.url)):
            message = f"a judge's url must be a base URL such as http://127.0.0.1:8000/v1, not {self.url!r}"
            raise ByobError(message)
        if not (isinstance(self.model_id, str) and self.model_id):
            message = f"a judge's model_id must be the name of a model, not {self.model_id!r}"
            raise ByobError(message)
        if isinstance(self.max_retries, bool) or not isinstance(self.max_retries, int) or self.max_retries < 0:
            message = f"a judge's max_retries must be a whole number from 0 up, not {self.max_retries!r}"
            raise ByobError(message)
        seconds = self.request_timeout
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            message = f"a judge's request_timeout must be a number above 0, not {seconds!r}"
            raise ByobError(message)

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """The settings of a mapping; `max_tokens` and `api_key_name` are read too, other keys are left alone."""
        known = {each.name: settings[each.name] for each in fields(cls) if each.name in settings}
        for name in ("url", "model_id"):
            if name not in known:
                message = f"a judge's settings need {name!r}; they have {', '.join(map(str, settings)) or 'nothing'}"
                raise ByobError(message)
        known["api_key"] = known.get("api_key") or settings.get("api_key_name")
        known["max_new_tokens"] = known.get("max_new_tokens") or settings.get("max_tokens") or _DEFAULT_TOKENS
        return cls(**known)

    @property
    def endpoint(self) -> str:
        """Where prompts are posted."""
        return chat_url(self.url)

    def resolve_api_key(self) -> str | None:
        """The key; None where no variable is named. Raises ByobError where the variable is not set."""
        if not self.api_key:
            return None
        key = os.environ.get(self.api_key, "").strip()
        if not key:
            shown = self.api_key if _VARIABLE.fullmatch(self.api_key) else "(it looks like no variable's name)"
            message = f"api_key names an environment variable that is not set: {shown}"
            raise ByobError(message)
        return key

    def without_key(self, text: str) -> str:
        """The text with the key taken out, should it hold it."""
        named = self.api_key or ""
        for secret in (os.environ.get(named, "").strip(), "" if _VARIABLE.fullmatch(named) else named):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "(key)")
        return text


def is_variable(name: str) -> bool:
    """Whether a text looks like an environment variable's name, so that it may be shown."""
    return _VARIABLE.fullmatch(name) is not None


def judge_config(config: Mapping[str, Any], judge_key: str) -> JudgeConfig:
    """The settings of one judge of a benchmark. Raises ByobError where there are none under this key."""
    found = config.get(judge_key)
    if isinstance(found, JudgeConfig):
        return found
    if not isinstance(found, Mapping):
        message = (
            f"judge_score() requires sample.config[{judge_key!r}], a judge's settings; "
            f"pass extra={{{judge_key!r}: {{'url': ..., 'model_id': ...}}}} to @benchmark()"
        )
        raise ByobError(message)
    return JudgeConfig.from_dict(found)
