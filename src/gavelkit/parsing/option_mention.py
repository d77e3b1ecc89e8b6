"""Where options are named in a line as whole words, the longest first, and whether a negation stands before one.

A number is named where it is one: `1` is not named by `10`, `1.5`, `-1`, `1%`, `1-2` or `1/2`; but `4/5` and `4 out of
5` name 4 where 5 is the largest option. An option of one letter is named by a capital, or by a small one with a
bracket, a quotation mark or Markdown beside it, since `a` is a word. `No` is not named where another word follows it
directly (`no errors`), since there it negates.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from gavelkit.parsing.option_name import QUOTES, folded, plain

NEGATIONS = frozenset({"not", "no", "never", "cannot", "neither"})
_REACH = 3  # words
_WINDOW = 200  # characters that are looked at for them

_LETTER = r"[\p{L}\p{M}\p{N}]"
_HYPHEN = r"[-_\u2010\u2011]"
_DASH = r"[-\u2212\u2013\u2014]"
_LEFT = rf"(?<!{_LETTER})(?<!{_LETTER}{_HYPHEN})"
_RIGHT = rf"(?!{_LETTER})(?!{_HYPHEN}{_LETTER})(?![+#])(?!-(?!-))(?!['\u2019]t(?!{_LETTER}))"
_NUMBER_LEFT = (
    rf"(?<![-+\u2212\u2013.])(?<!\d[.,:])(?<!/\s?)(?<!\bout\s{{1,3}}of\s{{1,3}})(?<!\d\s{{0,3}}{_DASH}\s{{0,3}})"
)
_NUMBER_RIGHT = rf"(?![.,:]\d)(?!\s?%)(?!\s{{0,3}}/)(?!\s{{1,3}}out\s{{1,3}}of\b)(?!\s{{0,3}}{_DASH}\s{{0,3}}\d)"
_BETWEEN = rf"[\s*_`{QUOTES}]+"
_WORD = regex.compile(rf"(?:{_LETTER}|['\u2019])+")
_BESIDE = frozenset(f"()[]{{}}*_`{QUOTES}")


class Mention(NamedTuple):
    """An option named in a line, and where its name begins there."""

    option: str
    start: int
    negated: bool


def mentions(line: str, options: tuple[str, ...]) -> Iterator[Mention]:
    """Every mention in order. A name that lies within a longer one is none."""
    text, places = folded(line)
    reach = 0
    for match in _named(options).finditer(text, overlapped=True):
        option = options[int(str(match.lastgroup)[1:])]
        start, end = match.span()
        if end <= reach or not _stands_out(line, places[start], option):
            continue
        yield Mention(option, places[start], negated(text[max(reach, start - _WINDOW) : start]))
        reach = end


def negated(before: str) -> bool:
    """Whether one of the last three words is a negation."""
    words: list[str] = _WORD.findall(before)[-_REACH:]
    return any(word in NEGATIONS or word.endswith(("n't", "n\u2019t")) for word in words)


@lru_cache(maxsize=256)
def _named(options: tuple[str, ...]) -> regex.Pattern[str]:
    """A group for each option, named by its position; the longest are tried first."""
    top = max((name for name in map(plain, options) if _is_number(name)), key=int, default="")
    names = sorted(enumerate(map(plain, options)), key=lambda each: len(each[1]), reverse=True)
    pattern = "|".join(f"(?P<o{at}>{_one(name, top)})" for at, name in names)
    return regex.compile(f"{_LEFT}(?:{pattern})")


def _one(name: str, top: str) -> str:
    words = _BETWEEN.join(map(regex.escape, name.split()))
    before = _NUMBER_LEFT if name[0].isdigit() else ""
    after = _NUMBER_RIGHT if name[-1].isdigit() else ""
    if name in NEGATIONS:
        after += rf"(?!\s+{_LETTER})"
    if _is_number(name):
        words += rf"(?:\s{{0,3}}(?:/\s?|out\s{{1,3}}of\s{{1,3}}){top})?+"
    return f"{before}{words}{_RIGHT}{after}"


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal()


def _stands_out(line: str, at: int, option: str) -> bool:
    """Whether the word at this place is the option and not the small word that some single letters are."""
    if len(option.strip()) > 1 or not line[at].islower():
        return True
    return line[at - 1 : at] in _BESIDE or line[at + 1 : at + 2] in _BESIDE
