"""The ways to ask an endpoint otherwise that refuses a parameter, and what each of them loses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gavelkit.core.message import Parameters
from gavelkit.engines.effective import FORMAT, everything


@dataclass(frozen=True, slots=True)
class Change:
    """What is done about a refused parameter. `make` returns the same object where there is nothing to change.

    `parameters` are those that call for it when refused; `instead` is one that stands in for them; `says` is what a
    user should know.
    """

    name: str
    parameters: frozenset[str]
    says: str
    make: Callable[[Parameters], Parameters]
    instead: str = ""


def _renaming(old: str, new: str) -> Change:
    def make(parameters: Parameters) -> Parameters:
        values = parameters.values
        if old not in values:
            return parameters
        rest = {name: value for name, value in values.items() if name != old}
        return replace(parameters, values={new: values[old], **rest})

    says = f"{old} is sent as {new}, the only name that the endpoint takes"
    return Change(f"{old} renamed", frozenset({old}), says, make, instead=new)


def _dropping(names: Sequence[str], says: str) -> Change:
    def make(parameters: Parameters) -> Parameters:
        if not any(name in parameters.values for name in names):
            return parameters
        return replace(parameters, values=_without(parameters.values, names))

    return Change(f"{names[0]} left out", frozenset(names), f"{names[0]} is not sent: {says}", make)


def _as_object(parameters: Parameters) -> Parameters:
    if form_type(parameters) != "json_schema":
        return parameters
    form = json.dumps({"type": "json_object"})
    return replace(parameters, values=_without(parameters.values, [FORMAT]), response_format=form)


def _without_form(parameters: Parameters) -> Parameters:
    if form_type(parameters) in {"", "json_schema"}:
        return parameters
    return replace(parameters, values=_without(parameters.values, [FORMAT]), response_format="")


def form_type(parameters: Parameters) -> str:
    """The type of the response format; empty where there is none."""
    form: Any = everything(parameters).get(FORMAT)
    return str(form.get("type") or "unknown") if isinstance(form, Mapping) else "" if form is None else "unknown"


def _without(values: Mapping[str, object], names: Sequence[str]) -> Mapping[str, object]:
    return {name: value for name, value in values.items() if name not in names}


_VARIES: Final = "so replies may differ between runs"

CHANGES: Final = (
    _renaming("max_tokens", "max_completion_tokens"),
    _renaming("max_completion_tokens", "max_tokens"),
    _dropping(["temperature"], f"the endpoint takes only its default, {_VARIES}"),
    _dropping(["top_p"], f"the endpoint does not take it here, {_VARIES}"),
    _dropping(["seed"], f"the endpoint takes none, {_VARIES}"),
    Change(
        "json_schema as json_object",
        frozenset({FORMAT}),
        "response_format is sent as json_object: the endpoint takes no JSON schema, so replies may have another form",
        _as_object,
    ),
    Change(
        "response_format left out",
        frozenset({FORMAT}),
        "response_format is not sent: the endpoint does not take it, so replies are JSON only as the prompt asks",
        _without_form,
    ),
    _dropping(["logprobs", "top_logprobs"], "the endpoint gives none, so choices are read from the text"),
)
"""In the order in which they are made."""

REFUSABLE: Final = frozenset[str]().union(*(change.parameters for change in CHANGES))
