"""How many second tries an endpoint gets in all, so that trouble does not multiply what is sent to it."""

from __future__ import annotations


class RetryBudget:
    """`share` of the requests made so far, and `more`."""

    __slots__ = ("_more", "_share", "requests", "retries")

    def __init__(self, *, share: float = 0.1, more: int = 100) -> None:
        self._share = share
        self._more = more
        self.requests = 0
        self.retries = 0

    def take(self) -> bool:
        """Whether one more try is left; it is used up then."""
        if self.retries >= self._more + int(self._share * self.requests):
            return False
        self.retries += 1
        return True

    def __str__(self) -> str:
        return f"{self._share:.0%} of {self.requests:,} requests and {self._more:,} more"
