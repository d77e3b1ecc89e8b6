"""Where a verdict stands in a reply: its line, whether that is a quotation, and the text around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

_QUOTATION = re.compile(r"[ \t]{0,8}>")


class Found(Protocol):
    """What the match objects of `re` and `regex` have in common."""

    def start(self, group: int = 0, /) -> int: ...

    def end(self, group: int = 0, /) -> int: ...

    def __getitem__(self, group: int, /) -> Any: ...


M = TypeVar("M", bound=Found)


class Line(NamedTuple):
    """Where a line begins and ends, without its line break. A tuple, since a hostile reply has 100,000 of them."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Place:
    """The words of a verdict, and the stretch of the reply that is not explanation."""

    words: str
    start: int
    end: int

    def explanation(self, text: str) -> str:
        """The reply without the verdict."""
        return (text[: self.start] + text[self.end :]).strip()


def lines_with(positions: Iterable[int], text: str) -> Iterator[Line]:
    """Each line that holds one of the ascending positions and is no quotation."""
    end = -1
    for at in positions:
        # A line is looked at once, however many positions it holds.
        if at >= end:
            start, end = text.rfind("\n", 0, at) + 1, _line_end(text, at)
            if not _QUOTATION.match(text, start):
                yield Line(start, end)


def last_line(matches: Iterable[M], text: str) -> list[M]:
    """Those of the matches that begin on the last line that has any."""
    last: list[M] = []
    end = -1
    for match in matches:
        if match.start() >= end:
            last.clear()
            end = _line_end(text, match.end())
        last.append(match)
    return last


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
