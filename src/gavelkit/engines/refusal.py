"""What an HTTP status and an error body mean: the kind of failure, whether to try again, and the server's hint."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.engines.hints import Header, retry_after

_KEPT = 2000
_KEY = re.compile(r"\bsk-[\w*.-]{4,}")  # endpoints repeat keys, some with stars in the middle
_SERVER_ERROR = 500
_RATE_LIMIT = 429
_OVERLOADED = frozenset({_RATE_LIMIT, 503, 529})
_PASSING = frozenset({500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_QUOTA = ("insufficient_quota", "billing_hard_limit", "billing_not_active", "exceeded your current quota")
_TOO_LONG = ("context_length_exceeded", "maximum context length", "context window", "prompt is too long")
_UNSUPPORTED = ("unsupported_parameter", "unsupported_value", "not allowed to request logprobs")
_NO_MODEL = ("model_not_found", "does not exist", "model not found")

_BY_STATUS: Mapping[int, FailureKind] = {
    400: FailureKind.BAD_REQUEST,
    401: FailureKind.AUTH,
    402: FailureKind.QUOTA,
    403: FailureKind.FORBIDDEN,
    404: FailureKind.MODEL_NOT_FOUND,
    408: FailureKind.TIMEOUT,
    409: FailureKind.SERVER,
    413: FailureKind.INPUT_TOO_LONG,
    422: FailureKind.BAD_REQUEST,
    429: FailureKind.RATE_LIMIT,
    451: FailureKind.FORBIDDEN,
}
_FATAL = frozenset({FailureKind.AUTH, FailureKind.QUOTA, FailureKind.MODEL_NOT_FOUND})
HINTS: Mapping[FailureKind, str] = {
    FailureKind.AUTH: "the endpoint refuses the key",
    FailureKind.QUOTA: "the account has no quota left",
    FailureKind.MODEL_NOT_FOUND: "the endpoint has no such model or path (a base URL usually ends in /v1)",
}
"""What a failure means, in words that stand before the endpoint's own."""


def refusal(status: int, body: bytes, header: Header, *, hints: Mapping[FailureKind, str] = HINTS) -> CallError:
    """The error for a reply that is none: by its status, or by the error in a body of status 200."""
    error = _error_of(body)
    if 300 <= status < 400:  # noqa: PLR2004 - the redirects
        return _redirect(status, header)
    if status == 200:  # noqa: PLR2004 - an error in a body that says all is well
        status = _inner_status(error)
    words = " ".join(str(error.get(name, "")) for name in ("code", "type", "message")).lower()
    kind = _kind(status, words)
    text = _without_keys(str(error.get("message") or body[:200].decode("utf-8", "replace"))[:_KEPT].strip())
    hint = f"{hints[kind]}: " if kind in hints else ""
    return CallError(
        kind,
        f"HTTP {status}: {hint}{text}" if text else f"HTTP {status}{': ' + hint[:-2] if hint else ''}",
        raw=_without_keys(body[:_KEPT].decode("utf-8", "replace")),
        retry_after=retry_after(header, limited=status == _RATE_LIMIT),
        fatal=kind in _FATAL,
        retryable=False if kind in _FATAL else _retryable(status, header),
        param=_named(error, "param"),
        code=_named(error, "code"),
        overloaded=status in _OVERLOADED or None,
    )


def _kind(status: int, words: str) -> FailureKind:
    if any(word in words for word in _QUOTA):
        return FailureKind.QUOTA
    if any(word in words for word in _TOO_LONG):
        return FailureKind.INPUT_TOO_LONG
    if any(word in words for word in _UNSUPPORTED):
        return FailureKind.UNSUPPORTED_PARAM
    if any(word in words for word in _NO_MODEL) and status in {400, 404}:
        return FailureKind.MODEL_NOT_FOUND
    if "content_filter" in words or "content_policy" in words:
        return FailureKind.FILTERED
    return _BY_STATUS.get(status, FailureKind.SERVER if status >= _SERVER_ERROR else FailureKind.BAD_REQUEST)


def _retryable(status: int, header: Header) -> bool | None:
    """What the server says itself, else by the kind; a server error that will not pass is not retried."""
    said = {"true": True, "false": False}.get((header("x-should-retry") or "").strip().lower())
    if said is None and status >= _SERVER_ERROR and status not in _PASSING:
        return False
    return said


def _named(error: Mapping[str, Any], name: str) -> str:
    value = error.get(name)
    return value if isinstance(value, str) else ""


def _without_keys(text: str) -> str:
    return _KEY.sub("sk-...", text)


def _redirect(status: int, header: Header) -> CallError:
    try:
        host = urlsplit(header("location") or "").hostname or "an unnamed place"
    except ValueError:
        host = "an unnamed place"
    message = f"HTTP {status}: the endpoint redirects to {host}; redirects are not followed, so that no key goes astray"
    return CallError(FailureKind.REDIRECT, message)


def _error_of(body: bytes) -> Mapping[str, Any]:
    try:
        decoded = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    error = decoded.get("error") or decoded if isinstance(decoded, dict) else {}
    return error if isinstance(error, dict) else {"message": str(error)}


def _inner_status(error: Mapping[str, Any]) -> int:
    """An error inside a 200 is read as the status it names, else as a fault of the server."""
    code = error.get("code")
    if isinstance(code, int) and not isinstance(code, bool):
        return code
    words = f"{code} {error.get('type')}".lower()
    return 429 if "rate_limit" in words else 401 if "auth" in words or "api_key" in words else _SERVER_ERROR
