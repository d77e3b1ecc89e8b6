"""Which judgment is meant."""

from __future__ import annotations

from dataclasses import dataclass

from gavelkit.core.identity import canonical


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
