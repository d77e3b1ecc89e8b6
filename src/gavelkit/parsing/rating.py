"""The reader of `[[8]]` and `[[8.5]]`, the form of MT-bench and all that follow it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing.number import NUMBER, UNREADABLE, read_number, write_number
from gavelkit.parsing.place import Line, Place, lines_with
from gavelkit.parsing.thinking import spoken
from gavelkit.parsing.written import proven, reasoned

_OPENED = re.compile(r"\[[^\n]*+")
_DOUBLE = re.compile(rf"(?<!\[)\[\[ ?({NUMBER}) ?\]\](?!\])")
_SINGLE = re.compile(rf"(?<![A-Za-z0-9_\[\])])\[ ?({NUMBER}) ?\](?![\[\](])")
_UNREADABLE = re.compile(rf"\[\[{UNREADABLE.pattern}", UNREADABLE.flags)
_BEFORE = re.compile(r"[#*_`\-\"' \t]*+(?:rating[*_`]*+:[*_`\"' \t]*+)?+", re.IGNORECASE | re.ASCII)
_AFTER = re.compile(r"[*_`\"'. \t\r]*+")


@dataclass(frozen=True, slots=True)
class RatingParser:
    """`rating`: the number in `[[…]]` on the last line that has one, wherever it stands there.

    Several on that line must agree, else they are ambiguous. Where the reply has no double brackets at all, single
    ones are read the same way, but no index such as `dp[0]`. Lines quoted with `>` are passed over. A later `[[…]]`
    that stands for a rating but cannot be read (`[[N/A]]`, `[[8/10]]`, one cut in the middle) is no reason to take an
    earlier one. The explanation is the rest of the reply. Writable: a finite number and a stripped explanation
    without thinking tags.
    """

    name: str = "rating"
    version: int = 1

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The rating. Raises ParseError: none, several on its line that differ, an empty reply."""
        said = spoken(text)
        lines = tuple(lines_with((match.start() for match in _OPENED.finditer(said)), said))
        found, line = _find(_DOUBLE, said, lines, cut=cut)
        if not found:
            found, line = _find(_SINGLE, said, lines, cut=False)
        if not found:
            message = "no [[rating]] in the reply"
            raise ParseError(message)
        return Grade(_agreed(found), _place(said, found[-1], line).explanation(said), cut=cut)

    def write(self, grade: Grade) -> str:
        """The explanation, then the rating. Raises ValueError where that would not read back."""
        return proven(self, reasoned(grade.explanation, f"Rating: [[{write_number(grade.value)}]]"), grade)


def _find(
    pattern: re.Pattern[str], text: str, lines: tuple[Line, ...], *, cut: bool
) -> tuple[list[re.Match[str]], Line]:
    """The ratings on the last line that has any. Raises ParseError where one that cannot be read comes later."""
    for line in reversed(lines):
        found = list(pattern.finditer(text, line.start, line.end))
        after = found[-1].end() if found else line.start
        unreadable = _UNREADABLE.search(text, after, line.end)
        opened = text.rfind("[[", after, line.end)
        unfinished = cut and line.end == len(text) and opened >= 0 and "]]" not in text[opened:]
        if unreadable or unfinished:
            at = unreadable.start() if unreadable else opened
            message = f"the last rating cannot be read: {text[at : at + 20]!r}"
            raise ParseError(message)
        if found:
            return found, line
    return [], Line(0, 0)


def _agreed(found: list[re.Match[str]]) -> float:
    values = {read_number(match[1]) for match in found}
    if len(values) > 1:
        message = f"several ratings that differ on one line: {', '.join(match[0] for match in found[:4])}"
        raise ParseError(message, kind=FailureKind.AMBIGUOUS)
    value = values.pop()
    if value is None:
        message = f"the rating is no finite number: {found[-1][0][:40]}"
        raise ParseError(message)
    return value


def _place(text: str, match: re.Match[str], line: Line) -> Place:
    """The rating, or its whole line where nothing else stands there but `Rating:` and Markdown."""
    before = _BEFORE.match(text, line.start)
    after = _AFTER.match(text, match.end())
    if before and after and before.end() == match.start() and after.end() == line.end:
        return Place(match[1], line.start, line.end)
    return Place(match[1], match.start(), match.end())
