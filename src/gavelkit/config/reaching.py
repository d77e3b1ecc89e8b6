"""How a judge's model is reached: an endpoint, a function, or recorded replies, with what is wrapped round it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from gavelkit.config.environment import Environment, check_api_base, check_file_key, sends_key_in_clear
from gavelkit.config.probing import probe_for
from gavelkit.config.setting import AUTO
from gavelkit.config.surroundings import Surroundings
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Noticed
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine
from gavelkit.engines import (
    CallableEngine,
    Ceiling,
    Gate,
    Gated,
    GateRules,
    HttpClient,
    HttpClients,
    OpenAIChat,
    RecordedEngine,
    Repairing,
    RepairMemory,
    Retrying,
    RetryPolicy,
    batched_engine,
)
from gavelkit.engines.descriptors import most_connections
from gavelkit.engines.gate import MOST_AUTO

_PREFLIGHT_RETRIES = 2
_PREFLIGHT_WAIT = 2.0
_CONNECTIONS = 1024
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
    """Outermost first: repair, retry, the judge's ceiling, the endpoint's gate, the provider. And how to try it."""
    _tell_idle(settings, surroundings, where)
    if settings.get("api_key") is not None:
        check_file_key(settings["api_key"], name)
    if "replies" in settings or settings["engine"] == "recorded":
        return _recorded(settings, surroundings, where=where, function=function), ()
    batched = batched_engine(function)
    if batched is not None:
        return batched, ()
    provider = _provider(settings, surroundings, name=name, where=where, function=function)
    policy = _policy(settings, where)
    if function is not None or not isinstance(provider, OpenAIChat):
        ceiling = Ceiling(provider, most_at_once(settings))
        return Retrying(ceiling, policy, clock=surroundings.clock, observe=surroundings.observe), ()
    gate, memory = _shared(settings, surroundings, (provider.account, model), where=where)
    ceiling = Ceiling(Gated(provider, gate), most_at_once(settings))

    def retried(policy: RetryPolicy) -> Engine:
        engine = Retrying(ceiling, policy, clock=surroundings.clock, observe=surroundings.observe, gate=gate)
        return Repairing(engine, memory)

    probe = probe_for(
        settings,
        surroundings.environment,
        name=name,
        model=model,
        chat=provider,
        engine=retried(_impatient(policy)),
        reopen=gate.reopen,
    )
    return retried(policy), (probe,)


def _tell_idle(settings: Mapping[str, Any], surroundings: Surroundings, where: str) -> None:
    if "max_concurrency" in settings and settings["concurrency"] != AUTO:
        message = f"{where}: max_concurrency is for concurrency: auto, and does nothing beside a number"
        surroundings.observe(Noticed(message))


def _policy(settings: Mapping[str, Any], where: str) -> RetryPolicy:
    low, high = settings["retry_min_wait"], settings["retry_max_wait"]
    if low > high:
        message = f"{where}: retry_min_wait {low:g} is longer than retry_max_wait {high:g}"
        raise ConfigError(message)
    return RetryPolicy(settings["retry_attempts"], low, high, settings["max_wait"])


def most_at_once(settings: Mapping[str, Any]) -> int:
    """The most calls of a judge in flight."""
    if settings["concurrency"] == AUTO:
        return int(settings.get("max_concurrency", MOST_AUTO))
    return int(settings["concurrency"])


def _shared(
    settings: Mapping[str, Any], surroundings: Surroundings, key: tuple[str, str], *, where: str
) -> tuple[Gate, RepairMemory]:
    """What all judges of one endpoint, model and key share; the first of them sets its rules."""
    rules = GateRules(
        pause=min(1.0, settings["retry_max_wait"]),
        max_hint=settings["max_wait"],
        requests_per_minute=settings.get("requests_per_minute"),
        tokens_per_minute=settings.get("tokens_per_minute"),
    )
    observe = surroundings.observe
    gate = surroundings.gates.setdefault(key, Gate(rules, clock=surroundings.clock, observe=observe))
    if replace(gate.rules, pause=rules.pause) != rules:
        message = (
            f"{where}: another judge of this endpoint and model has other values of max_wait, requests_per_minute or "
            f"tokens_per_minute, which all of them share; give them the same"
        )
        raise ConfigError(message)
    if settings["concurrency"] == AUTO:
        gate.join_auto(most_at_once(settings))
    else:
        gate.join(most_at_once(settings))
    memory = surroundings.repairs.setdefault(key, RepairMemory(strict=surroundings.strict, observe=observe))
    return gate, memory


def _impatient(policy: RetryPolicy) -> RetryPolicy:
    """For the request that tries the endpoint: whoever waits for it wants to know within seconds."""
    longest = max(_PREFLIGHT_WAIT, policy.min_wait)
    return RetryPolicy(min(policy.attempts, _PREFLIGHT_RETRIES), policy.min_wait, longest, policy.max_hint)


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
    return OpenAIChat(
        _client(api_base, surroundings, most=most_at_once(settings)),
        api_base=api_base,
        api_key=api_key,
        timeout=settings["timeout"],
        observe=surroundings.observe,
    )


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


def model_for(settings: Mapping[str, Any], environment: Environment, *, name: str, function: object) -> str:
    """The model nobody named. Two functions are two models whatever their names; of recorded replies nobody said."""
    if function is not None:
        return f"{getattr(function, '__qualname__', type(function).__qualname__)} ({name})"
    if "replies" in settings:
        return "recorded"
    return environment.model(name) or str(settings["model"])
