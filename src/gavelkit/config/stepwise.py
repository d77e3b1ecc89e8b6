"""Judges in two steps from their settings: by a criterion's options, or between two systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, get_args

from gavelkit.catalog import criterion_of_row, preset, read_criterion, template_text
from gavelkit.config.schema import JUDGE
from gavelkit.config.surroundings import About, Reached
from gavelkit.config.variables import check_variables
from gavelkit.core.criterion import Criterion, Range
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Observe
from gavelkit.core.path import did_you_mean
from gavelkit.judges import Choice, Pairwise, RowCriterion, Turns, TwoStep
from gavelkit.judges.pairwise import Answers
from gavelkit.judges.pairwise import OnInconsistent as OfContest
from gavelkit.judges.two_step import OnInconsistent as OfChoice
from gavelkit.parsing import parser_for
from gavelkit.prompts import Context, Prompt, Template
from gavelkit.prompts.prompt import RESERVED

Made = TypeVar("Made")

GIVEN = frozenset({"criterion", "options", "choose_by", "context", "response_a", "response_b", "assessment"})
"""Variables that these judges give to their templates."""

_SUMMARISE = "summarise"  # the shipped template, where the judge brings none of its own
_ONE_STEP = ("response_format", "score_field", "clamp", "grade_pattern")
_STEPWISE = (
    *("context_fields", "check_positional_bias", "on_inconsistent", "choose_by", "generate_summaries"),
    *("selection_template", "summary_template", "baseline", "answers"),
)
_OF_CONTEST = ("baseline", "answers", "parser")
_OF_CHOICE = ("options", "scale", "criteria_field")
_DEFAULTS = {setting.name: setting.default for setting in JUDGE}
_RULES: Mapping[str, tuple[str, ...]] = {"pointwise": get_args(OfChoice), "pairwise": get_args(OfContest)}


def stepwise(settings: Mapping[str, Any]) -> bool:
    """Whether the settings ask for one of these judges."""
    return bool(
        settings.get("mode") == "pairwise"
        or "criterion" in settings
        or "criteria_field" in settings
        or settings.get("preset") == "criteria"
    )


def base_preset(own: Mapping[str, Any]) -> str:
    """The preset below a judge's own settings: the one it names, or the one that its criterion implies; else none."""
    if "preset" in own or "prompt_template" in own or not stepwise(own):
        return str(own.get("preset", ""))
    return "pairwise" if own.get("mode") == "pairwise" else "criteria"


def refuse_stepwise(own: Mapping[str, Any], settings: Mapping[str, Any], where: str) -> None:
    """Raises ConfigError where a judge of one step is given a setting of these, or a preset of theirs."""
    _check_mode(settings, where)
    _refuse(own, _STEPWISE, "belongs to judges with a criterion, or between systems (mode: pairwise)", where)


def stepwise_judge(
    own: Mapping[str, Any], settings: Mapping[str, Any], reached: Reached, about: About, *, where: str, observe: Observe
) -> TwoStep | Pairwise:
    """The judge. Raises ConfigError or TemplateError."""
    _refuse(own, _ONE_STEP, "belongs to judges of one step, which have a prompt_template and no criterion", where)
    _check_preset(settings, where)
    _check_rule(own, settings["mode"], where)
    make = _pairwise if settings["mode"] == "pairwise" else _two_step
    return make(own, settings, reached, about, where=where, observe=observe)


def _two_step(
    own: Mapping[str, Any], settings: Mapping[str, Any], reached: Reached, about: About, *, where: str, observe: Observe
) -> TwoStep:
    _refuse(own, _OF_CONTEST, "belongs to judges between systems (mode: pairwise)", where)
    criterion, of_row = _criterion(own, settings, about["name"], where)
    choice = Choice(settings["choose_by"])
    _placed(where, lambda: choice.check(criterion))
    return TwoStep(
        criterion=criterion,
        turns=_turns(settings, reached, choice, where=where, observe=observe),
        both_orders=settings["check_positional_bias"],
        on_inconsistent=settings.get("on_inconsistent", "first"),
        of_row=of_row,
        context=_context(settings, where),
        **about,
    )


def _pairwise(
    own: Mapping[str, Any], settings: Mapping[str, Any], reached: Reached, about: About, *, where: str, observe: Observe
) -> Pairwise:
    _refuse(own, _OF_CHOICE, "has no meaning between systems: a contest is won, lost or a tie", where)
    if settings["parser"] not in {"score", "grade"}:  # the first is the default, which no contest reads by
        message = f"{where}: between systems the reader is the option's own, or parser: grade"
        raise ConfigError(message)
    if "criterion" in settings:
        criterion = read_criterion(settings["criterion"], where=f"{where}: criterion", pairwise=True)
    elif "selection_template" in settings:
        message = f"{where}: criterion is missing: what makes one response the better one"
        raise ConfigError(message)
    else:
        criterion = Criterion("")
    words = settings.get("answers", ("Response A", "Response B", "Tie"))
    parser = None if settings["parser"] != "grade" else parser_for("grade", grades=tuple(words))
    choice = Choice(settings["choose_by"], _letters(words), parser)
    return Pairwise(
        criterion=criterion,
        turns=_turns(settings, reached, choice, where=where, observe=observe),
        answers=Answers(words[0], words[1], words[2] if len(words) > 2 else ""),  # noqa: PLR2004 - the third is a tie
        baseline=settings.get("baseline", ""),
        both_orders=settings["check_positional_bias"],
        on_inconsistent=settings.get("on_inconsistent", "tie"),
        context=_context(settings, where),
        **about,
    )


