"""A judge from its settings: preset, template, parser, scale and engine put together. Public as `gavelkit.judge`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, Unpack

from gavelkit.catalog import preset as shipped
from gavelkit.config.environment import (
    DEFAULT_API_BASE,
    Environment,
    check_api_base,
    check_file_key,
    sends_key_in_clear,
)
from gavelkit.config.probing import probe_for
from gavelkit.config.reading import reader
from gavelkit.config.response_format import ResponseFormat, read_response_format, templates
from gavelkit.config.schema import JUDGE, UNNAMED
from gavelkit.config.setting import letters_apart, read_settings
from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Event, Noticed, Observe, ignore
from gavelkit.core.limits import Limits
from gavelkit.core.message import Parameters
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
    SystemClock,
)
from gavelkit.judges import Direct
from gavelkit.prompts import Prompt
from gavelkit.prompts.prompt import RESERVED

_SENT = ("temperature", "max_tokens", "top_p", "seed")
_DEFAULTS = {setting.name: setting.default for setting in JUDGE if setting.default is not None}
_NAME_MARKS = ".[]"
_LIKELY_TYPO = 2  # letters between a variable's name and a setting's
_OWN_FIELDS = {"model", "messages", "stream"}
_NEVER_IDLE = 86_400.0  # a judge that thinks sends nothing meanwhile; `timeout` bounds the whole request


class JudgeSettings(TypedDict, total=False):
    """The settings of a judge, as in a configuration file, besides `preset`."""

    name: str
    prompt_template: str
    system_prompt: str
    variables: Mapping[str, Any]
    parser: str
    grade_pattern: str
    response_format: Mapping[str, Any]
    score_field: str
    options: Mapping[str, float]
    scale: tuple[float, float]
    clamp: bool
    higher_is_better: bool
    threshold: float
    engine: str
    replies: str
    model: str
    api_base: str
    temperature: float
    max_tokens: int
    top_p: float
    seed: int
    extra_body: Mapping[str, Any]
    save_details: bool
    api_key: str
    concurrency: int
    max_error_rate: float
    preflight_check: bool
    retry_attempts: int
    retry_min_wait: float
    retry_max_wait: float
    timeout: float


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a judge is put together in: the environment, the folder its files are relative to, and who observes.

    One client serves every judge of one endpoint. `strict` refuses what is otherwise a warning: a key over plain http.
    """

    environment: Environment = field(default_factory=lambda: Environment(os.environ))
    folder: Path = Path()
    observe: Observe = ignore
    clients: dict[str, HttpClients] = field(default_factory=dict)
    strict: bool = False


def _warn(event: Event) -> None:
    if isinstance(event, Noticed):
        warnings.warn(event.message, stacklevel=2)


def judge(
    preset: str | None = None,
    *,
    function: Callable[[str], Any] | Engine | None = None,
    **settings: Unpack[JudgeSettings],
) -> Direct:
    r"""A judge ready to run.

    `preset` names a shipped judge; every other setting overrides its own. `function` is any sync or async function
    from prompt to text, or an engine, in place of an endpoint. Raises ConfigError or TemplateError.

        >>> judge("score_0_10", function=lambda prompt: "Right in every point.\nScore: 9").name
        'score_0_10'
    """
    given = dict(settings) if preset is None else {"preset": preset, **settings}
    return assemble(given, Surroundings(observe=_warn), where="judge", function=function)


