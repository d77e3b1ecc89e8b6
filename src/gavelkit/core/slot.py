"""Which judgment is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gavelkit.core.identity import canonical

_VERSUS = " vs "


def subject(systems: Sequence[str]) -> str:
    """What is judged, in words: the system, or `a vs b`. A name that holds ` vs ` is quoted there."""
    if len(systems) == 1:
        return systems[0]
    return _VERSUS.join(canonical(name) if _VERSUS in name else name for name in systems)


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one judgment in the plan. `systems` has one name, or two for a contest."""

    judge: str
    example_id: str
    systems: tuple[str, ...]
    repeat: int = 0

    @property
    def place(self) -> str:
        """The judge, example and systems as one text, which no other three share."""
        return canonical([self.judge, self.example_id, *self.systems])
