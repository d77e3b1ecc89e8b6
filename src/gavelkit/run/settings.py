"""What a run is asked to do besides what its judges ask."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunSettings:
    """`repeat` judgments of each response; the first `limit` rows only; what a failure costs the mean.

    `retry_errors` tries unreadable, refused and cut replies again on resume, besides failed calls. `max_error_rate`
    stands in for every judge's own.
    """

    repeat: int = 1
    limit: int | None = None
    on_failure: str = "missing"
    retry_errors: bool = False
    max_error_rate: float | None = None
    grace_seconds: float = 10.0
