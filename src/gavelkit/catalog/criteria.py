"""Criteria from whatever form a user has them in: a shipped name, a question, a mapping, or an artifact's JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from gavelkit.catalog.reader import criterion_fields, names
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import Example
from gavelkit.core.path import Path, did_you_mean

YES_NO: Mapping[str, float] = {"Yes": 1.0, "No": 0.0}
YES_NO_PARTIALLY: Mapping[str, float] = {"Yes": 1.0, "Partially": 0.5, "No": 0.0}
_SHORT = {"yes/no": YES_NO, "yes/no/partially": YES_NO_PARTIALLY}
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*")
_LOWER, _HIGHER = "lower_is_better", "higher_is_better"
_FIELDS = frozenset(
    {"__type__", "name", "description", "prediction_field", "context_fields", "polarity", "options", "option_map"}
)


def is_name(text: str) -> bool:
    """Whether a text is meant as a shipped criterion's name and not as a question."""
    return _NAME.fullmatch(text.strip()) is not None


def read_criterion(
    value: Any, *, where: str, pairwise: bool = False, options: Mapping[str, float] | None = None
) -> Criterion:
    """A criterion from a shipped name, a plain question (yes or no), a mapping, or its JSON text.

    `options` are the scores of a plain question's answers, in place of yes and no. A contest needs no options.
    Raises ConfigError naming what is wrong and what would be right.
    """
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("{"):
            return _from_mapping(_json(text, where), where, pairwise=pairwise)
        if is_name(text):
            if options is not None:
                message = f"{where}: a shipped criterion has options of its own; leave out options"
                raise ConfigError(message)
            return _shipped(text, where, pairwise=pairwise)
        if text:
            return Criterion("", None if pairwise else Options(dict(options or YES_NO)), description=text)
    if isinstance(value, Mapping) and options is None:
        return _from_mapping(value, where, pairwise=pairwise)
    if isinstance(value, Mapping):
        message = f"{where}: a criterion that is a mapping brings its own options; leave out the judge's"
        raise ConfigError(message)
    message = f"{where} must be a shipped name, a question or a mapping, not {value!r}"
    raise ConfigError(message)


def criterion_of_row(field: str) -> Callable[[Example], Criterion]:
    """Reads each row's own criterion from a field, in any form `read_criterion` takes; it raises DataError.

    Raises ConfigError where the field is no path.
    """
    try:
        path = Path.parse(field)
    except ValueError as error:
        message = f"criteria_field: {error}"
        raise ConfigError(message) from error

    def read(example: Example) -> Criterion:
        row = {**example.doc, **example.fields, "doc": example.doc}
        try:
            return read_criterion(path.get(row), where=f"{example.place}: {field}")
        except LookupError as error:
            message = f"{example.place}: criteria_field: {error.args[0]}"
            raise DataError(message) from None
        except ConfigError as error:
            raise DataError(str(error)) from None

    return read


def context_paths(value: Any) -> dict[str, str]:
    """`context_fields` as a name, a list of names, or a mapping of what is shown to its path. Raises TypeError."""
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list | tuple):
        value = {name: name for name in value}
    pairs = value.items() if isinstance(value, Mapping) else [(None, None)]
    if not all(isinstance(name, str) and isinstance(path, str) and name and path for name, path in pairs):
        message = "context_fields is a name, a list of names, or a mapping of shown names to paths"
        raise TypeError(message)
    return dict(value)


def _shipped(text: str, where: str, *, pairwise: bool) -> Criterion:
    """The shipped criterion. A contest takes one with options too, where a high score is the better one."""
    name = text.rpartition(".")[2]
    with_options = pairwise and name not in names("pairwise_criteria") and name in names("criteria")
    try:
        fields = criterion_fields(text, pairwise=pairwise and not with_options)
    except ConfigError as error:
        message = f"{where}: {error}"
        raise ConfigError(message) from None
    criterion = _from_mapping({"name": name, **fields}, where, pairwise=pairwise)
    if with_options and not criterion.higher_is_better:
        message = (
            f"{where}: {name!r} asks for something bad, which makes no response better; write a question of your own"
        )
        raise ConfigError(message)
    return criterion


