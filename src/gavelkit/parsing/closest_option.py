"""The reader of an option's name: the whole reply, or the only option named on its last line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.core.grade import Grade
from gavelkit.parsing.option_mention import NEGATIONS, mentions
from gavelkit.parsing.option_name import check_options, name_start, plain, trimmed
from gavelkit.parsing.thinking import spoken
from gavelkit.parsing.written import proven, reasoned

LONGEST_MISSPELT = 80
"""A longer reply is no misspelt name."""

ALIKE = 0.6
"""How alike a reply and a name must be, as `difflib` measures it."""

LEAD = 0.1
"""By how much the next name must be less alike."""

_SHORTEST_MISSPELT = 3  # letters: fewer make another word as easily
_ROUNDING = 1e-9
_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")
_ONLY_MARKS = re.compile(r"[\s*_`~#=-]*")
# What turns a word into its opposite, and what no misspelling does.
_TURNS = re.compile(
    rf"\b(?:{'|'.join(sorted(NEGATIONS))}|none|nor|without|non|un|anti)\b|n['\u2019]t\b|less\b", re.IGNORECASE
)


class Chosen(NamedTuple):
    """The option a text chooses, where its name begins in the text, and the words that are not the choice."""

    option: str
    start: int
    explanation: str


@dataclass(frozen=True, slots=True)
class OptionParser:
    """`option`: the reply is an option, else its last line names one, else it is one misspelt.

    An option is the reply where they are equal but for case, quotes, Markdown and a final point; `aliases` (alias and
    option, as a mapping or pairs) count here alone. Else the last line that is not blank must name exactly one, as
    whole words, the longest first, and with no `not`, `n't`, `no`, `never`, `cannot` or `neither` among the three words
    before. Else a reply of one line and at most 80 characters, without any of that, is the option it is most alike:
    by 0.6 at least, and by 0.1 more than the next. Several named on that line are ambiguous, one that is negated is
    none, and a line quoted with `>` gives none. A misspelling never adds, loses or turns a word: `unsafe` is not
    `safe`, `10` is not `1`, `harmless` is not `harmful`.

    Of a `cut` reply the last line must be followed by a line break, or the reply be an option that ends with more than
    a letter. The explanation is what stands before a line that is nothing but the option, or else the whole reply.
    Writable: an option as spelled in `options`, and a stripped explanation without thinking tags.

    Raises ConfigError: no options, an empty one, two that read the same.
    """

    options: tuple[str, ...]
    aliases: Mapping[str, str] | Iterable[tuple[str, str]] = ()
    name: str = "option"
    version: int = 1
    _names: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_options(self.options)
        pairs = tuple(self.aliases.items() if isinstance(self.aliases, Mapping) else self.aliases)
        object.__setattr__(self, "aliases", pairs)
        names: dict[str, tuple[str, ...]] = {trimmed(option): (option,) for option in self.options}
        for alias, option in pairs:
            known = names.get(trimmed(alias), ())
            names[trimmed(alias)] = known if option in known else (*known, option)
        object.__setattr__(self, "_names", names)

    def parse(self, text: str, *, cut: bool = False) -> Grade:
        """The option. Raises ParseError: none, several, an empty reply."""
        chosen = self.choose(spoken(text), cut=cut)
        return Grade(chosen.option, chosen.explanation, cut=cut)

    def choose(self, said: str, *, cut: bool = False) -> Chosen:
        """The option in a text without thinking. Raises ParseError."""
        option = self._equal(said)
        if option is not None:
            if cut:
                self._refuse_unfinished(said)
            return Chosen(option, name_start(said), "")
        start, end = _last_line(said)
        if cut and "\n" not in said[end:]:
            message = f"the reply was cut on the line where the option stands: {said[-60:]!r}"
            raise ParseError(message)
        return self._named(said, start, end) or self._misspelt(said, cut=cut)

    def write(self, grade: Grade) -> str:
        """The explanation, then the option. Raises ValueError where that would not read back."""
        return proven(self, reasoned(grade.explanation, str(grade.value)), grade)

    def _equal(self, text: str) -> str | None:
        found = self._names.get(trimmed(text), ())
        if len(found) > 1:
            message = f"{text.strip()[:60]!r} stands for several options: {_listed(found)}"
            raise ParseError(message, kind=FailureKind.AMBIGUOUS)
        return found[0] if found else None

    def _named(self, said: str, start: int, end: int) -> Chosen | None:
        """The one option that the line names; None where it names none. Raises ParseError."""
        line = said[start:end]
        words = trimmed(line)
        alone = next((option for option in self.options if trimmed(option) == words), None)
        if alone is not None:
            return Chosen(alone, start + name_start(line), said[:start].strip())
        if line.lstrip().startswith(">"):
            message = f"the last line is a quotation: {line.strip()[:60]!r}"
            raise ParseError(message)
        found = tuple(mentions(line, self.options))
        names = dict.fromkeys(mention.option for mention in found)
        if len(names) > 1:
            message = f"the last line names several options: {_listed(names)}"
            raise ParseError(message, kind=FailureKind.AMBIGUOUS)
        if any(mention.negated for mention in found):
            message = f"the last line names {found[0].option!r} after a negation: {line.strip()[-60:]!r}"
            raise ParseError(message)
        return Chosen(found[0].option, start + found[0].start, said.strip()) if found else None

    def _misspelt(self, said: str, *, cut: bool) -> Chosen:
        words = trimmed(said)
        if not cut and len(said.strip()) <= LONGEST_MISSPELT and "\n" not in said.strip():
            alike = sorted(((_alike(words, trimmed(option)), option) for option in self.options), reverse=True)
            best, option = alike[0]
            lead = best - (alike[1][0] if len(alike) > 1 else 0.0)
            if best >= ALIKE and lead >= LEAD - _ROUNDING and _may_be_misspelt(words, trimmed(option)):
                return Chosen(option, name_start(said), "")
        message = f"the last line names none of the options {_listed(self.options)}"
        raise ParseError(message)

    def _refuse_unfinished(self, said: str) -> None:
        """Raise ParseError where the reply could go on to be another word, or a longer option."""
        words = plain(said)
        if said[-1].isalnum() or any(name != words and name.startswith(words) for name in map(plain, self.options)):
            message = f"the reply was cut where the option stands: {said[-60:]!r}"
            raise ParseError(message)


def _last_line(text: str) -> tuple[int, int]:
    """Where the last line with more than Markdown begins and ends; the last one where there is no such line."""
    end = last = len(text.rstrip())
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        if not _ONLY_MARKS.fullmatch(text, start, end):
            return start, end
        end = start - 1
    return text.rfind("\n", 0, last) + 1, last


def _alike(words: str, name: str) -> float:
    return SequenceMatcher(None, name, words, autojunk=False).ratio()


def _may_be_misspelt(words: str, name: str) -> bool:
    """Whether the words can be this name written wrongly, and are not another word that looks like it."""
    first = {word[0] for word in _WORD.findall(words)}
    return (
        name not in words
        and sum(map(str.isalnum, name)) >= _SHORTEST_MISSPELT
        and all(word[0] in first for word in _WORD.findall(name)[:1])
        and _DIGITS.findall(words) == _DIGITS.findall(name)
        and bool(_TURNS.search(words)) == bool(_TURNS.search(name))
    )


def _listed(options: Iterable[str]) -> str:
    return ", ".join(repr(option[:40]) for option in list(options)[:12])
