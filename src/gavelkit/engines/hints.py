"""How long a server asks to wait, in the forms that servers use. It reads no clock of ours."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from email.utils import parsedate_to_datetime

from gavelkit.core.errors import CallError

Header = Callable[[str], str | None]

_LONGEST_TEXT = 40  # no sane number, duration or date is longer, and long digits cost time to read
_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_DURATION = re.compile(
    r"(?:(?P<d>\d+)d)?(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m)?(?:(?P<s>\d+(?:\.\d+)?)s)?(?:(?P<ms>\d+(?:\.\d+)?)ms)?", re.ASCII
)
_UNITS = {"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_OLDEST_EPOCH = 1e9  # a larger number counts from 1970, a thousand times larger in milliseconds
_RESETS = ("-requests", "-tokens", "")


def retry_after(header: Header, *, limited: bool = False) -> float | None:
    """The server's hint in seconds; None where it gives none that can be used.

    `limited` is True for a reply of status 429: only then do `x-ratelimit-reset*` say when to come again, and only
    where nothing remains of the limit they are about. Dates are read against the reply's own `Date`.
    """
    milliseconds = _number(_text(header, "retry-after-ms"))
    if milliseconds:
        return milliseconds / 1000
    text = _text(header, "retry-after")
    hint = _seconds(text) or _until(text, header)
    if hint is None and limited:
        hint = _reset(header)
    return hint


def beyond(error: CallError, most: float) -> CallError | None:
    """The error that ends a run which would have to wait longer than `most` seconds; None where it need not."""
    if error.retry_after is None or error.retry_after <= most:
        return None
    message = f"{error}; the server asks to wait {error.retry_after:,.0f} s, longer than {most:,.0f} s"
    return CallError(error.kind, message, raw=error.failure.raw, fatal=True)


def _text(header: Header, name: str) -> str:
    text = (header(name) or "").strip()
    return text if len(text) <= _LONGEST_TEXT else ""


def _number(text: str) -> float | None:
    """A number above 0."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) and number > 0 else None


def _seconds(text: str) -> float | None:
    """Plain seconds, or a duration such as 1m30s."""
    if (number := _number(text)) is not None:
        return number
    read = _DURATION.fullmatch(text)
    if read is None:
        return None
    return sum(float(count) * _UNITS[unit] for unit, count in read.groupdict("0").items()) or None


def _until(text: str, header: Header) -> float | None:
    """The seconds from the reply's own date to this one."""
    then, now = _epoch(text), _epoch(_text(header, "date"))
    return then - now if then is not None and now is not None and then > now else None


def _epoch(date: str) -> float | None:
    if ":" not in date:
        return None
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _reset(header: Header) -> float | None:
    """The longest reset of the limits that are used up; where none says so, the shortest of those that may be."""
    used_up, perhaps = [], []
    for suffix in _RESETS:
        seconds = _reset_seconds(header, _text(header, f"x-ratelimit-reset{suffix}"))
        remaining = _text(header, f"x-ratelimit-remaining{suffix}")
        if seconds is not None:
            if not remaining:
                perhaps.append(seconds)
            elif _NUMBER.fullmatch(remaining) and not float(remaining):
                used_up.append(seconds)
    return max(used_up) if used_up else min(perhaps, default=None)


def _reset_seconds(header: Header, text: str) -> float | None:
    seconds = _seconds(text)
    if seconds is None or seconds < _OLDEST_EPOCH:
        return seconds
    then = seconds / 1000 if seconds >= _OLDEST_EPOCH * 1000 else seconds
    now = _epoch(_text(header, "date"))
    return then - now if now is not None and then > now else None
