"""Which parameters of a request an endpoint refuses, by its error. Knows servers' words, and no repair."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind

_KINDS: Final = frozenset({FailureKind.UNSUPPORTED_PARAM, FailureKind.BAD_REQUEST})
_CODES: Final = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_REFUSED: Final = (
    r"not supported|n[o']t support|unsupported|not allowed|not permitted|not enabled|unavailable|unknown parameter"
    r"|unrecognized|only the default|only [\d.]+ is allowed|cannot both|at the same time|extra_forbidden|are not valid"
    r"|deprecated|must contain the word|expected \"json\"|must be ['\"]?(?:json_schema|text|1\b)"
)
_NEAR: Final = 100
"""Characters between a parameter's name and what is said of it. Some servers repeat the prompt, which may hold both."""
_VALUES: Final = re.compile(r"invalid schema|too large|less than|greater than|at most|at least|between|maximum")
"""Words about a value that is out of bounds, or a schema that is wrong: leaving it out would hide a mistake."""
_OTHER_NAMES: Final = {
    "response_format": r"response_format|json_schema|json_object|json schema",
}
_ONE_OF_TWO: Final = re.compile(r"cannot both|at the same time|not both")


def refused_parameters(error: CallError, sent: Collection[str]) -> tuple[str, ...]:
    """Those of the parameters sent that the error refuses; none where it is about something else.

    Where two exclude each other, it is the one named last that goes.
    """
    if error.kind not in _KINDS:
        return ()
    words = error.failure.message.lower().replace("\u2019", "'")
    named = re.split(r"[.\[]", error.param)[0]
    if named in sent and error.code in _CODES:
        return (named,)
    if _VALUES.search(words):
        return ()
    found = [name for name in sent if _refuses(words, name)]
    if not found and named in sent and re.search(_REFUSED, words):
        return (named,)
    if len(found) > 1 and _ONE_OF_TWO.search(words):
        return (max(found, key=words.rfind),)
    return tuple(found)


def _refuses(words: str, name: str) -> bool:
    """Whether the parameter's name stands near words that refuse it. `logprobs` stands in `top_logprobs` too."""
    pattern = rf"(?<![a-z_])(?:{_OTHER_NAMES.get(name, re.escape(name))})(?![a-z_])"
    near = rf"[^\n]{{0,{_NEAR}}}?"
    return re.search(rf"(?:{pattern}){near}(?:{_REFUSED})|(?:{_REFUSED}){near}(?:{pattern})", words) is not None
