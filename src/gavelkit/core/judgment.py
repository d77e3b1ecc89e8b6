"""The record of one verdict."""

from __future__ import annotations

from dataclasses import dataclass

from gavelkit.core.completion import Completion
from gavelkit.core.failure import Failure
from gavelkit.core.grade import Grade
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status


@dataclass(frozen=True, slots=True)
class Step:
    """One reply on the way to a verdict, by the name of the step."""

    name: str
    completion: Completion


@dataclass(frozen=True, slots=True)
class Judgment:
    """What became of a slot. `score` is None unless the status is `ok`: a failure is never a number."""

    slot: Slot
    status: Status
    score: float | None = None
    grade: Grade | None = None
    failure: Failure | None = None
    passed: bool | None = None
    position_bias: bool | None = None
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if (self.score is None) == (self.status is Status.OK):
            message = f"a judgment with status {self.status} cannot have score {self.score}"
            raise ValueError(message)
