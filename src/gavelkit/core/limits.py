"""What a judge may take and how much of it may fail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`concurrency` is a hard ceiling on the judge's calls in flight; `max_error_rate` from 0 to 1 fails the run
    where strictly more of its judgments failed.
    """

    concurrency: int = 32
    max_error_rate: float = 0.1
