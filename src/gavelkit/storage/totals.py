"""What the calls of a run came to."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from gavelkit.storage.codec import from_text

_TOTALS = """
SELECT judge, COUNT(*), SUM(prompt_tokens), SUM(completion_tokens), SUM(cached_tokens),
       SUM(prompt_tokens IS NULL OR completion_tokens IS NULL), SUM(requests)
FROM call GROUP BY judge
"""
_SERVED = "SELECT judge, served_model, COUNT(*) FROM call WHERE served_model <> '' GROUP BY judge, served_model"


@dataclass(frozen=True, slots=True)
class CallTotals:
    """What a judge's calls came to. `uncounted` calls said nothing of their tokens."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    uncounted: int = 0
    requests: int = 0


def served_models(connection: sqlite3.Connection) -> Mapping[int, Mapping[str, int]]:
    """How many replies each model gave, as the endpoints named them, by the judge's number. Raises sqlite3.Error."""
    found: dict[int, dict[str, int]] = {}
    for judge, model, count in connection.execute(_SERVED):
        found.setdefault(judge, {})[from_text(model)] = count
    return found


def totals_of(connection: sqlite3.Connection) -> Mapping[int, CallTotals]:
    """What each judge's calls came to, by its number. Raises sqlite3.Error."""
    return {row[0]: CallTotals(*(value or 0 for value in row[1:])) for row in connection.execute(_TOTALS)}
