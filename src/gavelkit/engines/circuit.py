"""Tells a dead endpoint from one that fails now and then. It knows no calls, no waiting and no clock."""

from __future__ import annotations

import math
from typing import Final

from gavelkit.core.failure import FailureKind

TROUBLE: Final = frozenset(
    {
        FailureKind.CONNECT,
        FailureKind.DNS,
        FailureKind.TLS,
        FailureKind.RESET,
        FailureKind.TIMEOUT,
        FailureKind.PROTOCOL,
        FailureKind.REDIRECT,
        FailureKind.SERVER,
        FailureKind.RATE_LIMIT,
    }
)
"""What says that the endpoint cannot serve at present, whatever it was asked."""


class Circuit:
    """Opens after `failures` troubles in a row; then one probe is let through every `probe_seconds`, and no more.

    A reply closes it. Whoever asked in vain for `outage_limit` seconds may give the endpoint up.
    """

    __slots__ = ("_failures", "_last", "_outage_limit", "_probe_at", "_probe_seconds", "in_a_row", "opened", "probing")

    def __init__(self, *, failures: int = 20, probe_seconds: float = 10.0, outage_limit: float = 600.0) -> None:
        self._failures = failures
        self._probe_seconds = probe_seconds
        self._outage_limit = outage_limit
        self._probe_at = self._last = 0.0
        self.in_a_row = 0
        self.opened: float | None = None
        self.probing = False

    @property
    def next_probe(self) -> float:
        """When the next probe may go; never while one is under way."""
        return math.inf if self.probing else self._probe_at

    @property
    def end(self) -> float:
        """When the endpoint is given up."""
        return math.inf if self.opened is None else self.opened + self._outage_limit

    def probe(self, now: float) -> None:
        """A probe goes out."""
        self.probing = True
        self._probe_at = now + self._probe_seconds

    def failed(self, now: float, *, wait: float = 0.0) -> bool:
        """A trouble, with the wait the server asked for: whether it opened the circuit."""
        self.in_a_row += 1
        self._last = now
        if self.opened is not None:
            self._probe_at = max(self._probe_at, now + wait)
            return False
        if self.in_a_row < self._failures:
            return False
        self.opened = now
        self._probe_at = now + (wait or self._probe_seconds)
        return True

    def succeeded(self) -> None:
        self.in_a_row = 0
        self.opened = None
        self.probing = False

    def resume(self, now: float) -> None:
        """Somebody asks. Where nobody did for longer than an outage lasts, what was then says nothing of today."""
        if self.opened is not None and now - self._last > self._outage_limit:
            self.opened = self._last = now
