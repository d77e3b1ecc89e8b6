"""Why there is no grade: the twin of `Grade`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    """What went wrong, in the words every report and record uses."""

    CONNECT = "connect"
    DNS = "dns"
    TLS = "tls"
    RESET = "reset"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol"
    DECODE = "decode"
    TOO_LARGE = "too_large"
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"
    AUTH = "auth"
    FORBIDDEN = "forbidden"
    MODEL_NOT_FOUND = "model_not_found"
    BAD_REQUEST = "bad_request"
    INPUT_TOO_LONG = "input_too_long"
    UNSUPPORTED_PARAM = "unsupported_param"
    FILTERED = "filtered"
    EMPTY = "empty"
    AMBIGUOUS = "ambiguous"
    NOT_RECORDED = "not_recorded"
    SERVER = "server"
    REDIRECT = "redirect"
    STORAGE = "storage"
    INTERNAL = "internal"


RETRYABLE = frozenset(
    {
        FailureKind.CONNECT,
        FailureKind.DNS,
        FailureKind.RESET,
        FailureKind.TIMEOUT,
        FailureKind.PROTOCOL,
        FailureKind.DECODE,
        FailureKind.RATE_LIMIT,
        FailureKind.SERVER,
    }
)
"""The kinds for which a second try may well succeed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a judgment has no score.

    `kind` is None where the status says it all (an unreadable reply, a refusal). `raw` is the reply or body
    as it came. A `fatal` failure would meet every further call too, so no new work is begun after it. `steps` are
    those whose replies it is about; where none is named it is about all.
    """

    message: str
    kind: FailureKind | None = None
    raw: str = ""
    fatal: bool = False
    steps: tuple[str, ...] = ()
