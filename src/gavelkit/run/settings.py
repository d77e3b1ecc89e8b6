"""What a run is asked to do besides what its judges ask."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gavelkit.core.gate import Gate


@dataclass(frozen=True, slots=True)
class RunSettings:
    """`repeat` judgments of each response; the first `limit` rows only; what a failure costs the mean.

    `interval` says how a mean's interval is made; `gates` are what it must reach. `retry_errors` tries unreadable,
    refused and cut replies again on resume, besides failed calls. `max_error_rate` stands in for every judge's own.
    `preflight_check` False skips the request that tries each endpoint. `max_cost` in USD and `max_requests` cap what
    the folder may cost in its whole life; `prices` is a file of prices of the user's own. A command asks before it
    may spend more than `confirm_above`.
    """

    repeat: int = 1
    limit: int | None = None
    on_failure: str = "missing"
    interval: str = "student_t"
    max_cost: float | None = None
    max_requests: int | None = None
    prices: Path | None = None
    confirm_above: float = 1.0
    retry_errors: bool = False
    max_error_rate: float | None = None
    gates: tuple[Gate, ...] = ()
    preflight_check: bool = True
    grace_seconds: float = 10.0