def _criterion(
    own: Mapping[str, Any], settings: Mapping[str, Any], name: str, where: str
) -> tuple[Criterion, RowCriterion | None]:
    """The criterion of every row, or the scale of them all and how each row's is read."""
    if "criteria_field" in own and "criterion" in own:
        message = f"{where}: criterion and criteria_field both say what is asked; keep one"
        raise ConfigError(message)
    if "criteria_field" in settings:
        field = settings["criteria_field"]
        ends = settings.get("scale")
        scale = None if ends is None else Range(ends[0], ends[1])
        read = _placed(where, lambda: criterion_of_row(field))
        return Criterion(name, scale, settings["higher_is_better"]), RowCriterion(field, read)
    if "criterion" not in settings:
        message = f"{where}: criterion is missing: a shipped one (`gavel list criteria`), a question, or a mapping"
        raise ConfigError(message)
    if "scale" in own:
        message = f"{where}: the scale of a criterion is its options"
        raise ConfigError(message)
    criterion = read_criterion(settings["criterion"], where=f"{where}: criterion", options=own.get("options"))
    if "higher_is_better" in own:
        criterion = replace(criterion, higher_is_better=own["higher_is_better"])
    return criterion, None


def _turns(settings: Mapping[str, Any], reached: Reached, choice: Choice, *, where: str, observe: Observe) -> Turns:
    """The prompts: assessment, choice and summary, or the choice alone where the judge brings one prompt."""
    custom = settings.get("variables", {})
    words = settings.get("system_prompt")
    system = None if words is None else Template(words, name=f"{where}: system_prompt")

    def prompt(name: str, *, opens: bool) -> Prompt:
        text = settings[name] if name in settings else template_text(_SUMMARISE)
        template = Template(text.rstrip("\n"), name=f"{where}: {name}")
        return Prompt(template, system=system if opens else None, custom=custom)

    two = "selection_template" in settings
    if settings["generate_summaries"] and not two:
        message = f"{where}: generate_summaries: without a selection_template there is no assessment to summarise"
        raise ConfigError(message)
    opening = prompt("prompt_template", opens=True)
    choose = prompt("selection_template", opens=False) if two else opening
    summarise = prompt("summary_template", opens=False) if settings["generate_summaries"] else None
    used = [each for each in (opening, choose, summarise) if each is not None]
    check_variables(custom, used, reserved=RESERVED | GIVEN, where=where, observe=observe)
    return Turns(
        choose=choose,
        choice=choice,
        parameters=reached.parameters,
        engine=reached.engine,
        assess=opening if two else None,
        summarise=summarise,
        apart="replies" in settings,
    )


def _context(settings: Mapping[str, Any], where: str) -> Context | None:
    fields = settings.get("context_fields")
    return None if fields is None else _placed(where, lambda: Context(fields))


def _letters(words: Any) -> dict[str, str]:
    """The last word of an answer as another way to give it: `A` for `Response A`."""
    return {word: word.split()[-1] for word in words[:2] if " " in word}


def _check_rule(own: Mapping[str, Any], mode: str, where: str) -> None:
    rule = own.get("on_inconsistent")
    if rule is not None and rule not in _RULES[mode]:
        hint = did_you_mean(rule, _RULES[mode])
        message = f"{where}: on_inconsistent of a {mode} judge is one of {', '.join(_RULES[mode])}, not {rule!r}{hint}"
        raise ConfigError(message)


def _check_preset(settings: Mapping[str, Any], where: str) -> None:
    """Raises ConfigError where the preset judges in another way than the settings ask for."""
    name = settings.get("preset")
    if name is None:
        return
    way = preset(name).settings
    asks_at_once = "selection_template" not in way
    if asks_at_once and ("criterion" in settings or "mode" not in way):
        message = f"{where}: the preset {name!r} judges in one step and takes no criterion; leave one of them out"
        raise ConfigError(message)
    _check_mode(settings, where)


def _check_mode(settings: Mapping[str, Any], where: str) -> None:
    name = settings.get("preset")
    if name is not None and preset(name).settings.get("mode", _DEFAULTS["mode"]) != settings["mode"]:
        message = f"{where}: the preset {name!r} is not for mode: {settings['mode']}; leave one of them out"
        raise ConfigError(message)


def _refuse(own: Mapping[str, Any], names: Sequence[str], why: str, where: str) -> None:
    """Raises ConfigError where one of the settings is given and is not its default."""
    for name in names:
        if name in own and own[name] != _DEFAULTS[name]:
            message = f"{where}: {name} {why}"
            raise ConfigError(message)


def _placed(where: str, make: Callable[[], Made]) -> Made:
    """What is made, or its ConfigError with where the settings stand."""
    try:
        return make()
    except ConfigError as error:
        message = f"{where}: {error}"
        raise ConfigError(message) from None
