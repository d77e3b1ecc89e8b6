"""Criteria in unitxt's form, and how each becomes the criterion that a judge takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

from gavelkit.catalog import context_paths, criterion_fields, names
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import ConfigError
from gavelkit.core.path import did_you_mean
from gavelkit.integrations.unitxt_error import unitxt_error

ContextFields = str | Sequence[str] | Mapping[str, str] | None

_INDENT = 4
_PLAIN = ("name", "description", "prediction_field", "context_fields", "polarity")
_NO_CRITERIA = "criteria are a shipped name, a mapping, its JSON, or an object with name and description, not {!r}"


@dataclass(frozen=True, slots=True)
class CriteriaOption:
    """One option of a criterion: its name, and when it fits."""

    name: str
    description: str = ""

    @classmethod
    def from_obj(cls, given: Any) -> Self:
        """From a mapping, or any object with these fields; a text is a name. Raises UnitxtError."""
        if isinstance(given, str):
            return cls(given)
        fields = given if isinstance(given, Mapping) else _attributes(given, "name", "description")
        if fields.get("name") is None:
            message = f"an option needs a name, and there is {given!r}"
            raise unitxt_error(message)
        return cls(str(fields["name"]), str(fields.get("description") or ""))

    def to_dict(self) -> dict[str, Any]:
        """The option's artifact."""
        return {"__type__": "criteria_option", "name": self.name, "description": self.description}


@dataclass(frozen=True, slots=True)
class Criteria:
    """What is asked of a response; `context_fields` is a name, a list, or a mapping of shown names to paths.

    `polarity` is `lower_is_better` where a high score means something bad. It is shown, and changes no score.
    """

    name: str
    description: str
    prediction_field: str | None = None
    context_fields: ContextFields = None
    polarity: str | None = field(default=None, kw_only=True)

    @classmethod
    def from_obj(cls, given: Mapping[str, Any]) -> Self:
        """From an artifact's mapping, with or without `__type__`. Raises UnitxtError."""
        return cls(**_fields(given))

    @classmethod
    def from_jsons(cls, text: str) -> Self:
        """From an artifact's JSON. Raises UnitxtError."""
        return cls.from_obj(_json(text))

    def to_dict(self) -> dict[str, Any]:
        """The artifact, without the fields that are not set."""
        return {"__type__": "criteria", **_set(self, *_PLAIN)}

    def to_json(self) -> str:
        """The artifact as text."""
        return json.dumps(self.to_dict(), indent=_INDENT, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class CriteriaWithOptions(Criteria):
    """Criteria with the options to choose from, in the order shown, and the score of each (None: 1 for every one)."""

    options: Sequence[CriteriaOption] = ()
    option_map: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", [_option(each) for each in self.options])

    @classmethod
    def from_obj(cls, given: Mapping[str, Any]) -> Self:
        """From an artifact's mapping, with or without `__type__`. Raises UnitxtError."""
        if not given.get("options"):
            message = f"the criteria {given.get('name')!r} have no options"
            raise unitxt_error(message)
        return cls(**_fields(given), options=given["options"], option_map=given.get("option_map"))

    def to_dict(self) -> dict[str, Any]:
        """The artifact, without the fields that are not set."""
        options = [option.to_dict() for option in self.options]
        plain = {"__type__": "criteria_with_options", **_set(self, *_PLAIN)}
        return {**plain, "options": options, **_set(self, "option_map")}


def as_criteria(given: Any, *, pairwise: bool = False) -> Criteria:
    """Criteria from any form: ours, a shipped name, an artifact's JSON or mapping, or an object of unitxt's.

    Raises UnitxtError.
    """
    if isinstance(given, Criteria):
        return given
    if isinstance(given, str):
        return as_criteria(_json(given)) if given.strip().startswith("{") else _shipped(given.strip(), pairwise)
    if isinstance(given, Enum):
        return as_criteria(given.value, pairwise=pairwise)
    if not isinstance(given, Mapping):
        given = _attributes(given, *_PLAIN, "options", "option_map") or given
    if not isinstance(given, Mapping):
        raise unitxt_error(_NO_CRITERIA.format(given))
    return CriteriaWithOptions.from_obj(given) if given.get("options") else Criteria.from_obj(given)


def option_criterion(criteria: CriteriaWithOptions) -> Criterion:
    """The criteria as a judge of options takes them. Raises UnitxtError: an option has no score, or is there twice."""
    return Criterion(criteria.name, _scale(criteria), description=criteria.description)


def contest_criterion(criteria: Criteria) -> Criterion:
    """The criteria as a judge of contests takes them: their options mean nothing there."""
    return Criterion(criteria.name, description=criteria.description)


def context_of(given: ContextFields) -> dict[str, str]:
    """`context_fields` as a mapping of shown names to paths. Raises UnitxtError."""
    try:
        return context_paths(given or [])
    except TypeError as error:
        message = f"{error}, not {given!r}"
        raise unitxt_error(message) from None


def _scale(criteria: CriteriaWithOptions) -> Options:
    scores = criteria.option_map
    found: dict[str, float] = {}
    for option in criteria.options:
        score = 1.0 if scores is None else scores.get(option.name)
        if isinstance(score, bool) or not isinstance(score, int | float):
            hint = did_you_mean(option.name, scores or ())
            message = f"the criteria {criteria.name!r}: option_map gives no number for the option {option.name!r}{hint}"
            raise unitxt_error(message)
        if option.name.casefold() in {each.casefold() for each in found}:
            message = f"the criteria {criteria.name!r}: two options are called {option.name!r}"
            raise unitxt_error(message)
        found[option.name] = float(score)
    return Options(found, {option.name: option.description for option in criteria.options})


def _shipped(name: str, pairwise: bool) -> Criteria:  # noqa: FBT001 - private, and always the same order
    """A shipped one. A contest takes either kind, the kind for contests first."""
    short = name.rpartition(".")[2]
    of_contests = pairwise and short in names("pairwise_criteria")
    try:
        fields = criterion_fields(name, pairwise=of_contests)
    except ConfigError as error:
        message = f"criteria: {error}"
        raise unitxt_error(message) from None
    return as_criteria({"name": short, **fields})


def _attributes(given: Any, *wanted: str) -> dict[str, Any]:
    return {name: getattr(given, name) for name in wanted if hasattr(given, name)}


def _option(given: Any) -> CriteriaOption:
    return given if isinstance(given, CriteriaOption) else CriteriaOption.from_obj(given)


def _fields(given: Mapping[str, Any]) -> dict[str, Any]:
    for name in ("name", "description"):
        if not isinstance(given.get(name), str):
            message = f"criteria need a {name}, a text; there is {dict(given)!r}"
            raise unitxt_error(message)
    return {name: given.get(name) for name in _PLAIN}


def _json(text: str) -> Mapping[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as error:
        message = f"criteria: not JSON: {error}"
        raise unitxt_error(message) from error
    if not isinstance(given, Mapping):
        raise unitxt_error(_NO_CRITERIA.format(given))
    return given


def _set(criteria: Criteria, *wanted: str) -> dict[str, Any]:
    found = {name: getattr(criteria, name) for name in wanted}
    return {name: value for name, value in found.items() if value is not None}
