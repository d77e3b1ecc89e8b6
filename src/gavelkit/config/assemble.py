"""A judge from its settings: preset, template, parser, scale and engine put together. Public as `gavelkit.judge`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from gavelkit.catalog import is_name
from gavelkit.catalog import preset as shipped
from gavelkit.config.criterion_file import with_criterion_file
from gavelkit.config.provider import OPENAI_COMPLETIONS, default_api_base
from gavelkit.config.reaching import engine_for, model_for, most_at_once
from gavelkit.config.reading import reader
from gavelkit.config.response_format import read_response_format, templates
from gavelkit.config.scale import scale_of
from gavelkit.config.schema import JUDGE, JUDGE_DEFAULTS, UNNAMED
from gavelkit.config.setting import read_settings
from gavelkit.config.stepwise import (
    base_preset,
    refuse_stepwise,
    stepwise,
    stepwise_judge,
)
from gavelkit.config.surroundings import About, Reached, Surroundings, of_process
from gavelkit.config.variables import check_variables
from gavelkit.core.criterion import Criterion
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Event, Noticed, Observe
from gavelkit.core.limits import Limits
from gavelkit.core.message import Parameters
from gavelkit.core.protocols import Engine
from gavelkit.judges import AnyJudge, Direct
from gavelkit.prompts import Prompt
from gavelkit.prompts.prompt import RESERVED

_SENT = ("temperature", "max_tokens", "top_p", "seed")
_NAME_MARKS = ".[]"
_OWN_FIELDS = {"model", "messages", "stream"}


class JudgeSettings(TypedDict, total=False):
    """The settings of a judge, as in a configuration file, besides `preset`."""

    name: str
    prompt_template: str
    system_prompt: str
    variables: Mapping[str, Any]
    mode: str
    criterion: str | Mapping[str, Any]
    criteria_field: str
    context_fields: str | Sequence[str] | Mapping[str, str]
    check_positional_bias: bool
    on_inconsistent: str
    choose_by: str
    generate_summaries: bool
    selection_template: str
    summary_template: str
    baseline: str
    answers: Sequence[str]
    parser: str
    grade_pattern: str
    response_format: Mapping[str, Any]
    score_field: str | Mapping[str, float]
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
    concurrency: int | str
    max_concurrency: int
    max_error_rate: float
    preflight_check: bool
    retry_attempts: int
    retry_min_wait: float
    retry_max_wait: float
    max_wait: float
    requests_per_minute: float
    tokens_per_minute: float
    timeout: float


def _warn(event: Event) -> None:
    if isinstance(event, Noticed):
        warnings.warn(event.message, stacklevel=2)


def judge(
    preset: str | None = None,
    *,
    function: Callable[[str], Any] | Engine | None = None,
    **settings: Unpack[JudgeSettings],
) -> AnyJudge:
    r"""A judge ready to run.

    `preset` names a shipped judge, `criterion` a shipped criterion or one of your own; every other setting overrides
    what they bring. `function` is any sync or async function
    from prompt to text, or an engine, in place of an endpoint. Raises ConfigError or TemplateError.

        >>> judge("score_0_10", function=lambda prompt: "Right in every point.\nScore: 9").name
        'score_0_10'
    """
    given = dict(settings) if preset is None else {"preset": preset, **settings}
    return assemble(given, of_process(_warn), where="judge", function=function)


def assemble(
    given: Mapping[str, Any],
    surroundings: Surroundings,
    *,
    where: str,
    function: Callable[[str], Any] | Engine | None = None,
) -> AnyJudge:
    """A judge from checked or unchecked settings; `where` opens every message. Raises ConfigError or TemplateError."""
    own = with_criterion_file(read_settings(given, JUDGE, where), surroundings.folder, where)
    base = base_preset(own)
    chosen = {**read_settings(shipped(base).settings, JUDGE, f"preset {base}"), **own} if base else own
    name = _name(chosen, where)
    where = f"{where} {name!r}" if name not in where else where
    if "prompt_template" not in chosen:
        message = f"{where}: a judge needs a preset, a criterion or a prompt_template"
        raise ConfigError(message)
    environment = surroundings.environment
    api_base = default_api_base(chosen.get("engine", JUDGE_DEFAULTS["engine"]), environment, name=name)
    settings = {**JUDGE_DEFAULTS, "api_base": api_base, **chosen}
    model = chosen.get("model") or model_for(settings, environment, name=name, function=function)
    engine, probes = engine_for(settings, surroundings, name=name, model=model, where=where, function=function)
    plain = function is None and settings["engine"] == OPENAI_COMPLETIONS
    reached = Reached(engine, probes, Parameters(model, _sent(settings, where), plain=plain))
    about: About = {
        "name": name,
        "threshold": settings.get("threshold"),
        "limits": Limits(most_at_once(settings), settings["max_error_rate"]),
        "preset": settings.get("preset", ""),
        "named": bool(settings.get("preset") or settings.get("criterion") or settings.get("name", UNNAMED) != UNNAMED),
        "save_details": settings["save_details"],
        "probes": probes,
    }
    if stepwise(settings):
        return stepwise_judge(own, settings, reached, about, where=where, observe=surroundings.observe)
    refuse_stepwise(own, settings, where)
    return _direct(own, settings, reached, about, where=where, observe=surroundings.observe)


def _direct(
    own: Mapping[str, Any], settings: Mapping[str, Any], reached: Reached, about: About, *, where: str, observe: Observe
) -> Direct:
    form = read_response_format(settings, where)
    user, system = templates(settings, form, where)
    custom = settings.get("variables", {})
    prompt = Prompt(user, system=system, custom=custom, response_format=form.shown if form else None)
    check_variables(custom, [prompt], reserved=RESERVED, where=where, observe=observe)
    parameters = replace(reached.parameters, response_format=form.sent if form else "")
    return Direct(
        prompt=prompt,
        parser=reader(own, settings, form, where=where, observe=observe),
        criterion=Criterion(about["name"], scale_of(settings, where), settings["higher_is_better"]),
        parameters=parameters,
        engine=reached.engine,
        apart="replies" in settings,
        **about,
    )


def _sent(settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What is sent beside the messages."""
    further = settings.get("extra_body", {})
    taken = sorted(_OWN_FIELDS & further.keys())
    if taken:
        message = f"{where}: extra_body cannot set {taken[0]!r}, which gavelkit sets itself"
        raise ConfigError(message)
    return {**{key: settings[key] for key in _SENT if key in settings}, **further}


def _name(settings: Mapping[str, Any], where: str) -> str:
    criterion = settings.get("criterion")
    shipped_criterion = criterion.rpartition(".")[2] if isinstance(criterion, str) and is_name(criterion) else None
    name = str(settings.get("name") or shipped_criterion or settings.get("preset") or "judge")
    marks = sorted(set(name) & set(_NAME_MARKS))
    if marks:
        message = f"{where}: the judge's name {name!r} holds {' '.join(marks)}, which gates give a meaning of their own"
        raise ConfigError(message)
    return name
