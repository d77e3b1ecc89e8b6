"""One setting: its name, what it takes, its default and its help. Everything that lists settings reads these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gavelkit.catalog import context_paths
from gavelkit.core.errors import ConfigError
from gavelkit.core.identity import canonical
from gavelkit.core.path import did_you_mean

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a setting takes: `expects` says it in words, `read` returns the value or raises ValueError."""

    expects: str
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a configuration file. `flag` is its form on the command line, where it has one."""

    name: str
    kind: Kind
    help: str
    default: Any = None
    flag: str = ""


def read_settings(given: Mapping[str, Any], table: Iterable[Setting], where: str) -> dict[str, Any]:
    """The settings that were given, each checked. Raises ConfigError naming the setting and what would be right."""
    known = {setting.name: setting for setting in table}
    read = {}
    for name, value in given.items():
        setting = known.get(name)
        if setting is None:
            message = f"{where}: there is no setting {name!r}{did_you_mean(str(name), known)}"
            raise ConfigError(message)
        if value is None:
            continue
        try:
            read[name] = setting.kind.read(value)
        except ValueError as error:
            detail = f" ({error})" if str(error) else ""
            message = f"{where}: {name} must be {setting.kind.expects}, not {value!r}{detail}"
            raise ConfigError(message) from None
    return read


def letters_apart(one: str, other: str) -> int:
    """How many letters must be put in, left out or changed to make one word the other (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        above, row = row, [at]
        for place, wanted in enumerate(other):
            row.append(min(above[place + 1] + 1, row[place] + 1, above[place] + (letter != wanted)))
    return row[-1]


def whole(*, least: int = 0, most: int | None = None) -> Kind:
    """A whole number within its bounds."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError
        if most is not None and value > most:
            raise ValueError
        return value

    return Kind(f"a whole number from {least} {'up' if most is None else f'to {most}'}", read)


def number(*, least: float | None = None, most: float | None = None, above: float | None = None) -> Kind:
    """A finite number within its bounds."""

    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError
        if (least is not None and value < least) or (most is not None and value > most):
            raise ValueError
        if above is not None and value <= above:
            raise ValueError
        return float(value)

    low = f" above {above:g}" if above is not None else "" if least is None else f" from {least:g}"
    high = " up" if least is not None and most is None else "" if most is None else f" to {most:g}"
    return Kind(f"a number{low}{high}", read)


def choice(*options: str) -> Kind:
    """One of several words."""

    def read(value: Any) -> str:
        if value not in options:
            raise ValueError
        return str(value)

    return Kind(f"one of {', '.join(options)}", read)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError  # noqa: TRY004 - the caller turns it into a ConfigError that names the setting
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def _pair(value: Any) -> tuple[float, float]:
    each = number()
    if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004 - a scale has two ends
        raise ValueError
    low, high = (each.read(end) for end in value)
    if low >= high:
        raise ValueError
    return (low, high)


def _scores(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping) or not value:
        raise ValueError
    if any(isinstance(name, bool) for name in value):
        message = "YAML reads yes, no, on and off as true and false: put them in quotes"
        raise ValueError(message)
    each = number()
    return {str(name): each.read(score) for name, score in value.items()}


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError  # noqa: TRY004 - as above
    try:
        canonical(value)
    except TypeError as error:
        raise ValueError(error) from error
    return dict(value)


def _data(value: Any) -> Any:
    files = list(value.values()) if isinstance(value, Mapping) else value
    names = list(value) if isinstance(value, Mapping) else []
    several = isinstance(files, list | tuple) and len(files) > 0
    if not (several and all(isinstance(each, str) and each for each in [*files, *names])):
        return _text(value)
    return dict(value) if isinstance(value, Mapping) else list(files)


def _criterion(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, Mapping) and value:
        return dict(value)
    raise ValueError


def _context(value: Any) -> dict[str, str]:
    try:
        return context_paths(value)
    except TypeError:
        raise ValueError from None


def _answers(value: Any) -> tuple[str, ...]:
    words = tuple(value) if isinstance(value, list | tuple) else ()
    if len(words) not in {2, 3} or not all(isinstance(word, str) and word.strip() for word in words):
        raise ValueError
    if len({word.casefold() for word in words}) < len(words):
        raise ValueError
    return words


def _field(value: Any) -> str | dict[str, float]:
    if not isinstance(value, Mapping):
        return _text(value)
    if not value:
        raise ValueError
    most = number(above=0)
    return {_text(name): most.read(each) for name, each in value.items()}


def _concurrency(value: Any) -> int | str:
    return AUTO if value == AUTO else int(whole(least=1).read(value))


FLAG = Kind("true or false", _flag)
TEXT = Kind("a text", _text)
SCALE = Kind("two numbers, the lower first, such as [0, 10]", _pair)
SCORES = Kind("a mapping of each option to its score, such as {C: 1, I: 0}", _scores)
FIELD = Kind("a text, or a mapping of several fields to the most that each can be, such as {a: 10, b: 10}", _field)
MAPPING = Kind("a mapping", _mapping)
CRITERION = Kind("a shipped criterion's name, a question, or a mapping with description and options", _criterion)
CONTEXT = Kind("a field's name, a list of names, or a mapping of shown names to paths", _context)
ANSWERS = Kind("two or three different words: the first response, the second and a tie", _answers)
DATA = Kind("a file, a list of files, or a mapping of a system's name to its file", _data)
CONCURRENCY = Kind("a whole number from 1 up, or auto", _concurrency)
