"""What a judge asked, made again from the record: its prompts are kept once, with the judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gavelkit.catalog import criterion_of_row
from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import NotYet
from gavelkit.core.example import Example
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.judges import Choice, Pairwise, RowCriterion, Turns, TwoStep
from gavelkit.judges.direct import STEP
from gavelkit.judges.pairwise import Answers
from gavelkit.judges.turns import ASSESSMENT, SELECTION, SUMMARY
from gavelkit.prompts import Context, Prompt, Template

AskedAgain = Callable[[Judgment, Example], Mapping[str, Request]]
"""Each step's request of a judgment, in the order asked. Raises TemplateError, DataError or UnicodeEncodeError."""


def asked_again(name: str, asks: Mapping[str, Any]) -> AskedAgain:
    """How to make the requests of a recorded judge again, from what it is recorded to ask."""
    if asks["way"] == "two_step":
        return _two_step(name, asks).requests
    if asks["way"] == "pairwise":
        return _pairwise(name, asks).requests
    if asks["way"] == "function":
        return lambda _judgment, _example: {}  # only the function knows
    return _direct(asks)


class _Nobody:
    """The engine of a judge that is only asked what it would ask."""

    async def complete(self, _request: Request) -> Completion:
        raise NotYet


def _direct(asks: Mapping[str, Any]) -> AskedAgain:
    prompt, parameters = _prompt(asks), _parameters(asks)

    def requests(judgment: Judgment, example: Example) -> Mapping[str, Request]:
        slot = judgment.slot
        messages: tuple[Message, ...] = prompt.messages(example, slot.systems[0])
        return {STEP: Request(messages, parameters, slot.repeat, Labels(), slot.place if asks.get("apart") else "")}

    return requests


def _two_step(name: str, asks: Mapping[str, Any]) -> TwoStep:
    field = asks.get("criteria_field")
    shown = asks.get("context_fields")
    return TwoStep(
        name=name,
        criterion=Criterion(name) if field else _criterion(asks["criterion"]),
        turns=_turns(asks),
        both_orders=asks["both_orders"],
        of_row=_of_row(field) if field else None,
        context=None if shown is None else Context(dict(shown)),
    )


def _pairwise(name: str, asks: Mapping[str, Any]) -> Pairwise:
    return Pairwise(
        name=name,
        criterion=_criterion(asks["criterion"]),
        turns=_turns(asks),
        answers=Answers(*asks["answers"]),
        both_orders=asks["both_orders"],
        context=Context(dict(asks["context_fields"])),
    )


def _of_row(field: str) -> RowCriterion:
    """Each row's criterion for its words; which end of the scale is the better one changes no question."""
    read = criterion_of_row(field)
    return RowCriterion(field, lambda example: replace(read(example), higher_is_better=True))


def _criterion(about: Mapping[str, Any]) -> Criterion:
    """The words of a criterion; of its scores nothing is asked."""
    options = about.get("options")
    scale = None if not options else Options({each: 0.0 for each, _ in options}, dict(options))
    return Criterion(about["name"], scale, description=about["description"])


def _turns(asks: Mapping[str, Any]) -> Turns:
    prompts = {step: _prompt(material) for step, material in asks["prompts"].items()}
    return Turns(
        choose=prompts[SELECTION],
        choice=Choice(asks["choose_by"]),
        parameters=_parameters(asks),
        engine=_Nobody(),
        assess=prompts.get(ASSESSMENT),
        summarise=prompts.get(SUMMARY),
        apart=bool(asks.get("apart")),
    )


def _prompt(asks: Mapping[str, Any]) -> Prompt:
    system = asks.get("system_prompt")
    return Prompt(
        Template(asks["prompt_template"]),
        system=None if system is None else Template(system, name="system_prompt"),
        custom=asks.get("variables"),
        response_format=asks.get("shown_format"),
    )


def _parameters(asks: Mapping[str, Any]) -> Parameters:
    response_format, plain = asks.get("response_format", ""), bool(asks.get("plain"))
    return Parameters(asks["model"], asks["parameters"], response_format, plain=plain)
