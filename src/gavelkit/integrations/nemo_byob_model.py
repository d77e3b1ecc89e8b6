"""The model under test of a bring-your-own benchmark: a row becomes what it is asked, with examples where wanted."""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from gavelkit.core.errors import TemplateError
from gavelkit.core.example import Example
from gavelkit.core.identity import Identity
from gavelkit.core.message import Message
from gavelkit.core.path import Path
from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_registry import CHAT, COMPLETIONS, Benchmark, JinjaText
from gavelkit.prompts import Template
from gavelkit.reports.wellformed import plain_json

Row = Mapping[str, Any]

_JINJA_SIGNS = ("{%", "{#")
_FORMATTER = string.Formatter()


class Text(Protocol):
    """A text with places for a row's fields."""

    def filled(self, row: Row, place: str) -> str:
        """The text for one row. Raises TemplateError: a field is missing, or is nothing that can stand there."""
        ...


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text with places such as `{question}`, `{doc.title}` or `{choices[0]}`; null is written as nothing.

    Braces of the text itself are doubled. Raises ByobError where a place is none.
    """

    text: str
    name: str

    def __post_init__(self) -> None:
        try:
            for _text, field, _spec, _how in _FORMATTER.parse(self.text):
                if field is not None:
                    Path.parse(field)
        except ValueError as error:
            message = f"{self.name}: {error}; a brace of the text itself is doubled: {{{{ or }}}}"
            raise ByobError(message) from error

    def filled(self, row: Row, place: str) -> str:
        """The text for one row. Raises TemplateError."""
        try:
            return "".join(self._piece(*each, row) for each in _FORMATTER.parse(self.text))
        except LookupError as error:
            message = f"{place}: {self.name}: {error.args[0]}"
            raise TemplateError(message) from error
        except (TypeError, ValueError) as error:
            message = f"{place}: {self.name}: {error}"
            raise TemplateError(message) from error

    @staticmethod
    def _piece(text: str, field: str | None, spec: str | None, how: str | None, row: Row) -> str:
        if field is None:
            return text
        value = Path.parse(field).get(row)
        value = _FORMATTER.convert_field("" if value is None else value, how)
        return text + format(value, spec or "")


@dataclass(frozen=True, slots=True)
class JinjaPrompt:
    """A Jinja template in the sandbox that every prompt of a judge's has too; an undefined name is an error."""

    template: Template

    def filled(self, row: Row, place: str) -> str:
        """The text for one row. Raises TemplateError."""
        return self.template.render(row, place=place)


def text_of(text: str, name: str) -> Text:
    """A text's kind: Jinja where it came from a .jinja file or holds `{%` or `{#`, else plain. Raises ByobError."""
    if not (isinstance(text, JinjaText) or any(sign in text for sign in _JINJA_SIGNS)):
        return PlainText(text, name)
    try:
        return JinjaPrompt(Template(text, name=name))
    except TemplateError as error:
        raise ByobError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Examples:
    """Rows that are shown with their targets before the question; a row is never shown to itself."""

    rows: tuple[Row, ...]
    most: int
    text: Text
    answers: str
    """The column of the target that follows; empty where the text says all of it."""
    prefix: str
    separator: str

    def before(self, row: Row, place: str) -> str:
        """What stands before a row's own prompt. Raises TemplateError."""
        shown = [each for each in self.rows if each != row][: self.most]
        texts = [self._shown(each, place) for each in shown]
        return self.prefix + "".join(f"{text}{self.separator}" for text in texts)

    def _shown(self, row: Row, place: str) -> str:
        if self.answers:
            return f"{self.text.filled(row, place)} {row.get(self.answers, '')}"
        return self.text.filled(row, place)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the model is asked about a row of a benchmark."""

    prompt: Text
    system: Text | None = None
    examples: Examples | None = None

    def __call__(self, example: Example) -> tuple[Message, ...]:
        """The messages for one row. Raises TemplateError."""
        row, place = example.doc, example.place
        before = "" if self.examples is None else self.examples.before(row, place)
        user = Message("user", before + self.prompt.filled(row, place))
        return (user,) if self.system is None else (Message("system", self.system.filled(row, place)), user)


def asked_by(benchmark: Benchmark, examples: Examples | None = None) -> Asked:
    """What a benchmark asks its model. Raises ByobError where one of its texts is none."""
    system = None if benchmark.system_prompt is None else text_of(benchmark.system_prompt, "system_prompt")
    return Asked(text_of(benchmark.prompt, "prompt"), system, examples)


def drawn(rows: Iterable[Row], most: int, *, seed: int) -> tuple[Row, ...]:
    """So many rows and one to spare, each as likely as any other, by the seed (reservoir sampling, Vitter 1985)."""
    chance = random.Random(seed)  # noqa: S311 - which examples are shown is no secret
    kept: list[Row] = []
    for number, row in enumerate(rows):
        if len(kept) <= most:
            kept.append(row)
        elif (at := chance.randrange(number + 1)) <= most:
            kept[at] = row
    chance.shuffle(kept)
    return tuple(kept)


def examples_of(benchmark: Benchmark, rows: Iterable[Row], count: int, *, seed: int) -> Examples:
    """The examples of a benchmark, drawn from rows. Raises ByobError: a wrong template, or too few rows."""
    found = drawn(rows, count, seed=seed)
    if len(found) < count:
        message = f"{count} examples are wanted (num_fewshot), and there are {len(found)} rows to draw them from"
        raise ByobError(message)
    template = benchmark.fewshot_template
    return Examples(
        rows=found,
        most=count,
        text=text_of(
            benchmark.prompt if template is None else template, "prompt" if template is None else "fewshot_template"
        ),
        answers=benchmark.target_field if template is None else "",
        prefix=benchmark.fewshot_prefix,
        separator=benchmark.fewshot_separator,
    )


def material_of(benchmark: Benchmark, examples: Examples | None, *, seed: int) -> dict[str, object]:
    """What of a benchmark shapes the model's responses, for the record: other examples are other prompts."""
    found: dict[str, object] = {"prompt": str(benchmark.prompt), **way_of(benchmark)}
    if benchmark.system_prompt is not None:
        found["system_prompt"] = str(benchmark.system_prompt)
    if examples is not None:
        found["fewshot"] = {
            "count": examples.most,
            "seed": seed,
            "dataset": benchmark.fewshot_dataset or "",
            "prefix": examples.prefix,
            "template": benchmark.fewshot_template or "",
            "separator": examples.separator,
            "rows": Identity({"rows": plain_json(list(examples.rows))}).hash,
        }
    return found


def way_of(benchmark: Benchmark) -> dict[str, str]:
    """How the model is asked, for the record: nothing for a chat, since the same words are another question there."""
    return {} if benchmark.endpoint_type == CHAT else {"endpoint_type": benchmark.endpoint_type}


def columns(row: Row, renamed: Mapping[str, str]) -> dict[str, Any]:
    """A row with its columns renamed as `field_mapping` says; the others stay."""
    return {renamed.get(name, name): value for name, value in row.items()}


def check_endpoint_type(endpoint_type: str) -> None:
    """Raises ByobError for a way to ask a model that is not offered."""
    if endpoint_type not in {CHAT, COMPLETIONS}:
        message = (
            f"endpoint_type {endpoint_type!r} is not offered: models are asked for words, not for log probabilities; "
            f"give --model-type {CHAT}, or {COMPLETIONS} for a base model"
        )
        raise ByobError(message)
