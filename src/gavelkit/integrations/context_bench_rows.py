"""What context-bench's parts hand each other: a row of results, and the shapes of systems, evaluators and metrics."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from gavelkit.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class EvalRow:
    """What one system made of one example. `latency` is the system's own time, in seconds."""

    system: str
    example_id: str | int
    scores: dict[str, float]
    input_tokens: int
    output_tokens: int
    metadata: dict[str, Any] = field(default_factory=dict)
    latency: float = 0.0
    dataset: str = ""


@runtime_checkable
class System(Protocol):
    """What is judged: turns an example into an output."""

    @property
    def name(self) -> str: ...

    def process(self, example: dict[str, Any]) -> dict[str, Any]:
        """The output, whose `response` is what evaluators read."""
        ...


@runtime_checkable
class Evaluator(Protocol):
    """Scores one output."""

    @property
    def name(self) -> str: ...

    def score(self, original: Mapping[str, Any], processed: Mapping[str, Any]) -> dict[str, float]:
        """The output's scores by name, given the example as it was."""
        ...


@runtime_checkable
class Metric(Protocol):
    """Makes figures from the rows of one system."""

    @property
    def name(self) -> str: ...

    def compute(self, rows: Sequence[EvalRow]) -> dict[str, float]:
        """The figures by name, also for no rows."""
        ...


def refuse_others(what: str, given: Any, method: str) -> None:
    """Raises UsageError where not each of them is an object with a name and this method, which awaits nothing."""
    if not isinstance(given, Collection):
        message = f"{what} are a list, and not {given!r}"
        raise UsageError(message)
    for each in given:
        call = getattr(each, method, None)
        if isinstance(each, type) or not hasattr(each, "name") or not callable(call):
            called = f"; is {each.__name__}() meant?" if isinstance(each, type) else ""
            message = f"{what} are objects with a name and {method}(...), and {each!r} is none{called}"
            raise UsageError(message)
        if inspect.iscoroutinefunction(call):
            message = f"{what}: {method} of {each.name!r} is async; a plain function is needed, which runs in a thread"
            raise UsageError(message)
