"""What context-bench's parts hand each other: a row of results, and the shapes of systems, evaluators and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


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