def _from_mapping(fields: Mapping[str, Any], where: str, *, pairwise: bool) -> Criterion:
    for name in fields:
        if name not in _FIELDS:
            message = f"{where}: there is no field {name!r}{did_you_mean(str(name), _FIELDS)}"
            raise ConfigError(message)
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        message = f"{where}: description is missing: the question asked of a response"
        raise ConfigError(message)
    return Criterion(
        name=_text(fields, "name", where),
        scale=None if pairwise else _options(fields, where),
        higher_is_better=_polarity(fields, where),
        description=description.strip(),
        prediction_field=_text(fields, "prediction_field", where),
        context_fields=_context(fields, where),
    )


def _context(fields: Mapping[str, Any], where: str) -> dict[str, str]:
    try:
        return context_paths(fields.get("context_fields") or [])
    except TypeError as error:
        message = f"{where}: {error}, not {fields['context_fields']!r}"
        raise ConfigError(message) from None


def _json(text: str, where: str) -> Mapping[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"{where}: not JSON: {error}"
        raise ConfigError(message) from error
    return dict(fields)


def _text(fields: Mapping[str, Any], name: str, where: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        message = f"{where}: {name} must be a text, not {value!r}"
        raise ConfigError(message)
    return value


def _polarity(fields: Mapping[str, Any], where: str) -> bool:
    polarity = fields.get("polarity", _HIGHER)
    if polarity not in {_LOWER, _HIGHER}:
        message = f"{where}: polarity is {_LOWER} or {_HIGHER}, not {polarity!r}"
        raise ConfigError(message)
    return bool(polarity == _HIGHER)


def _options(fields: Mapping[str, Any], where: str) -> Options:
    """The options in order, each with its score. Raises ConfigError where one has none."""
    scores = fields.get("option_map")
    given = fields.get("options", list(scores) if isinstance(scores, Mapping) else "yes/no")
    if isinstance(given, str):
        if given not in _SHORT or scores is not None:
            message = f"{where}: options is a list, or one of {', '.join(_SHORT)} without an option_map, not {given!r}"
            raise ConfigError(message)
        return Options(dict(_SHORT[given]))
    descriptions = _described(given, where)
    if not isinstance(scores, Mapping):
        message = f"{where}: option_map is missing: the score of each option, such as {{Yes: 1, No: 0}}"
        raise ConfigError(message)
    return Options({name: _score(scores, name, where) for name in descriptions}, descriptions)


def _described(given: Any, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in given if isinstance(given, list | tuple) else [None]:
        option: Mapping[Any, Any] = (
            {"name": item} if isinstance(item, str | int | float) else item if isinstance(item, Mapping) else {}
        )
        name = option.get("name")
        if isinstance(name, int | float) and not isinstance(name, bool):
            name = _plain(name)
        if not isinstance(name, str) or not name.strip() or not isinstance(option.get("description") or "", str):
            message = f"{where}: options is a list of {{name, description}}, not {given!r}; put yes and no in quotes"
            raise ConfigError(message)
        if name.casefold() in {each.casefold() for each in found}:
            message = f"{where}: two options are called {name!r}"
            raise ConfigError(message)
        found[name] = (option.get("description") or "").strip()
    if not found:
        message = f"{where}: options is empty"
        raise ConfigError(message)
    return found


def _score(scores: Mapping[Any, Any], name: str, where: str) -> float:
    by_name = {_plain(key): value for key, value in scores.items()}
    value = by_name.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        message = f"{where}: option_map gives no number for the option {name!r}{did_you_mean(name, by_name)}"
        raise ConfigError(message)
    return float(value)


def _plain(name: Any) -> str:
    """A number as a reader writes it: 5 and not 5.0."""
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)
