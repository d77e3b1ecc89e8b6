"""What may reach a terminal: text that cannot move the cursor, reorder what stands beside it, or hide."""

from __future__ import annotations

import re
import unicodedata

_UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL and C1: ESC begins colours, titles, links and clipboard writes (OSC 52)
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks and overrides
    "\u00ad\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f"  # shown as nothing
    "\u2028\u2029"  # line breaks to some terminals
    "\ud800-\udfff"  # lone surrogates: no encoding can write them
    "]"
)
_UNSAFE_BUT_LINES = re.compile(_UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))


def printable(text: str, *, lines: bool = False) -> str:
    r"""The text with every control character shown escaped, as in \x1b. With `lines`, line feeds and tabs stay.

    Everything that did not come from this program goes through here on its way to a terminal. Meant for eyes: a
    backslash stays as it is, so the escapes cannot be read back.
    """
    return (_UNSAFE_BUT_LINES if lines else _UNSAFE).sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFF:  # noqa: PLR2004 - as Python writes it
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - as above


def cells(text: str) -> int:
    """How many columns a printable text takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def shortened(text: str, width: int) -> str:
    """The text within so many columns, its middle left out where it is longer: names differ at their ends."""
    if cells(text) <= width:
        return text
    front, back = _fitting(text, width // 2), _fitting(text[::-1], (width - 1) // 2)[::-1]
    return f"{front}…{back}"


def wrapped(text: str, width: int, *, indent: str = "") -> list[str]:
    """The text as lines within so many columns, broken at spaces; a longer word is shortened."""
    lines: list[str] = []
    for word in text.split(" "):
        fitting = shortened(word, width - len(indent))
        if lines and cells(lines[-1]) + 1 + cells(fitting) <= width:
            lines[-1] += f" {fitting}"
        else:
            lines.append(indent + fitting)
    return lines


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fitting(text: str, width: int) -> str:
    taken = 0
    for at, character in enumerate(text):
        taken += _cells(character)
        if taken > width:
            return text[:at]
    return text
