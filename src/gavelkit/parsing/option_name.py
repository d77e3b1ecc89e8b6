"""When two names of an option are the same: case, Unicode form, space, quotes, Markdown and a final point aside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import is_normalized, normalize

import regex

from gavelkit.core.errors import ConfigError

QUOTES = "\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a"
_POINTS = (".", "\u3002")
_ROUND = f"*_`{QUOTES}"
_BEFORE = re.compile(rf"(?:[\s{re.escape(_ROUND)}]|(?:#{{1,6}}|[-+])\s)*+")
_CLUSTER = regex.compile(r"\X")


def folded(text: str) -> tuple[str, Sequence[int]]:
    """The text in composed form without case, and for each of its characters where it stood in the text."""
    if text.isascii():
        return text.lower(), range(len(text))
    pieces: list[str] = []
    places: list[int] = []
    # A cluster is composed as a whole: a letter and its accents are one character then.
    clusters = enumerate(text) if is_normalized("NFC", text) else _clusters(text)
    for at, cluster in clusters:
        piece = normalize("NFC", cluster).casefold()
        pieces.append(piece)
        places.extend([at] * len(piece))
    return "".join(pieces), places


def trimmed(text: str) -> str:
    """The text in composed form without case, with single spaces, and without what may stand round a name."""
    inner = text[name_start(text) :].rstrip()
    inner = inner.rstrip(_ROUND).rstrip()
    if inner.endswith(_POINTS):
        inner = inner[:-1]
    return plain(inner.rstrip(f"{_ROUND} \t\r\n") or text)


def plain(text: str) -> str:
    """The text in composed form without case, with single spaces."""
    return " ".join(normalize("NFC", normalize("NFC", text).casefold()).split())


def name_start(text: str) -> int:
    """Where a name begins, after quotes and Markdown."""
    before = _BEFORE.match(text)
    return before.end() if before else 0


def check_options(options: Sequence[str]) -> None:
    """Raise ConfigError: no options, an empty one, one of several lines, or two that read the same."""
    if not options:
        message = "a choice needs options: their names"
        raise ConfigError(message)
    for option in options:
        if not option.strip() or len(option.strip().splitlines()) > 1:
            message = f"an option's name must be some words on one line, not {option!r}"
            raise ConfigError(message)
    seen: dict[str, str] = {}
    for option in options:
        other = seen.setdefault(trimmed(option), option)
        if other is not option or options.count(option) > 1:
            message = f"two options read the same: {other!r} and {option!r}"
            raise ConfigError(message)


def _clusters(text: str) -> Sequence[tuple[int, str]]:
    return [(match.start(), match[0]) for match in _CLUSTER.finditer(text)]
