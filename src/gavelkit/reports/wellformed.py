"""Values that every JSON reader and every UTF-8 file can take."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

_SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """The text with U+FFFD in place of lone surrogates, which UTF-8 cannot hold."""
    return _SURROGATE.sub("\ufffd", text)


def plain_json(value: object, *, as_written: bool = False) -> object:
    """The value in the types of JSON: numbers that are not finite as null, the unknown as its text.

    Keys are sorted, or `as_written`.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return well_formed(str(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        keys = value if as_written else sorted(value, key=str)
        return {well_formed(str(key)): plain_json(value[key], as_written=as_written) for key in keys}
    if isinstance(value, list | tuple):
        return [plain_json(each, as_written=as_written) for each in value]
    return well_formed(str(value))
