"""The reader of `GRADE: X`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing.allowed import canonical, check_grades, choice
from gavelkit.parsing.place import Line, Place, lines_with
from gavelkit.parsing.thinking import spoken
from gavelkit.parsing.written import proven, reasoned

# The flags below are ASCII ones, since the Unicode rules for case would read other letters as these.
_SIGN = r"(?<![A-Za-z0-9])grade[*_` \t]*+:[*_`\"'(\[ \t]*+"
_WORD = r"[^\s*_`\"'()\[\].,;:!<>](?:[^\s*`\"'()\[\]<>;]{0,60}[^\s*_`\"'()\[\].,;:!<>])?+"
_HEAD = re.compile(rf"{_SIGN}[^\n]*+", re.IGNORECASE | re.ASCII)
_BEGINS = re.compile(rf"[#*_\-` \t]*+{_SIGN}", re.IGNORECASE | re.ASCII)
_MARKS = re.compile(r"[#*_\-` \t]*+")
_TAIL = re.compile(r"[*_`\"')\].!; \t\r]*+")


@dataclass(frozen=True, slots=True)
class GradeParser:
    """`grade`: the X of the last line that ends with `GRADE: X`, one of `grades`, or any word where none are given.

    The form may close a running sentence; Markdown and case do not matter. Two on that line that differ are
    ambiguous. Lines quoted with `>` are passed over. A later line that begins with `GRADE:` but cannot be read is no
    reason to take an earlier one. Of a `cut` reply only lines followed by a line break count. The explanation is the
    rest of the reply. Writable: a text, spelled as in `grades`, and a stripped explanation without thinking tags.
    """

    grades: tuple[str, ...] = ()
    name: str = "grade"
    version: int = 1
    _claim: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_grades(self.grades)
        longest_first = sorted(self.grades, key=len, reverse=True)
        grades = "|".join(map(re.escape, longest_first)) or _WORD
        claim = re.compile(rf"{_SIGN}({grades})(?![A-Za-z0-9])", re.IGNORECASE | re.ASCII)
        object.__setattr__(self, "_claim", claim)

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The grade. Raises ParseError: none, several on its line that differ, an empty reply."""
        said = spoken(text)
        place = self._find(said, said.rfind("\n") if cut else len(said))
        return Grade(canonical(place.words, self.grades), place.explanation(said), cut=cut)

    def write(self, grade: Grade) -> str:
        """The explanation, then the grade. Raises ValueError where that would not read back."""
        return proven(self, reasoned(grade.explanation, f"GRADE: {grade.value}"), grade)

    def _find(self, text: str, whole: int) -> Place:
        heads = (match.start() for match in _HEAD.finditer(text))
        for line in reversed(tuple(lines_with(heads, text))):
            claims = list(self._claim.finditer(text, line.start, line.end))
            read_whole = line.end <= whole
            if read_whole and claims and _reaches(_TAIL, text, claims[-1].end(), line.end):
                self._refuse_differing(claims)
                return _place(claims[-1], line)
            if not read_whole or _BEGINS.match(text, line.start):
                message = f"the last grade line cannot be read: {text[line.start : line.end][:60]!r}"
                raise ParseError(message)
        message = f"no line ends with GRADE: and {choice(self.grades)}"
        raise ParseError(message)

    def _refuse_differing(self, claims: list[re.Match[str]]) -> None:
        if len({canonical(claim[1], self.grades) for claim in claims}) > 1:
            message = f"several grades that differ on one line: {', '.join(claim[0] for claim in claims[:4])}"
            raise ParseError(message, kind=FailureKind.AMBIGUOUS)


def _place(claim: re.Match[str], line: Line) -> Place:
    """The claim and the Markdown round it, to the end of its line."""
    text, start = claim.string, claim.start()
    while start > line.start and text[start - 1] in "*_`":
        start -= 1
    whole = _reaches(_MARKS, text, line.start, start)
    return Place(claim[1], line.start if whole else start, line.end)


def _reaches(pattern: re.Pattern[str], text: str, start: int, end: int) -> bool:
    return pattern.fullmatch(text, start, end) is not None
