"""What a simulated endpoint remembers of its requests: how many at once, and a line each in a log."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import BinaryIO

import msgspec

from gavelkit.core.identity import short_hash
from gavelkit.simulator.wire import HttpAnswer, HttpRequest


class Ledger:
    """Counts requests; with a `log`, also writes a JSON line for each.

    A request is in flight from its arrival until its answer is due. `repeat` in the log says how often the same body
    came before, `connection` the number of the connection it came on, and `fault` what went wrong with its answer.
    """

    def __init__(self, now: Callable[[], float], *, log: BinaryIO | None = None) -> None:
        self._now = now
        self._log = log
        self._due: list[float] = []
        self._bodies: Counter[int] = Counter()
        self.requests = 0
        self.max_in_flight = 0
        self.statuses: Counter[int] = Counter()

    def enter(self, request: HttpRequest, answer: HttpAnswer, *, model: str) -> None:
        """Note a request and the answer that it gets."""
        in_flight = self._in_flight(answer.delay_seconds)
        self.requests += 1
        self.statuses[answer.status] += 1
        self.max_in_flight = max(self.max_in_flight, in_flight)
        if self._log is not None:
            mark = short_hash(request.body)
            line = {
                "time": datetime.now(UTC).isoformat(),
                "path": request.path,
                "status": answer.status,
                "in_flight": in_flight,
                "model": model,
                "repeat": self._bodies[mark],
                "connection": request.connection,
                "fault": answer.fault,
            }
            self._bodies[mark] += 1
            self._log.write(msgspec.json.encode(line) + b"\n")

    def _in_flight(self, seconds: float) -> int:
        if not self._due and seconds <= 0:
            return 1
        now = self._now()
        while self._due and self._due[0] <= now:
            heapq.heappop(self._due)
        if seconds > 0:
            heapq.heappush(self._due, now + seconds)
            return len(self._due)
        return len(self._due) + 1
