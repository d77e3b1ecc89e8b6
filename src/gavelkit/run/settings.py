"""What a run is asked to do besides what its judges ask."""

from __future__ import annotations

from dataclasses import dataclass

from gavelkit.core.gate import Gate


@dataclass(frozen=True, slots=True)
class RunSettings:
    """`repeat` judgments of each response; the first `limit` rows only; what a failure costs the mean.

    `interval` says how a mean's interval is made; `gates` are what it must reach. `retry_errors` tries unreadable,
    refused and cut replies again on resume, besides failed calls. `max_error_rate` stands in for every judge's own.
    `preflight_check` False skips the request that tries each endpoint.
    """

    repeat: int = 1
    limit: int | None = None
    on_failure: str = "missing"
    interval: str = "student_t"
    retry_errors: bool = False
    max_error_rate: float | None = None
    gates: tuple[Gate, ...] = ()
    preflight_check: bool = True
    grace_seconds: float = 10.0
