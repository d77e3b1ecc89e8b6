"""The one form of a number in a verdict: ASCII digits, signed, decimal or with an exponent, finite."""

from __future__ import annotations

import math
import re

NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+"
"""The form as a pattern. Possessive, so that a megabyte of digits is read once."""

UNREADABLE = re.compile(
    r"[*_`\[(<$\"' \t]{0,8}+(?:[+-]?\.?\d|(?:nan|n/a|inf|infinity|none|null|unknown)\b)",
    re.IGNORECASE,
)
"""Something that stands where the number should: a verdict, though not one that can be read."""

# What makes a number only the beginning of something else: `8,5`, `8.5.2`, `8:30`, `8th`, `8_000`, and the ranges
# `7-8` and `7 to 8` where they end the statement. `8 - 2 small errors` is 8.
_JOINED = re.compile(
    r"_*+[A-Za-z\d]|[.,:'\u2019]\d"
    r"|[ \t]*+(?:[-\u2013\u2014~]|to\b|or\b)[ \t]*+[0-9]++(?:\.[0-9]++)?+[ \t]*+(?:[*_`/.)]|out\b|\r?$)",
    re.MULTILINE,
)
_LONGEST = 40


def read_number(digits: str) -> float | None:
    """The finite number, or None: `1e999` and endless digits are none."""
    if len(digits) > _LONGEST:
        return None
    value = float(digits)
    return value if math.isfinite(value) else None


def stands_alone(text: str, end: int) -> bool:
    """Whether a number that ends here is whole, and not the beginning of something else."""
    return not text[end : end + 1].isnumeric() and _JOINED.match(text, end) is None


def write_number(value: float | str) -> str:
    """The shortest text that reads back as the number."""
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)  # noqa: PLR2004 - whole numbers are exact below it
