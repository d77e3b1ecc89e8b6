"""The readers of `Score: x` lines: `score`, where all must agree, and `score_first`, which takes the first.

A score line begins with `Score:` after Markdown (`#`, `*`, `_`, `-`, backticks) but not after `>`; its number follows
on the line, or alone on the next one that is not blank. `8/10` and `8 out of 10` are 8. `Overall Score: 6`, a bare
`8`, `Score: 8,5`, `Score: 7-8`, `Score: NaN` and `Score: 1e999` are no score. A verdict may not close a running
sentence here: `So I say Score: 8` is none either. A fenced line counts as any other, and so does a second `Score: 9`
on a score line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing.number import NUMBER, UNREADABLE, read_number, stands_alone, write_number
from gavelkit.parsing.thinking import refuse_empty, spoken, without_thinking
from gavelkit.parsing.written import proven, reasoned

# ASCII, since the Unicode rules for case would read a long s as an s too.
_HEAD = re.compile(r"^[#*_\-` \t]*+score[*_` \t]*+:", re.MULTILINE | re.IGNORECASE | re.ASCII)
_HERE = re.compile(r"[*_` \t]*+")
_BELOW = re.compile(r"\s*+[#*_` \t]*+")
_ENDS = re.compile(r"[.*_` \t\r]*+$", re.MULTILINE)
_REST = re.compile(r"[^\n]*+")
_NUMBER = re.compile(rf"(?P<number>{NUMBER})[*_`]*+(?:[ \t]*+(?:/|out of)[ \t]*+[0-9]++(?:\.[0-9]++)?+[*_`]*+)?+")
_AGAIN = re.compile(rf"\bscore[*_` \t]*+:[*_` \t]*+{_NUMBER.pattern}", re.IGNORECASE | re.ASCII)


class ScoreLine(NamedTuple):
    """One line that gives a score, from `start` to the end of its number; `value` is None where it is unreadable.

    A tuple, since a hostile reply has 100,000 of them.
    """

    value: float | None
    start: int
    end: int


def score_lines(text: str, *, cut: bool = False) -> Iterator[ScoreLine]:
    """Every score line in order. A line that only announces one (`Score: X.XX`) is left out.

    In a `cut` reply the last line was not read whole, so it is unreadable whatever it holds.
    """
    whole = text.rfind("\n") if cut else len(text)
    for head in _HEAD.finditer(text):
        place = _skip(_HERE, text, head.end())
        below = text[place : place + 1] in {"", "\n", "\r"}
        if below:
            place = _skip(_BELOW, text, place)
        found = _NUMBER.match(text, place)
        end = found.end() if found else place
        value = _value(text, found, below=below) if found and end <= whole else None
        if value is not None or end > whole or UNREADABLE.match(text, place):
            yield ScoreLine(value, head.start(), end)
            yield from _more_on_its_line(text, end)


def _more_on_its_line(text: str, start: int) -> Iterator[ScoreLine]:
    """Scores given after another on one line: no lines of their own, but verdicts that must agree."""
    if text.startswith("\n", start):
        return
    line = _REST.match(text, start)
    for again in _AGAIN.finditer(text, start, line.end() if line else start):
        yield ScoreLine(_value(text, again, below=False), start, start)


def _value(text: str, found: re.Match[str], *, below: bool) -> float | None:
    alone = not below or _ENDS.match(text, found.end())
    return read_number(found["number"]) if alone and stands_alone(text, found.end("number")) else None


def _skip(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start


@dataclass(frozen=True, slots=True)
class ScoreParser:
    """`score`: one score line, or several that agree. The explanation is the whole reply without them.

    Several that differ are ambiguous and never settled by position, and so is one beside a line whose number cannot
    be read. Of a `cut` reply only lines followed by a line break count. Writable: a finite number and a stripped
    explanation without score lines and thinking tags.
    """

    name: str = "score"
    version: int = 1

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The score all lines agree on. Raises ParseError: none, several that differ, an empty reply."""
        said = spoken(text)
        lines = tuple(score_lines(said, cut=cut))
        values = {line.value for line in lines}
        if len(values) > 1:
            shown = ", ".join(_shown(said, line) for line in lines[:4])
            message = f"several score lines that differ: {shown}"
            raise ParseError(message, kind=FailureKind.AMBIGUOUS)
        value = values.pop() if values else None
        if value is None:
            raise ParseError(_none_found(said, lines))
        return Grade(value, _without(said, lines), cut=cut)

    def write(self, grade: Grade) -> str:
        """The explanation, then the score line. Raises ValueError where that would not read back."""
        line = f"Score: {write_number(grade.value)}"
        return proven(self, reasoned(grade.explanation, line), grade)


@dataclass(frozen=True, slots=True)
class ScoreFirstParser:
    """`score_first`: the first score line; what follows its number is the explanation.

    Where a later score line differs, or cannot be read, the grade is marked `ambiguous`. Of a `cut` reply only lines
    followed by a line break count. Writable: a finite number and a stripped explanation without thinking tags, in
    which no score line differs.
    """

    name: str = "score_first"
    version: int = 1

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The first readable score. Raises ParseError: none, or an empty reply."""
        said = without_thinking(text)
        refuse_empty(said, text)
        lines = tuple(score_lines(said, cut=cut))
        for line in lines:
            if line.value is not None:
                differs = len({each.value for each in lines}) > 1
                return Grade(line.value, said[line.end :].strip(), ambiguous=differs, cut=cut)
        raise ParseError(_none_found(said, lines))

    def write(self, grade: Grade) -> str:
        """The score line, then the explanation. Raises ValueError where that would not read back."""
        line = f"Score: {write_number(grade.value)}"
        return proven(self, f"{line}\n\n{grade.explanation}" if grade.explanation else line, grade)


def _without(text: str, lines: tuple[ScoreLine, ...]) -> str:
    """The text without its score lines; what follows a number on its line stays."""
    kept: list[str] = []
    begin = 0
    for line in lines:
        kept.append(text[begin : line.start])
        begin = line.end
    kept.append(text[begin:])
    return "".join(kept).strip()


def _none_found(text: str, lines: tuple[ScoreLine, ...]) -> str:
    if lines:
        return f"the score line holds no number that can be read: {_shown(text, lines[0])}"
    return "no line begins with 'Score:' and a number"


def _shown(text: str, line: ScoreLine) -> str:
    rest = _REST.match(text, line.end)
    end = min(rest.end() if rest else line.end, line.start + 60)
    return repr(text[line.start : end].strip())
