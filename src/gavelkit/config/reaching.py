"""How a judge's model is reached: an endpoint, a function, or recorded replies, with what is wrapped round it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gavelkit.config.environment import Environment, check_file_key
from gavelkit.config.probing import probe_for
from gavelkit.config.provider import default_model, provider_for
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
    RecordedEngine,
    Repairing,
    RepairMemory,
    Retrying,
    RetryPolicy,
    batched_engine,
)
from gavelkit.engines.gate import MOST_AUTO

_PREFLIGHT_RETRIES = 2
_PREFLIGHT_WAIT = 2.0


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
    policy, most = _policy(settings, where), most_at_once(settings)
    if function is not None:
        ceiling = Ceiling(_called(function), most)
        return Retrying(ceiling, policy, clock=surroundings.clock, observe=surroundings.observe), ()
    provider = provider_for(settings, surroundings, name=name, where=where, most=most)
    gate, memory = _shared(settings, surroundings, (provider.account, model), where=where)
    ceiling = Ceiling(Gated(provider, gate), most)

    def retried(policy: RetryPolicy) -> Engine:
        engine = Retrying(ceiling, policy, clock=surroundings.clock, observe=surroundings.observe, gate=gate)
        return Repairing(engine, memory)

    probe = probe_for(
        settings,
        surroundings.environment,
        name=name,
        model=model,
        provider=provider,
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


def _called(function: Callable[[str], Any] | Engine) -> Engine:
    return function if hasattr(function, "complete") else CallableEngine(function)


def model_for(settings: Mapping[str, Any], environment: Environment, *, name: str, function: object) -> str:
    """The model nobody named. Two functions are two models whatever their names; of recorded replies nobody said."""
    if function is not None:
        return f"{getattr(function, '__qualname__', type(function).__qualname__)} ({name})"
    if "replies" in settings:
        return "recorded"
    return environment.model(name) or default_model(settings)
