"""What a reply says aloud: the text without the model's thinking.

Thinking stands in `<think>`, `<thinking>` or `<reasoning>` tags, in any case. A tag right after a backtick or a
quotation mark is talk about tags and stays text.
"""

from __future__ import annotations

import re

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind

_TAG = re.compile(r"(?<![`\"'])<(/?)(think|thinking|reasoning)[ \t]{0,4}>", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """The text without its thinking blocks.

    A block ends at the first closing tag of its name. A block that is never closed takes the rest of the text. A
    closing tag that comes before any other takes everything before it, since servers swallow the opening one; a
    later stray one stays text, so that a quoted tag cannot erase a verdict.
    """
    return _joined(text, _split(text)[0])


def place_of_spoken(text: str, at: int) -> int:
    """Where in the text the character stands that is at this place once the thinking is removed."""
    for begin, end in _split(text)[0]:
        if at < end - begin:
            return begin + at
        at -= end - begin
    return len(text)


def spoken(text: str) -> str:
    """The text without its thinking, for readers whose verdict comes last.

    Raises:
        ParseError: nothing is left (EMPTY), or a block was opened after the reply had begun and never closed, so
            that the place of the verdict was not read.

    """
    spans, unfinished = _split(text)
    kept = _joined(text, spans)
    refuse_empty(kept, text)
    if unfinished:
        message = "a thinking block was opened and never closed, so the end of the reply was not read"
        raise ParseError(message)
    return kept


def refuse_empty(kept: str, text: str) -> None:
    """Raise ParseError of kind EMPTY where nothing is left to read."""
    if kept.strip():
        return
    message = "the reply holds nothing but thinking" if text.strip() else "the reply is empty"
    raise ParseError(message, kind=FailureKind.EMPTY)


def _joined(text: str, spans: list[tuple[int, int]]) -> str:
    return "".join(text[begin:end] for begin, end in spans)


def _split(text: str) -> tuple[list[tuple[int, int]], bool]:
    """The stretches that are no thinking, and whether a block was never closed."""
    kept: list[tuple[int, int]] = []
    begin = 0
    inside = ""
    for count, tag in enumerate(_TAG.finditer(text)):
        closing, name = bool(tag[1]), tag[2].lower()
        if inside:
            if closing and name == inside:
                inside, begin = "", tag.end()
        elif not closing:
            kept.append((begin, tag.start()))
            inside = name
        elif count == 0:
            begin = tag.end()
    if not inside:
        kept.append((begin, len(text)))
    return kept, bool(inside)
