"""The scale of numbers a judge prompt asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RANGE = re.compile(r"(?<![\w.-])(\d{1,4}(?:\.\d+)?)\s*(?:-|\u2013|to|and)\s*(\d{1,4}(?:\.\d+)?)(?![\w-]|\.\d)")
_ANCHOR = re.compile(r"^[ \t]*[-*]?[ \t]*(\d{1,3})[ \t]*(?:=|-|\u2013|:)", re.MULTILINE)
_DECIMALS = re.compile(r"X\.X+|\bdecimal|\d\.\d+\s*(?:-|to)\s*\d")
_WHOLE_STEPS_FROM = 2


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low` to `high`, in whole numbers unless `decimals`."""

    low: float
    high: float
    decimals: bool = False

    def place(self, share: float, *, whole: bool | None = None) -> float:
        """The number at that share of the way up; `whole` overrides how fine it is."""
        value = self.low + share * (self.high - self.low)
        if whole is None:
            whole = not self.decimals
        return round(value) if whole else round(value, 2)


def read_scale(text: str, default: Scale) -> Scale:
    """The widest scale the text names: `0-10`, `1 to 5`, `between 0 and 1`, or a list of `8-9 = …` lines."""
    ends = [(float(low), float(high)) for low, high in _RANGE.findall(text)]
    numbers = [number for low, high in ends if low < high for number in (low, high)]
    anchors = [float(number) for number in _ANCHOR.findall(text)]
    if numbers or len(anchors) > 1:
        numbers += anchors
    if not numbers:
        return Scale(default.low, default.high, decimals=default.decimals or bool(_DECIMALS.search(text)))
    low, high = min(numbers), max(numbers)
    return Scale(low, high, decimals=bool(_DECIMALS.search(text)) or high - low < _WHOLE_STEPS_FROM)
