"""The pre-flight: each endpoint, model and key is tried before the first judgment; a failure says what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gavelkit.core.errors import CallError, EndpointError
from gavelkit.core.event import Noticed, Observe
from gavelkit.core.failure import FailureKind
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Judge

_MOST_NAMES = 10
_MOST_WORDS = 300
_ANSWERED = frozenset({FailureKind.FILTERED, FailureKind.EMPTY})
"""The endpoint, the key and the model did their part."""


@dataclass(frozen=True, slots=True)
class _Advice:
    """What to do where an endpoint is not what its engine calls; `{model}` stands for the model's name."""

    running: str
    no_path: str
    cannot: str
    no_model: str
    other_shape: str
    no_key: str = ""


_ADVICE: Mapping[str, _Advice] = {
    "openai_chat": _Advice(
        running="is the server running",
        no_path="nothing takes chat completions there; check the path in api_base",
        cannot="which takes no chat completions there; check model and api_base",
        no_model="Set model",
        other_shape="what answers there is no chat completions endpoint; check api_base, whose path usually "
        "ends in /v1",
        no_key="none is sent; name the variable that holds it",
    ),
    "openai_completions": _Advice(
        running="is the server running",
        no_path="nothing takes plain completions there; check the path in api_base, or for a chat model set "
        "engine: openai_chat",
        cannot="which takes no plain completions there; if it is a chat model, set engine: openai_chat",
        no_model="Set model, or for a chat model engine: openai_chat",
        other_shape="what answers there sends no plain completions; check api_base, whose path usually ends in /v1, "
        "or set engine: openai_chat",
        no_key="none is sent; name the variable that holds it",
    ),
    "ollama": _Advice(
        running="is Ollama running",
        no_path="nothing there answers as Ollama does; for an OpenAI-compatible endpoint set engine: openai_chat",
        cannot="which generates nothing there; check model and api_base",
        no_model="Set model, or fetch it: ollama pull {model}",
        other_shape="what answers there is not Ollama; check api_base, such as http://localhost:11434, or set engine",
        no_key="engine: ollama sends none; where one is needed set engine: openai_chat, and /v1 in api_base",
    ),
}


async def preflight(judges: Sequence[Judge], *, observe: Observe) -> int:
    """Try what the judges call, all at once; how many requests it took.

    Raises EndpointError that says which part is wrong, for each that is.
    """
    tried = distinct_probes(judges)
    if not tried:
        return 0
    endings = await asyncio.gather(*(_ending(probe) for probe in tried))
    failed = [ending for ending in endings if isinstance(ending, str)]
    if failed:
        message = "\n".join(f"pre-flight failed: {each}" for each in failed)
        raise EndpointError(message)
    requests = sum(ending for ending in endings if isinstance(ending, int))
    observe(Noticed(f"pre-flight: ok, {requests} request{'s' if requests > 1 else ''}"))
    return requests


def distinct_probes(judges: Iterable[Judge]) -> tuple[Probe, ...]:
    """One for each endpoint, model and key that a judge wants to have tried."""
    found: dict[tuple[str, str], Probe] = {}
    for judge in judges:
        for probe in judge.probes:
            if probe.wanted:
                found.setdefault((probe.account, probe.model), probe)
    return tuple(found.values())


async def _ending(probe: Probe) -> int | str:
    """How many requests it took, or what is wrong."""
    try:
        completion = await probe.ask()
    except CallError as error:
        if error.kind in _ANSWERED:
            return 1
        if error.kind is FailureKind.MODEL_NOT_FOUND:
            said = await _no_model(probe, error)
        else:
            said = _SAYS.get(error.kind, _refused)(probe, _words(error))
    else:
        if completion.text or completion.finish_reason or completion.served_model:
            return completion.attempts
        said = _other_shape(probe, "its reply holds no choice of words")
    return f"{said} ({probe.whose or f'judge {probe.judge!r}'})"


def _words(error: CallError) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]}..."


