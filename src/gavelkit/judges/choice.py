"""How one of several named options is asked for, and how the reply to that becomes a verdict."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.core.grade import Grade
from gavelkit.core.message import Parameters
from gavelkit.core.protocols import Parser
from gavelkit.core.status import Status
from gavelkit.judges.verdict import Verdict, read_verdict
from gavelkit.parsing import JsonOptionParser, OptionParser, expectation, read_distribution

ChooseBy = Literal["text", "json_schema", "logprobs"]
"""The option's name as text, a field of a JSON object, or the log probabilities of one-character labels."""

FIELD = "choice"
_LABELS = string.ascii_uppercase
MOST_LABELLED = len(_LABELS)
_TOP = 20  # the most that endpoints list
_SCHEMA_NAME = "choice"


@dataclass(frozen=True, slots=True)
class Choice:
    """Asks for one of the options and reads which.

    `aliases` are other words for an option, by the option. `parser` reads the reply in place of the mode's own reader
    and must give the options' names.
    """

    by: ChooseBy = "text"
    aliases: Mapping[str, str] = field(default_factory=dict)
    parser: Parser | None = None

    def shown(self, options: Options) -> list[dict[str, str]]:
        """The options as a template sees them, in order: label, name and description."""
        labels = self._labels(options)
        return [
            {"label": label, "name": name, "description": options.descriptions.get(name, "")}
            for label, name in labels.items()
        ]

    def check(self, criterion: Criterion) -> None:
        """Raises ConfigError where the criterion's options cannot be told apart, or are too many for letters."""
        options = criterion.scale
        if not isinstance(options, Options):
            return
        if self.by == "logprobs" and len(options.scores) > MOST_LABELLED:
            message = f"choose_by: logprobs takes at most {MOST_LABELLED} options, one letter each"
            raise ConfigError(message)
        self.reader(options)

    def parameters(self, base: Parameters, options: Options) -> Parameters:
        """What is asked of the model besides its usual parameters."""
        if self.by == "logprobs":
            return replace(base, values={**base.values, "logprobs": True, "top_logprobs": _TOP})
        if self.by == "json_schema":
            return replace(base, response_format=json.dumps(_schema(list(options.scores))))
        return base

    def read(self, completion: Completion, options: Options) -> Verdict:
        """The option, its score, and in `logprobs` mode the distribution and its expectation. Never guesses."""
        if self.by != "logprobs" or completion.refusal:
            return self._read_text(completion, options)
        labels = self._labels(options)
        try:
            found = read_distribution(completion.logprobs, labels)
        except ParseError as error:
            return _falling_back(self._read_text(completion, options), str(error))
        parts = {"distribution": dict(found.shares), "mass": found.mass}
        return Verdict(Status.OK, expectation(found, options.scores), Grade(found.value, parts=parts))

    def reader(self, options: Options) -> Parser:
        """The reader of the replies' texts."""
        if self.parser is not None:
            return self.parser
        labelled = self._labels(options) if self.by == "logprobs" else {}
        aliases = {**labelled, **self._named(options.scores)}
        return _reader(tuple(options.scores), tuple(aliases.items()), schema=self.by == "json_schema")

    @property
    def material(self) -> dict[str, Any]:
        """What shapes the question."""
        return {"choose_by": self.by}

    def _read_text(self, completion: Completion, options: Options) -> Verdict:
        return read_verdict(completion, self.reader(options), Criterion("", options))

    def _labels(self, options: Options) -> dict[str, str]:
        if self.by == "logprobs":
            return dict(zip(_LABELS, options.scores, strict=False))
        return {name: name for name in options.scores}

    def _named(self, names: Sequence[str] | Mapping[str, float]) -> dict[str, str]:
        return {alias: name for name, alias in self.aliases.items() if name in names}


@lru_cache(maxsize=1024)  # rows with criteria of their own have few different ones, and a reader is made for each reply
def _reader(names: tuple[str, ...], aliases: tuple[tuple[str, str], ...], *, schema: bool) -> Parser:
    return JsonOptionParser(names, field=FIELD) if schema else OptionParser(names, aliases=aliases)


def _falling_back(verdict: Verdict, reason: str) -> Verdict:
    """The text's verdict, with the reason why it is not the distribution's."""
    if verdict.grade is None:
        return verdict
    return replace(verdict, grade=replace(verdict.grade, parts={**verdict.grade.parts, "fallback": reason}))


def _schema(names: list[str]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {FIELD: {"type": "string", "enum": names}},
        "required": [FIELD],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": _SCHEMA_NAME, "strict": True, "schema": schema}}
