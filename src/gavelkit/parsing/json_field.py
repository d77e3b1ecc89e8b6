"""The reader of structured answers: a number in one field of the reply's JSON object."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from gavelkit.core.grade import Grade
from gavelkit.parsing.json_reply import json_verdict, write_json
from gavelkit.parsing.number import NUMBER, read_number

_NUMBER = re.compile(NUMBER)


@dataclass(frozen=True, slots=True)
class JsonParser:
    """`json`: the number in `score_field` of the first JSON object, bare, in prose or in a fence.

    A text that holds nothing but a number counts as the number. A later object whose `score_field` differs makes the
    verdict ambiguous: which of the two is the judge's own cannot be told from their order. Whatever begins like an
    object and cannot be read is no reason to take another. Of a `cut` reply only objects read whole count. `parts` is
    the whole object; the explanation is the first of its fields `explanation`, `reasoning`, `reason`, `rationale`,
    `feedback` and `comment` that is a text. Writable: a grade whose parts hold its value and explanation.
    """

    score_field: str = "score"
    name: str = "json"
    version: int = 1

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The number. Raises ParseError: no object, none in its field, several that differ, an empty reply."""
        grade = json_verdict(text, self.score_field, meaning=number_in, wanted="no number")
        return replace(grade, cut=cut)

    def write(self, grade: Grade) -> str:
        """The parts as one object, reasoning first. Raises ValueError where that would not read back."""
        return write_json(self, grade, field=self.score_field)


def number_in(value: object) -> float | None:
    """The number that a field holds, also as a text; None where it holds none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    digits = value.strip() if isinstance(value, str) else ""
    return read_number(digits) if _NUMBER.fullmatch(digits) else None
