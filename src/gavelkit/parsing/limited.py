"""A user's regular expression, run within a time limit. It does not know what it is looking for.

Python's own `re` cannot be stopped, so the third-party `regex` runs the pattern, given to it in the way `re` reads it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

import regex

from gavelkit.core.errors import ConfigError, ParseError

SECONDS = 0.1
"""How long a pattern may take on one reply."""

# An escape, a set, or a brace that is no repetition.
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|\{(?!(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\})", re.DOTALL)
_IN_SET = re.compile(r"\\.|\[", re.DOTALL)


def compile_limited(pattern: str) -> regex.Pattern[str]:
    """The pattern, ready to run. Raises ConfigError: not a pattern, or not exactly one group."""
    try:
        groups = _groups(pattern)
    except re.error as error:
        message = f"grade_pattern {pattern!r} is not a regular expression: {error}"
        raise ConfigError(message) from error
    if groups != 1:
        message = f"grade_pattern {pattern!r} needs exactly one group, which holds the grade; it has {groups}"
        raise ConfigError(message)
    try:
        return regex.compile(_as_re_reads(pattern), regex.VERSION0)
    except regex.error as error:
        message = f"grade_pattern {pattern!r} suits Python's re but cannot be run with a time limit: {error}"
        raise ConfigError(message) from error


def find_limited(pattern: regex.Pattern[str], text: str) -> Iterator[regex.Match[str]]:
    """Every match in order. Raises ParseError where that takes longer than the limit."""
    try:
        yield from pattern.finditer(text, timeout=SECONDS)
    except TimeoutError as error:
        raise _too_slow(pattern) from error


def ends_unfinished(pattern: regex.Pattern[str], text: str, start: int) -> bool:
    """Whether the text, read from `start`, ends in what could go on to match. Raises ParseError as `find_limited`."""
    try:
        match = pattern.search(text, start, partial=True, timeout=SECONDS)
    except TimeoutError as error:
        raise _too_slow(pattern) from error
    return match is not None and match.partial and match.end() > match.start()


def _too_slow(pattern: regex.Pattern[str]) -> ParseError:
    return ParseError(f"the pattern {pattern.pattern!r} took longer than {SECONDS} s on this reply")


def _groups(pattern: str) -> int:
    with warnings.catch_warnings():
        # `[[` warns of what it may mean one day.
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern).groups


def _as_re_reads(pattern: str) -> str:
    """The pattern with what only `regex` gives a meaning escaped: fuzzy `{e<=1}`, and sets such as `[[:alpha:]]`."""
    return _PIECE.sub(_escaped, pattern)


def _escaped(piece: re.Match[str]) -> str:
    found = piece[0]
    if found == "{":
        return r"\{"
    if not found.startswith("["):
        return found
    return "[" + _IN_SET.sub(lambda inner: r"\[" if inner[0] == "[" else inner[0], found[1:])
