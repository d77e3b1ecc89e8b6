"""How a judge's model is reached: an endpoint, a function, or recorded replies, with what is wrapped round it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gavelkit.config.environment import Environment, check_api_base, check_file_key, sends_key_in_clear
from gavelkit.config.probing import probe_for
from gavelkit.config.surroundings import Surroundings
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Noticed
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine
from gavelkit.engines import (
    CallableEngine,
    Ceiling,
    HttpClient,
    HttpClients,
    OpenAIChat,
    RecordedEngine,
    Retrying,
    RetryPolicy,
    batched_engine,
)

_NEVER_IDLE = 86_400.0  # a judge that thinks sends nothing meanwhile; `timeout` bounds the whole request


def engine_for(
    settings: Mapping[str, Any],
    surroundings: Surroundings,
    *,
    name: str,
    model: str,
    where: str,
    function: Callable[[str], Any] | Engine | None,
) -> tuple[Engine, tuple[Probe, ...]]:
    """Outermost first: retry, the ceiling (where the endpoint's gate will stand), the provider. And how to try it."""
    if settings.get("api_key") is not None:
        check_file_key(settings["api_key"], name)
    if "replies" in settings or settings["engine"] == "recorded":
        return _recorded(settings, surroundings, where=where, function=function), ()
    batched = batched_engine(function)
    if batched is not None:
        return batched, ()
    provider = _provider(settings, surroundings, name=name, where=where, function=function)
    low, high = settings["retry_min_wait"], settings["retry_max_wait"]
    if low > high:
        message = f"{where}: retry_min_wait {low:g} is longer than retry_max_wait {high:g}"
        raise ConfigError(message)
    policy = RetryPolicy(settings["retry_attempts"], low, high)
    ceiling = Ceiling(provider, settings["concurrency"])
    engine = Retrying(ceiling, policy, clock=surroundings.clock, observe=surroundings.observe)
    if function is not None or not isinstance(provider, OpenAIChat):
        return engine, ()
    probe = probe_for(settings, surroundings.environment, name=name, model=model, chat=provider, engine=engine)
    return engine, (probe,)


def _recorded(settings: Mapping[str, Any], surroundings: Surroundings, *, where: str, function: object) -> Engine:
    if "replies" not in settings or function is not None:
        message = f"{where}: the engine recorded needs the file of replies, and no function"
        raise ConfigError(message)
    return RecordedEngine(surroundings.folder / settings["replies"])


def _provider(
    settings: Mapping[str, Any],
    surroundings: Surroundings,
    *,
    name: str,
    where: str,
    function: Callable[[str], Any] | Engine | None,
) -> Engine:
    if function is not None:
        return function if hasattr(function, "complete") else CallableEngine(function)
    api_base = check_api_base(settings["api_base"], where)
    api_key = surroundings.environment.api_key(name, api_base)
    if api_key is not None and sends_key_in_clear(api_base):
        message = f"{where}: the key goes to {api_base} over plain http, readable on the way"
        if surroundings.strict:
            message = f"{message}; --strict refuses it: use https"
            raise ConfigError(message)
        surroundings.observe(Noticed(message))
    ca_file = surroundings.environment.ca_file
    client = surroundings.clients.setdefault(
        api_base, HttpClients(lambda: HttpClient(connections=1024, idle_timeout=_NEVER_IDLE, ca_file=ca_file))
    )
    return OpenAIChat(
        client,
        api_base=api_base,
        api_key=api_key,
        timeout=settings["timeout"],
    )


def model_for(settings: Mapping[str, Any], environment: Environment, *, name: str, function: object) -> str:
    """The model nobody named. Two functions are two models whatever their names; of recorded replies nobody said."""
    if function is not None:
        return f"{getattr(function, '__qualname__', type(function).__qualname__)} ({name})"
    if "replies" in settings:
        return "recorded"
    return environment.model(name) or str(settings["model"])
