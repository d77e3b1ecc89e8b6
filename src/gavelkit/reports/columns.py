"""A table's columns on a terminal: numbers to the right, and as much room for the names as is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gavelkit.reports.terminal import cells, shortened

_GAPS = ("  ", " ")
_NARROWEST_LABEL = len("judge")


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide each column is, the first of them the labels'."""

    widths: tuple[int, ...]
    gap: str
    width: int

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], labels: Sequence[str], *, width: int) -> Columns:
        """Columns that hold the cells of these rows, the titles among them, within so many columns of text."""
        widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
        gap = next((gap for gap in _GAPS if _needed(widths, gap) <= width), _GAPS[-1])
        room = max(_NARROWEST_LABEL, width - sum(widths) - len(gap) * len(widths))
        return cls((min(room, max(map(cells, labels))), *widths), gap, width)

    @staticmethod
    def fit(rows: Sequence[Sequence[str]], *, width: int) -> bool:
        """Whether such rows have room beside the shortest labels."""
        return _needed([max(map(cells, column)) for column in zip(*rows, strict=True)], _GAPS[-1]) <= width

    def lines(self, label: str, texts: Sequence[str]) -> Iterator[str]:
        """A row; a label that is too long stands on a line of its own."""
        if cells(label) > self.widths[0]:
            yield shortened(label, self.width)
            label = ""
        numbers = [" " * (width - cells(text)) + text for text, width in zip(texts, self.widths[1:], strict=True)]
        yield self.gap.join([label + " " * (self.widths[0] - cells(label)), *numbers]).rstrip()


def _needed(widths: Sequence[int], gap: str) -> int:
    return sum(widths) + len(gap) * len(widths) + _NARROWEST_LABEL
