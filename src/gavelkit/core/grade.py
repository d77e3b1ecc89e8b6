"""What a judge said, as its parser read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Grade:
    """The verdict in a reply: a number or the name of an option, and the words around it.

    `parts` holds what else a structured reply carried. `ambiguous` marks a verdict chosen from several that
    differ by a reader whose page demands it; `cut` one read whole from a reply that ended at its limit.
    """

    value: float | str
    explanation: str = ""
    parts: Mapping[str, Any] = field(default_factory=dict)
    ambiguous: bool = False
    cut: bool = False
