"""One step by itself: a prompt for each instance from a template, the engine's replies, and the options they name."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gavelkit.core.completion import Completion
from gavelkit.core.errors import ParseError
from gavelkit.core.message import Message
from gavelkit.integrations.unitxt_error import perhaps, unitxt_error
from gavelkit.integrations.unitxt_fields import field_of
from gavelkit.parsing import OptionParser
from gavelkit.prompts.sandbox import shown

Instance = Mapping[str, Any]
Turn = Mapping[str, str]


def check_task(task: Any, instances: Sequence[Instance]) -> None:
    """Raises UnitxtError where an instance lacks one of the task's `input_fields`."""
    for number, instance in enumerate(instances):
        for name in getattr(task, "input_fields", None) or ():
            if name not in instance:
                message = f"instances[{number}]: the task's field {name!r} is not there.{perhaps(name, instance)}"
                raise unitxt_error(message)


def conversations(
    instances: Sequence[Instance], template: Any, previous: Sequence[Any] | None
) -> list[tuple[Message, ...]]:
    """What is sent for each instance: the earlier messages, its own or those of all, then the template's text."""
    found = []
    for number, instance in enumerate(instances):
        asked = Message("user", _rendered(template, instance, number))
        found.append((*_earlier(previous, number, len(instances)), asked))
    return found


def predictions(instances: Sequence[Instance], raw: Sequence[str | None]) -> list[str | None]:
    """The option each reply names, where the instance has `options`; None where it names none. Else the reply."""
    return [_option(instance, text) for instance, text in zip(instances, raw, strict=True)]


def texts(answers: Iterable[object]) -> list[str | None]:
    """The replies' texts; None where a call failed."""
    return [answer.text if isinstance(answer, Completion) else None for answer in answers]


def _rendered(template: Any, instance: Instance, number: int) -> str:
    render = getattr(template, "render", None)
    if render is not None:
        return str(render(instance))
    if isinstance(template, str):
        return "".join(_parts(template, instance, number))
    message = f"a template is a text with {{fields}}, or an object with render(instance), not {template!r}"
    raise unitxt_error(message)


def _parts(template: str, instance: Instance, number: int) -> Iterator[str]:
    """The text, with the instance's fields in the places of their names. Plain names alone are read."""
    try:
        parsed = list(string.Formatter().parse(template))
    except ValueError as error:
        message = f"the template is wrong: {error}"
        raise unitxt_error(message) from error
    for literal, name, form, conversion in parsed:
        yield literal
        if name is None:
            continue
        if form or conversion or not name.replace(" ", "_").isidentifier():
            message = f"the template is wrong: {{{name}}} is no plain name of a field"
            raise unitxt_error(message)
        yield str(shown(field_of(instance, name, where=f"instances[{number}]: the template")))


def _earlier(previous: Sequence[Any] | None, number: int, count: int) -> list[Message]:
    if not previous:
        return []
    if isinstance(previous[0], Mapping):
        return [_message(each) for each in previous]
    if len(previous) != count:
        message = f"there are {len(previous)} lists of previous_messages for {count} instances"
        raise unitxt_error(message)
    return [_message(each) for each in previous[number]]


def _message(turn: Turn) -> Message:
    return Message(turn["role"], turn["content"])


def _option(instance: Instance, text: str | None) -> str | None:
    options = instance.get("options")
    if text is None or not options:
        return text
    try:
        return str(OptionParser(tuple(map(str, options))).parse(text).value)
    except ParseError:
        return None
