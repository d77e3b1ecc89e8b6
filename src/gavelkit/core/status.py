"""What became of a planned judgment: exactly one status each."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """The ten ends a planned judgment can have. Only `OK` carries a score."""

    OK = "ok"
    ABSTAINED = "abstained"
    PARSE_ERROR = "parse_error"
    OUT_OF_RANGE = "out_of_range"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    INVALID_INPUT = "invalid_input"
    CALL_ERROR = "call_error"
    SKIPPED = "skipped"
    PENDING = "pending"

    @property
    def failed(self) -> bool:
        """True where a judgment was wanted and none came: counted against `max_error_rate`."""
        return self not in _NOT_FAILED


_NOT_FAILED = frozenset({Status.OK, Status.ABSTAINED, Status.SKIPPED, Status.PENDING})

RETRIED_ON_RESUME = frozenset({Status.PENDING, Status.CALL_ERROR})
"""Tried again whenever a run is resumed."""

RETRIED_ON_REQUEST = frozenset({Status.PARSE_ERROR, Status.REFUSED, Status.TRUNCATED})
"""Tried again on resume only when the user asks for it, since their replies were paid for."""