def assemble(
    given: Mapping[str, Any],
    surroundings: Surroundings,
    *,
    where: str,
    function: Callable[[str], Any] | Engine | None = None,
) -> Direct:
    """A judge from checked or unchecked settings; `where` opens every message. Raises ConfigError or TemplateError."""
    own = read_settings(given, JUDGE, where)
    base = read_settings(shipped(own["preset"]).settings, JUDGE, f"preset {own['preset']}") if "preset" in own else {}
    chosen = {**base, **own}
    name = _name(chosen, where)
    where = f"{where} {name!r}" if name not in where else where
    if "prompt_template" not in chosen:
        message = f"{where}: a judge needs a preset or a prompt_template"
        raise ConfigError(message)
    environment = surroundings.environment
    settings = {**_DEFAULTS, "api_base": environment.api_base(name) or DEFAULT_API_BASE, **chosen}
    model = chosen.get("model") or _model(settings, environment, name=name, function=function)
    engine, probes = _engine(settings, surroundings, name=name, model=model, where=where, function=function)
    form = read_response_format(settings, where)
    sent = {key: settings[key] for key in _SENT if key in settings}
    taken = sorted(_OWN_FIELDS & settings.get("extra_body", {}).keys())
    if taken:
        message = f"{where}: extra_body cannot set {taken[0]!r}, which gavelkit sets itself"
        raise ConfigError(message)
    return Direct(
        name=name,
        prompt=_prompt(settings, form, where, surroundings.observe),
        parser=reader(own, settings, form, where=where, observe=surroundings.observe),
        criterion=Criterion(name, _scale(settings, where), settings["higher_is_better"]),
        parameters=Parameters(model, {**sent, **settings.get("extra_body", {})}, form.sent if form else ""),
        engine=engine,
        threshold=settings.get("threshold"),
        limits=Limits(settings["concurrency"], settings["max_error_rate"]),
        preset=settings.get("preset", ""),
        apart="replies" in settings,
        named=bool(settings.get("preset") or settings.get("name", UNNAMED) != UNNAMED),
        save_details=settings["save_details"],
        probes=probes,
    )


def _name(settings: Mapping[str, Any], where: str) -> str:
    name = str(settings.get("name") or settings.get("preset") or "judge")
    marks = sorted(set(name) & set(_NAME_MARKS))
    if marks:
        message = f"{where}: the judge's name {name!r} holds {' '.join(marks)}, which gates give a meaning of their own"
        raise ConfigError(message)
    return name


def _prompt(settings: Mapping[str, Any], form: ResponseFormat | None, where: str, observe: Observe) -> Prompt:
    custom = settings.get("variables", {})
    taken = sorted(RESERVED & custom.keys())
    if taken:
        message = f"{where}: the variable {taken[0]!r} has a meaning of its own and cannot be set"
        raise ConfigError(message)
    user, system = templates(settings, form, where)
    prompt = Prompt(user, system=system, custom=custom, response_format=form.shown if form else None)
    for name in custom:
        near = [setting.name for setting in JUDGE if letters_apart(name, setting.name) <= _LIKELY_TYPO]
        hint = f"; is the setting {near[0]} meant?" if near else ""
        if name not in prompt.names:
            observe(Noticed(f"{where}: no template uses the variable {name!r}{hint}"))
        elif near:
            observe(Noticed(f"{where}: {name!r} is a variable of the templates{hint}"))
    return prompt


def _scale(settings: Mapping[str, Any], where: str) -> Range | Options | None:
    options, ends = settings.get("options"), settings.get("scale")
    if options and ends:
        message = f"{where}: options and scale are two scales; keep one"
        raise ConfigError(message)
    if settings["clamp"] and not ends:
        message = f"{where}: clamp needs a scale"
        raise ConfigError(message)
    if options:
        return Options(options)
    return Range(ends[0], ends[1], settings["clamp"]) if ends else None


def _engine(
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
    provider = _provider(settings, surroundings, name=name, where=where, function=function)
    low, high = settings["retry_min_wait"], settings["retry_max_wait"]
    if low > high:
        message = f"{where}: retry_min_wait {low:g} is longer than retry_max_wait {high:g}"
        raise ConfigError(message)
    policy = RetryPolicy(settings["retry_attempts"], low, high)
    ceiling = Ceiling(provider, settings["concurrency"])
    engine = Retrying(ceiling, policy, clock=SystemClock(), observe=surroundings.observe)
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


def _model(settings: Mapping[str, Any], environment: Environment, *, name: str, function: object) -> str:
    """The model nobody named. Two functions are two models whatever their names; of recorded replies nobody said."""
    if function is not None:
        return f"{getattr(function, '__qualname__', type(function).__qualname__)} ({name})"
    if "replies" in settings:
        return "recorded"
    return environment.model(name) or str(settings["model"])
