"""The options a judge prompt lists, and which of them is the better one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from gavelkit.simulator.material import overlap

_QUOTE = r"[\"\u201c]([^\"\u201d\n]{1,200})[\"\u201d]"
_QUOTED = re.compile(rf"^[ \t]*[-*\u2022][ \t]*{_QUOTE}(?:[ \t]+for[ \t]+{_QUOTE})?", re.MULTILINE)
_CHOOSE = re.compile(rf"\bchoose {_QUOTE}()", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]*[-*\u2022][ \t]*([^\s:()][^:()\n]{0,60}?)()[ \t]*(?:[:(].*)?$", re.MULTILINE)
_ASKED = re.compile(r"\boptions?\b|\bchoose\b|\bselect\b", re.IGNORECASE)
_GRADE = re.compile(
    r"GRADE:\**[ \t]*+([A-Z][A-Z_]*+|\d++)(?![a-z:])"
    r"((?:[ \t]*+(?:,[ \t]*or|[,/|]|or)[ \t]*+(?:[A-Z][A-Z_]*+|\d++)(?![a-z:]))*+)"
)
_NAMED = re.compile(r"\b(?:letter|word|number)[ \t]+[\"'`]?([A-Z][A-Z_]*|\d+)\b(?![a-z])")
_TOKEN = re.compile(r"[A-Z][A-Z_]*|\d+")
_RESPONSE = re.compile(r"(?:\b|_)([AB12])\Z", re.IGNORECASE)
_TWO = 2

# From the best word to the worst; where two stand in one option, the worse one tells ("partially correct").
_FROM_BEST = (
    ("excellent", "outstanding", "perfect", "fully"),
    ("yes", "true", "pass", "correct", "safe", "good", "compliance", "c"),
    ("acceptable", "fair", "average", "moderate", "partially", "partial", "somewhat", "p"),
    ("could be improved", "improved", "mediocre", "weak"),
    ("no", "false", "fail", "incorrect", "unsafe", "bad", "poor", "wrong", "not", "refusal", "i"),
    ("very poor", "very bad", "terrible", "unacceptable"),
)


def listed_options(text: str) -> Mapping[str, str]:
    """The options the text offers, with what each stands for.

    They are quoted in a list (`- "A" for "Excellent"`), in `Choose "X" if` lines, or plain bullets.
    """
    for pattern in (_QUOTED, _CHOOSE, _BULLET):
        found = {label: meaning or label for label, meaning in pattern.findall(text)}
        if len(found) > 1 and _ASKED.search(text):
            return found
    return {}


def grade_options(text: str) -> tuple[str, ...]:
    """The grades after `GRADE:`, or spelled out as `the letter C`."""
    found: list[str] = []
    for first, others in _GRADE.findall(text):
        found += [first, *_TOKEN.findall(others)]
    found += _NAMED.findall(text)
    return tuple(dict.fromkeys(found))


def choose(options: Mapping[str, str], share: float) -> str:
    """The option at that share of the way from the worst to the best, in whatever order they are listed."""
    ranked = sorted(options, key=_badness(options))
    return ranked[round((1 - share) * (len(ranked) - 1))]


def choose_winner(options: Iterable[str], contestants: Mapping[str, str], yardstick: str) -> str | None:
    """The option that names the contestant nearest to the yardstick; None where the options name no contestants.

    Options that bear other names stand for the contestants in their order; one more than those is a tie.
    """
    by_name, tie = _by_contestant(tuple(options), tuple(contestants))
    if not by_name:
        return None
    shares = {name: overlap(contestants[name], yardstick) for name in by_name}
    best = max(shares.values())
    winners = [name for name, share in shares.items() if share == best]
    if len(winners) > 1 and tie is not None:
        return tie
    # By content, so that the same response wins in either order.
    return by_name[max(winners, key=lambda name: (len(contestants[name]), contestants[name]))]


def _by_contestant(options: tuple[str, ...], contestants: tuple[str, ...]) -> tuple[Mapping[str, str], str | None]:
    """The option for each contestant, and the one for a tie."""
    if len(contestants) < _TWO or not 0 <= len(options) - len(contestants) <= 1:
        return {}, None
    ends = ((option, _RESPONSE.search(option)) for option in options)
    named: Mapping[str, str] = {end[1].upper(): option for option, end in ends if end}
    if named.keys() != set(contestants):
        named = dict(zip(contestants, options, strict=False))
    return named, next((option for option in options if option not in named.values()), None)


def _badness(options: Mapping[str, str]) -> Callable[[str], tuple[float, str]]:
    """How bad an option is: by number, else by the words it holds, else the first listed is the best."""
    if all(meaning.isdigit() for meaning in options.values()):
        return lambda label: (-float(options[label]), label)
    ranks = {label: _rank(meaning) for label, meaning in options.items()}
    places = {label: number for number, label in enumerate(options)}
    known = {label: rank for label, rank in ranks.items() if rank is not None}
    badness: Mapping[str, int] = known if len(known) == len(places) else places
    return lambda label: (badness[label], options[label])


def _rank(option: str) -> int | None:
    words = f" {option.lower().replace('_', ' ')} "
    ranks = [rank for rank, known in enumerate(_FROM_BEST) if any(f" {word} " in words for word in known)]
    return max(ranks, default=None)
