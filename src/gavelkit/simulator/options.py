"""The options a judge prompt lists, and which of them is the better one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from gavelkit.simulator.material import overlap

_QUOTED = re.compile(r"^[ \t]*[-*\u2022][ \t]*[\"\u201c]([^\"\u201d\n]{1,80})[\"\u201d]", re.MULTILINE)
_CHOOSE = re.compile(r"\bchoose [\"\u201c]([^\"\u201d\n]{1,80})[\"\u201d]", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]*[-*\u2022][ \t]*([^\s:()][^:()\n]{0,60}?)[ \t]*(?:[:(].*)?$", re.MULTILINE)
_ASKED = re.compile(r"\boptions?\b|\bchoose\b|\bselect\b", re.IGNORECASE)
_GRADE = re.compile(
    r"GRADE:\**[ \t]*+([A-Z][A-Z_]*+|\d++)(?![a-z:])"
    r"((?:[ \t]*+(?:,[ \t]*or|[,/|]|or)[ \t]*+(?:[A-Z][A-Z_]*+|\d++)(?![a-z:]))*+)"
)
_NAMED = re.compile(r"\b(?:letter|word|number)[ \t]+[\"'`]?([A-Z][A-Z_]*|\d+)\b(?![a-z])")
_TOKEN = re.compile(r"[A-Z][A-Z_]*|\d+")
_TIE = frozenset({"C", "TIE", "EQUAL"})

# From the best word to the worst; where two stand in one option, the worse one tells ("partially correct").
_FROM_BEST = (
    ("excellent", "outstanding", "perfect", "fully"),
    ("yes", "true", "pass", "correct", "safe", "good", "c"),
    ("acceptable", "fair", "average", "moderate", "partially", "partial", "somewhat", "p"),
    ("could be improved", "improved", "mediocre", "weak"),
    ("no", "false", "fail", "incorrect", "unsafe", "bad", "poor", "wrong", "not", "i"),
    ("very poor", "very bad", "terrible", "unacceptable"),
)


def listed_options(text: str) -> tuple[str, ...]:
    """The options the text offers: quoted in a list, in `Choose "X" if …` lines, or as plain bullets."""
    for pattern in (_QUOTED, _CHOOSE, _BULLET):
        found = tuple(dict.fromkeys(pattern.findall(text)))
        if len(found) > 1 and _ASKED.search(text):
            return found
    return ()


def grade_options(text: str) -> tuple[str, ...]:
    """The grades after `GRADE:`, or spelled out as `the letter C`."""
    found: list[str] = []
    for first, others in _GRADE.findall(text):
        found += [first, *_TOKEN.findall(others)]
    found += _NAMED.findall(text)
    return tuple(dict.fromkeys(found))


def choose(options: Sequence[str], share: float) -> str:
    """The option at that share of the way from the worst to the best, in whatever order they are listed."""
    ranked = sorted(options, key=_goodness(options), reverse=True)
    return ranked[round((1 - share) * (len(ranked) - 1))]


def choose_winner(options: Sequence[str], contestants: Mapping[str, str], yardstick: str) -> str | None:
    """The option that names the contestant nearest to the yardstick; None where the options name no contestants."""
    by_name = {option.split()[-1].upper(): option for option in options}
    if len(contestants) < len(by_name.keys() - _TIE) or not contestants.keys() <= by_name.keys():
        return None
    shares = {name: overlap(text, yardstick) for name, text in contestants.items()}
    best = max(shares.values())
    winners = [name for name, share in shares.items() if share == best]
    tie = next((by_name[name] for name in by_name.keys() - contestants.keys() if name in _TIE), None)
    if len(winners) > 1 and tie is not None:
        return tie
    # By content, so that the same response wins in either order.
    return by_name[max(winners, key=lambda name: (len(contestants[name]), contestants[name]))]


def _goodness(options: Sequence[str]) -> Callable[[str], float]:
    """How good an option is: by number, else by the words it holds, else the first listed is the best."""
    if all(option.isdigit() for option in options):
        return float
    ranks = {option: _rank(option) for option in options}
    if len(set(ranks.values())) == len(options) and None not in ranks.values():
        return lambda option: -(ranks[option] or 0)
    return lambda option: -list(options).index(option)


def _rank(option: str) -> int | None:
    words = f" {option.lower()} "
    ranks = [rank for rank, known in enumerate(_FROM_BEST) if any(f" {word} " in words for word in known)]
    return max(ranks, default=None)
