"""Everything that can be wrong with rows and templates, found before the first paid call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import Example
from gavelkit.core.gate import Gate
from gavelkit.core.path import did_you_mean
from gavelkit.core.protocols import Judge
from gavelkit.datasets import Source, refuse_duplicates
from gavelkit.run.settings import RunSettings
from gavelkit.run.stop import Stop

MAX_ROWS = 1_000_000


@dataclass(slots=True)
class Planned:
    """How many judgments there will be, by judge and systems; None where the rows cannot be read twice."""

    rows: int = 0
    slots: Counter[tuple[str, tuple[str, ...]]] = field(default_factory=Counter)
    complete: bool = True

    @property
    def total(self) -> int:
        """All of them."""
        return self.slots.total()

    def add(self, example: Example, judges: Sequence[Judge], *, repeat: int) -> None:
        """Count one row's judgments."""
        self.rows += 1
        for judge in judges:
            for slot in judge.plan(example):
                self.slots[slot.judge, slot.systems] += repeat


def check_settings(judges: Sequence[Judge], settings: RunSettings) -> None:
    """Raises ConfigError where a scale has no room for what a failure is to cost, or two judges would share replies."""
    _refuse_shared_replies(judges)
    for judge in judges:
        scale = judge.criterion.scale
        if settings.on_failure == "zero" and scale is not None and not scale.low <= 0 <= scale.high:
            ends = f"{scale.low:g} to {scale.high:g}"
            message = f"on_failure: zero: judge {judge.name!r} has the scale {ends}, which excludes 0; use worst"
            raise ConfigError(message)


def _refuse_shared_replies(judges: Sequence[Judge]) -> None:
    """The address is no part of a question, so equal questions to two addresses would get one address's replies."""
    asked: dict[str, tuple[str, str]] = {}
    for judge in judges:
        for probe in judge.probes:
            name, api_base = asked.setdefault(judge.asks.hash, (judge.name, probe.api_base))
            if api_base != probe.api_base:
                message = (
                    f"judges {name!r} and {judge.name!r} ask the same of model {probe.model!r} at two addresses, and "
                    f"equal questions are asked once in a run; judge them in two runs"
                )
                raise ConfigError(message)


def check_rows(
    source: Source, judges: Sequence[Judge], *, limit: int | None, repeat: int, stop: Stop | None = None
) -> Planned:
    """Read every row, refuse duplicate ids, render every template for each of the first million rows; count the plan.

    Raises DataError or TemplateError. A source that can be read only once is checked row by row as it is judged.
    Once `stop` is asked for, the check ends where it is.
    """
    planned = Planned()
    if not source.rereadable:
        planned.complete = False
        return planned
    for example in refuse_duplicates(source.examples(limit=limit)):
        if planned.rows < MAX_ROWS:
            for judge in judges:
                judge.prepare(example)
        planned.add(example, judges, repeat=repeat)
        if stop is not None and stop.asked:
            return planned
    if planned.rows == 0:
        message = f"{source.path or source.name}: there is no row to judge"
        raise DataError(message)
    return planned


def check_gates(gates: Sequence[Gate], planned: Planned) -> None:
    """Raises ConfigError where a gate names a system that no row has. Rows that are read once are not known yet."""
    if not planned.complete:
        return
    for gate in gates:
        systems = {" vs ".join(systems) for judge, systems in planned.slots if judge == gate.judge}
        if gate.system is not None and planned.slots and gate.system not in systems:
            hint = did_you_mean(gate.system, (each for each in systems if each))
            message = f"gates: {gate}: no row has a response of the system {gate.system!r}{hint}"
            raise ConfigError(message)


def checked_examples(source: Source, *, limit: int | None) -> Iterator[Example]:
    """The rows to judge; those of a source that is read once are checked as they come."""
    examples = source.examples(limit=limit)
    return examples if source.rereadable else refuse_duplicates(examples)
