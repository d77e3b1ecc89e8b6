"""Whom a judge's calls go to, by its `engine`: an OpenAI-compatible endpoint in two ways, or Ollama by its own API."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from gavelkit.config.environment import DEFAULT_API_BASE, Environment, check_api_base, sends_key_in_clear
from gavelkit.config.surroundings import Surroundings
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Noticed
from gavelkit.core.protocols import Engine
from gavelkit.engines import HttpClient, HttpClients, Ollama, OpenAIChat, OpenAICompletions
from gavelkit.engines.descriptors import most_connections
from gavelkit.engines.ollama import LOCAL, MODEL, OPTIONS

OLLAMA = "ollama"
OPENAI_COMPLETIONS = "openai_completions"

_CONNECTIONS = 1024
_NEVER_IDLE = 86_400.0  # a judge that thinks sends nothing meanwhile; `timeout` bounds the whole request
_SETTINGS_OF_OUR_OWN = {"prompt": "prompt_template", "system": "system_prompt", "num_predict": "max_tokens"}
"""Fields of Ollama's that a setting is sent as, and the setting."""


class Provider(Engine, Protocol):
    """An engine that calls an endpoint. `account` differs where the endpoint or the key does, and holds neither."""

    account: str

    async def models(self) -> tuple[str, ...]:
        """The names of the models that it offers; none where it does not say. Raises nothing."""
        ...


def is_keyed(settings: Mapping[str, Any]) -> bool:
    """Whether a key from the environment is sent; Ollama takes none."""
    return bool(settings["engine"] != OLLAMA)


def default_api_base(engine: str, environment: Environment, *, name: str) -> str:
    """The base URL of a judge's endpoint where no setting names one. `OPENAI_BASE_URL` is no Ollama's."""
    if engine == OLLAMA:
        return environment.api_base(name, openai=False) or LOCAL
    return environment.api_base(name) or DEFAULT_API_BASE


def default_model(settings: Mapping[str, Any]) -> str:
    """The model of an endpoint where neither a setting nor a variable names one."""
    return MODEL if settings["engine"] == OLLAMA else str(settings["model"])


def provider_for(
    settings: Mapping[str, Any], surroundings: Surroundings, *, name: str, where: str, most: int
) -> Provider:
    """What calls the endpoint; `most` calls at once are wanted.

    Raises ConfigError: an address or a key that may not be used, a setting that `extra_body` would set again, or one
    that the engine cannot do.
    """
    api_base = check_api_base(settings["api_base"], where)
    if settings["engine"] == OLLAMA:
        _check_fields(settings, where)
        client = _client(api_base, surroundings, most=most)
        return Ollama(client, api_base=api_base, timeout=settings["timeout"])
    plain = settings["engine"] == OPENAI_COMPLETIONS
    if plain:
        _check_plain(settings, api_base, where)
    api_key = _key(api_base, surroundings, name=name, where=where)
    make = OpenAICompletions if plain else OpenAIChat
    return make(
        _client(api_base, surroundings, most=most),
        api_base=api_base,
        api_key=api_key,
        timeout=settings["timeout"],
        observe=surroundings.observe,
    )


def _key(api_base: str, surroundings: Surroundings, *, name: str, where: str) -> str | None:
    api_key = surroundings.environment.api_key(name, api_base)
    if api_key is not None and sends_key_in_clear(api_base):
        message = f"{where}: the key goes to {api_base} over plain http, readable on the way"
        if surroundings.strict:
            message = f"{message}; --strict refuses it: use https"
            raise ConfigError(message)
        surroundings.observe(Noticed(message))
    return api_key


def _check_fields(settings: Mapping[str, Any], where: str) -> None:
    further = settings.get("extra_body", {})
    options = further.get(OPTIONS, {})
    if not isinstance(options, Mapping):
        message = f"{where}: extra_body: options must be a mapping, such as {{num_ctx: 8192}}, not {options!r}"
        raise ConfigError(message)
    for field, setting in _SETTINGS_OF_OUR_OWN.items():
        if field in {*further, *options}:
            message = f"{where}: extra_body cannot set {field!r}, which Ollama gets from {setting}: set that"
            raise ConfigError(message)


def _check_plain(settings: Mapping[str, Any], api_base: str, where: str) -> None:
    """Raises ConfigError for what is said of a chat, which plain completions are not."""
    message = ""
    if api_base.rstrip("/").endswith("/chat/completions"):
        message = "api_base ends in /chat/completions, and plain completions are asked at /completions: leave that out"
    elif settings["choose_by"] == "logprobs":
        message = f"choose_by: logprobs needs a chat; with engine: {OPENAI_COMPLETIONS} choose by text or json_schema"
    elif "prompt" in settings.get("extra_body", {}):
        message = "extra_body cannot set 'prompt', which the endpoint gets from prompt_template: set that"
    if message:
        message = f"{where}: {message}"
        raise ConfigError(message)


def _client(api_base: str, surroundings: Surroundings, *, most: int) -> HttpClients:
    """The endpoint's client, with as many connections as the limit on open files leaves."""
    connections = most_connections(_CONNECTIONS)
    if most > connections:
        message = (
            f"concurrency {most} needs more open files than this process may have; at most {connections} calls go out "
            f"at once (ulimit -n raises the limit)"
        )
        surroundings.observe(Noticed(message))
    ca_file = surroundings.environment.ca_file
    make = partial(HttpClient, connections=connections, idle_timeout=_NEVER_IDLE, ca_file=ca_file)
    return surroundings.clients.setdefault(api_base, HttpClients(make))
