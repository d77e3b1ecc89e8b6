"""The reader of grades by a regular expression of the user's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import regex

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing.allowed import check_grades, choice
from gavelkit.parsing.limited import compile_limited, ends_unfinished, find_limited
from gavelkit.parsing.place import Place, last_line
from gavelkit.parsing.thinking import spoken
from gavelkit.parsing.written import proven, reasoned

_GROUP = re.compile(r"(?<!\\)\((?:\?P<\w+>|(?!\?)).*", re.DOTALL)
_SPACE = re.compile(r"(?:\\s|\[ ?\\?s?\\?t?\])[*+?]*")
_SYNTAX = re.compile(r"\\(\W)|\(\?[a-z]+\)|\\[bBAZ]|\[[^\]]*\]|[\^?*+|(){}]")


@dataclass(frozen=True, slots=True)
class GradePatternParser:
    """`grade` with a `grade_pattern`: what its one group holds in its last match, wherever that stands.

    Another match on the same line must agree, else the grade is ambiguous; where `grades` are given it must be one of
    them as spelled. The pattern is in the syntax of Python's `re` and may take 0.1 s on a reply. Of a `cut` reply
    the last match must be followed by a line break, and the end of the reply must not begin another. The explanation
    is the rest of the reply. Writable: where `GRADE: X`, the pattern's own words round X, or X alone are read back.
    """

    grade_pattern: str
    grades: tuple[str, ...] = ()
    name: str = "grade"
    version: int = 1
    _compiled: regex.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_grades(self.grades)
        object.__setattr__(self, "_compiled", compile_limited(self.grade_pattern))

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The grade. Raises ParseError: none, several on its line that differ, an empty reply, out of time."""
        said = spoken(text)
        matches = (match for match in find_limited(self._compiled, said) if match[1])
        found = last_line(matches, said)
        if not found:
            message = f"no grade in the reply, which ends in {said[-60:]!r}: {self.grade_pattern!r} finds nothing"
            raise ParseError(message)
        last = found[-1]
        if cut and (last.end() > said.rfind("\n") or ends_unfinished(self._compiled, said, last.end())):
            message = f"the reply was cut where the grade stands: {said[-60:]!r}"
            raise ParseError(message)
        self._refuse_others(found)
        return Grade(last[1], Place(last[1], last.start(), last.end()).explanation(said), cut=cut)

    def write(self, grade: Grade) -> str:
        """The explanation, then the grade. Raises ValueError where that would not read back."""
        refused: ValueError | None = None
        for verdict in self._verdicts(str(grade.value)):
            try:
                return proven(self, reasoned(grade.explanation, verdict), grade)
            except ValueError as error:
                refused = refused or error
        raise refused or ValueError(grade)

    def _verdicts(self, words: str) -> Iterator[str]:
        yield f"GRADE: {words}"
        before = _GROUP.sub("", self.grade_pattern)
        yield _SYNTAX.sub(r"\1", _SPACE.sub(" ", before)) + words
        yield words

    def _refuse_others(self, found: list[regex.Match[str]]) -> None:
        words = {match[1] for match in found}
        if len(words) > 1:
            message = f"several grades that differ on one line: {', '.join(sorted(words)[:4])}"
            raise ParseError(message, kind=FailureKind.AMBIGUOUS)
        if self.grades and found[-1][1] not in self.grades:
            message = f"{found[-1][1][:60]!r} is not {choice(self.grades)}"
            raise ParseError(message)
