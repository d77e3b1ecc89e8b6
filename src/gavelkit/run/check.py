"""Everything that can be wrong with rows and templates, found before the first paid call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import Example
from gavelkit.core.gate import WIN_RATE, Gate
from gavelkit.core.path import did_you_mean
from gavelkit.core.protocols import Judge
from gavelkit.core.slot import subject
from gavelkit.datasets import Source, refuse_duplicates
from gavelkit.run.settings import RunSettings
from gavelkit.run.stop import Stop

MAX_ROWS = 1_000_000


@dataclass(slots=True)
class Planned:
    """How many judgments there will be, by judge and systems; None where the rows cannot be read twice.

    `first` is the first row with something for a judge, by the judge's name; `systems` are those of all rows.
    """

    rows: int = 0
    slots: Counter[tuple[str, tuple[str, ...]]] = field(default_factory=Counter)
    complete: bool = True
    first: dict[str, Example] = field(default_factory=dict)
    systems: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        """All of them."""
        return self.slots.total()

    def add(self, example: Example, judges: Sequence[Judge], *, repeat: int) -> None:
        """Count one row's judgments."""
        self.rows += 1
        self.systems.update(example.responses)
        for judge in judges:
            for slot in judge.plan(example):
                self.slots[slot.judge, slot.systems] += repeat
                self.first.setdefault(slot.judge, example)


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
            if api_base != probe.api_base and name != judge.name:
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
    refuse_idle(source, judges, planned)
    return planned


def refuse_idle(source: Source, judges: Sequence[Judge], planned: Planned) -> None:
    """Raises DataError where all rows were read and there was none, or nothing in them for one of the judges."""
    where = source.path or source.name
    if planned.rows == 0:
        message = f"{where}: there is no row to judge"
        raise DataError(message)
    for judge in judges:
        _refuse_idle(judge, planned, where)


def _refuse_idle(judge: Judge, planned: Planned, where: str) -> None:
    """Raises DataError where no row holds anything for a judge."""
    if judge.name in planned.first:
        return
    baseline = getattr(judge, "baseline", "")
    if baseline and baseline not in planned.systems:
        hint = did_you_mean(baseline, (each for each in planned.systems if each))
        message = f"{where}: judge {judge.name!r}: no row has a response of the baseline {baseline!r}{hint}"
        raise DataError(message)
    message = (
        f"{where}: judge {judge.name!r} compares systems, and no row has two{' of them' if not baseline else ''}; "
        f"name the columns with map: {{response: {{a: PATH, b: PATH}}}}, or give several files"
    )
    raise DataError(message)


def check_gates(gates: Sequence[Gate], planned: Planned) -> None:
    """Raises ConfigError where a gate names a system that no row has. Rows that are read once are not known yet."""
    if not planned.complete:
        return
    for gate in gates:
        met = [systems for judge, systems in planned.slots if judge == gate.judge]
        one, two = {name for systems in met for name in systems}, {subject(systems) for systems in met}
        known, other = (one, two) if gate.metric == WIN_RATE else (two, one)
        if gate.system is None or not planned.slots or gate.system in known:
            continue
        hint = did_you_mean(gate.system, (each for each in known if each))
        message = f"gates: {gate}: no row has a response of the system {gate.system!r}{hint}"
        if gate.system in other:
            of = "one system" if gate.metric == WIN_RATE else "two systems"
            message = f"gates: {gate}: {gate.metric} is of {of}{hint}"
        raise ConfigError(message)


def checked_examples(source: Source, *, limit: int | None) -> Iterator[Example]:
    """The rows to judge; those of a source that is read once are checked as they come."""
    examples = source.examples(limit=limit)
    return examples if source.rereadable else refuse_duplicates(examples)
