"""The reader of structured answers with several scores: the mean of numbers in fields of the reply's JSON object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.core.grade import Grade
from gavelkit.parsing.json_field import number_in
from gavelkit.parsing.json_reply import json_verdict, write_json


@dataclass(frozen=True, slots=True)
class JsonMeanParser:
    """`json` with several fields: each number as a share of the most it can be, and the mean of these, 0 to 1.

    `fields` are names with the most that each can be; the least is 0. A number outside is no verdict, unless `clamp`
    moves it to the nearer end. Every field is read as `JsonParser` reads its one, all from the first object, and must
    be there. `parts` is the whole object, as it was written. Writable: a grade whose parts hold its value and
    explanation.

    Raises ConfigError: no field, or one that can be nothing above 0.
    """

    fields: tuple[tuple[str, float], ...]
    clamp: bool = False
    name: str = "json"
    version: int = 1

    def __post_init__(self) -> None:
        if not self.fields or not all(most > 0 for _field, most in self.fields):
            message = f"a mean needs fields, each with the most it can be, above 0, not {dict(self.fields)}"
            raise ConfigError(message)

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The mean. Raises ParseError: no object, a field missing or outside its range, an empty reply."""
        grades = [json_verdict(text, field, meaning=number_in, wanted="no number") for field, _most in self.fields]
        shares = [
            self._share(float(grade.value), field, most)
            for grade, (field, most) in zip(grades, self.fields, strict=True)
        ]
        # Exact, since 7 of 10 twice must reach a threshold of 0.7.
        return replace(grades[0], value=float(sum(shares) / len(shares)), cut=cut)

    def write(self, grade: Grade) -> str:
        """The parts as one object, reasoning first. Raises ValueError where that would not read back."""
        return write_json(self, grade, field=self.fields[0][0])

    def _share(self, value: float, field: str, most: float) -> Fraction:
        if not (0 <= value <= most or self.clamp):
            message = f"the field {field!r} holds {value:g}, which lies outside 0 to {most:g}"
            raise ParseError(message)
        return Fraction(min(max(value, 0.0), most)) / Fraction(most)
