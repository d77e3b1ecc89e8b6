"""What an observer of a run hears, by one callable: `observe(event)`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gavelkit.core.failure import FailureKind
from gavelkit.core.judgment import Judgment


@dataclass(frozen=True, slots=True)
class Planned:
    """The rows are read and checked: how many judgments there are, and how many of them the record holds already.

    `judgments` is None where the rows can be read only once; `seconds` is what the check took, apart from judging.
    """

    judgments: int | None
    held: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Committed:
    """These judgments are on disk."""

    judgments: tuple[Judgment, ...]


@dataclass(frozen=True, slots=True)
class Retried:
    """A call failed and will be tried again after so many seconds."""

    judge: str
    kind: FailureKind
    seconds: float


@dataclass(frozen=True, slots=True)
class Throttled:
    """An endpoint has too much to do: at most `limit` calls at once from now on, the next one in so many seconds."""

    limit: int
    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class CircuitOpened:
    """An endpoint fails every call: nothing but a probe now and then is sent, the first in so many seconds."""

    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class CircuitClosed:
    """An endpoint replies again, after so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something a user should read: a warning, or what a resume found."""

    message: str


Event = Planned | Committed | Retried | Throttled | CircuitOpened | CircuitClosed | Noticed
Observe = Callable[[Event], None]


def ignore(_event: Event) -> None:
    """The observer where nobody looks."""
