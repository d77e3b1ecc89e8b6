"""The reader of structured choices: the name of an option in one field of the reply's JSON object."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gavelkit.core.grade import Grade
from gavelkit.parsing.json_reply import json_verdict, write_json
from gavelkit.parsing.number import write_number
from gavelkit.parsing.option_name import check_options, trimmed


@dataclass(frozen=True, slots=True)
class JsonOptionParser:
    """`json_option`: the option in `field` of the first JSON object, bare, in prose or in a fence.

    The text of the field is an option where they are equal but for case, quotes, Markdown and a final point: never an
    option that it only names, or a misspelt one. A number is the option that is this number. In all else it reads as
    `json` does. Writable: an option as spelled in `options`, in a grade whose parts hold its value and explanation.

    Raises ConfigError: no options, an empty one, two that read the same.
    """

    options: tuple[str, ...]
    field: str = "choice"
    name: str = "json_option"
    version: int = 1

    def __post_init__(self) -> None:
        check_options(self.options)

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The option. Raises ParseError: no object, none in its field, several that differ, an empty reply."""
        wanted = f"none of the options {', '.join(option[:40] for option in self.options[:12])}"
        return replace(json_verdict(text, self.field, meaning=self._option, wanted=wanted), cut=cut)

    def write(self, grade: Grade) -> str:
        """The parts as one object, reasoning first. Raises ValueError where that would not read back."""
        return write_json(self, grade, field=self.field)

    def _option(self, value: object) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return None
        words = trimmed(value if isinstance(value, str) else write_number(value))
        return next((option for option in self.options if trimmed(option) == words), None)