async def _no_model(probe: Probe, error: CallError) -> str:
    """A 404 is about the model or about the path: the list of models tells, or else the error's own words do."""
    names = await probe.models()
    words = _words(error)
    if not names and "model" not in error.failure.raw.lower():
        return _said("the address is wrong", probe, words, _ADVICE[probe.engine].no_path)
    if probe.model in names:
        advice = f"it lists model {probe.model!r}, {_ADVICE[probe.engine].cannot}"
        return _said("the model or the path is wrong", probe, words, advice)
    shown = ", ".join(names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    offers = f"it offers {shown}{more}" if names else "it does not list its models"
    cure = _ADVICE[probe.engine].no_model.format(model=probe.model)
    return _said("the model is wrong", probe, words, f"there is no model {probe.model!r}: {offers}. {cure}")


def _said(what: str, probe: Probe, words: str, advice: str) -> str:
    advice = advice.replace("api_base", probe.address).replace("engine: openai_chat", probe.as_chat)
    return f"{what}: {probe.api_base} ({words}); {advice}"


def _unreachable(probe: Probe, words: str) -> str:
    secured = probe.api_base.startswith("https:") and "no connection within" in words
    https = ", and does it speak https" if secured else ""
    advice = f"{_ADVICE[probe.engine].running}{https}? Check api_base"
    return _said("the address is wrong, or nothing runs there", probe, words, advice)


def _unknown_host(probe: Probe, words: str) -> str:
    return _said("the address is wrong", probe, words, "check the host in api_base, and the network")


def _no_tls(probe: Probe, words: str) -> str:
    plain = "is this http?" in words
    advice = "write http:// in api_base" if plain else "its certificate must be trusted here"
    return _said("the address is wrong", probe, words, advice)


def _other_protocol(probe: Probe, words: str) -> str:
    secured = "is this https?" in words
    return _said("the address is wrong", probe, words, "write https:// in api_base" if secured else "check api_base")


def _other_shape(probe: Probe, words: str) -> str:
    return _said("the address is wrong", probe, words, _ADVICE[probe.engine].other_shape)


def _silent(probe: Probe, words: str) -> str:
    return _said("the endpoint does not answer", probe, words, "is the model still loading? Raise timeout")


def _wrong_key(probe: Probe, words: str) -> str:
    if probe.key_variable:
        return _said(
            "the key is wrong", probe, words, f"it was sent the key in {probe.key_variable}; set the right one"
        )
    if not probe.key_variables:
        return _said("a key is asked for", probe, words, _ADVICE[probe.engine].no_key)
    variables = ", ".join(probe.key_variables)
    return _said("the key is missing", probe, words, f"none of {variables} is set; export one of them")


def _forbidden(probe: Probe, words: str) -> str:
    whose = f"the key in {probe.key_variable}" if probe.key_variable else "a request without a key"
    return _said("the key has no access", probe, words, f"{whose} may not use model {probe.model!r}; ask for access")


def _no_quota(probe: Probe, words: str) -> str:
    whose = f" of the key in {probe.key_variable}" if probe.key_variable else ""
    return _said("the quota is used up", probe, words, f"check plan and billing of the account{whose}")


def _too_busy(probe: Probe, words: str) -> str:
    return _said("the endpoint is too busy", probe, words, "wait, raise retry_attempts or lower concurrency")


def _failing(probe: Probe, words: str) -> str:
    return _said("the endpoint fails", probe, words, "try again later, or look into the server's log")


def _refused(probe: Probe, words: str) -> str:
    return _said("the request is refused", probe, words, f"check model {probe.model!r}, temperature and extra_body")


_SAYS: Mapping[FailureKind, Callable[[Probe, str], str]] = {
    FailureKind.CONNECT: _unreachable,
    FailureKind.RESET: _unreachable,
    FailureKind.DNS: _unknown_host,
    FailureKind.TLS: _no_tls,
    FailureKind.PROTOCOL: _other_protocol,
    FailureKind.DECODE: _other_shape,
    FailureKind.REDIRECT: _other_shape,
    FailureKind.TOO_LARGE: _other_shape,
    FailureKind.TIMEOUT: _silent,
    FailureKind.AUTH: _wrong_key,
    FailureKind.FORBIDDEN: _forbidden,
    FailureKind.QUOTA: _no_quota,
    FailureKind.RATE_LIMIT: _too_busy,
    FailureKind.SERVER: _failing,
}
