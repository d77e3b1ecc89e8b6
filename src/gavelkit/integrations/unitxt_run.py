"""One run for one `compute`: the judge of the rows' criteria, its judgments, and what was asked for each."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from gavelkit.catalog import preset
from gavelkit.core.criterion import Criterion
from gavelkit.core.errors import DataError, TemplateError
from gavelkit.core.example import Example, Uses
from gavelkit.core.identity import Identity
from gavelkit.core.judgment import Judgment
from gavelkit.core.limits import Limits
from gavelkit.core.message import Request
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Entry, Judge, Wrap
from gavelkit.core.slot import Slot
from gavelkit.datasets import RowMapping, rows_source
from gavelkit.integrations.unitxt_engine import Reached
from gavelkit.judges import Choice, Pairwise, RowCriterion, Turns, TwoStep
from gavelkit.judges.pairwise import CONTEST, Answers
from gavelkit.prompts import Context, Prompt, Template
from gavelkit.run import RunSettings, evaluate_async, on_loop
from gavelkit.storage import open_reader

NAME = "llm_as_judge"
_CONTEXT = Context({"context": "context"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A judgment, with each step's request."""

    judgment: Judgment
    requests: Mapping[str, Request]

    @property
    def replies(self) -> dict[str, str]:
        """Each step's reply, word for word."""
        return {step.name: step.completion.text for step in self.judgment.steps}


def direct_judge(criteria: Sequence[Criterion], reached: Reached, *, both_orders: bool, summaries: bool) -> TwoStep:
    """The judge of options; each row by its own criterion where they differ."""
    same = all(each == criteria[0] for each in criteria)
    return TwoStep(
        name=NAME,
        criterion=criteria[0] if same else Criterion(NAME),
        turns=_turns("criteria", reached, Choice(), summaries=summaries),
        both_orders=both_orders,
        of_row=None if same else RowCriterion("criteria", lambda example: criteria[int(example.id)]),
        context=_CONTEXT,
        limits=_limits(reached),
        probes=reached.probes,
    )


def pairwise_judge(
    criteria: Sequence[Criterion], reached: Reached, systems: Sequence[str], *, both_orders: bool, summaries: bool
) -> Pairwise | ContestsByRow:
    """The judge of contests; each row by its own criterion where they differ. Without ties: the page knows none."""
    turns = _turns("pairwise", reached, Choice(), summaries=summaries)
    distinct: list[Criterion] = []
    for each in criteria:
        if each not in distinct:
            distinct.append(each)
    judges = tuple(
        Pairwise(
            name=NAME,
            criterion=each,
            turns=turns,
            answers=Answers(tie=""),
            systems=tuple(systems),
            both_orders=both_orders,
            on_inconsistent="first",
            context=_CONTEXT,
            limits=_limits(reached),
            probes=reached.probes,
        )
        for each in distinct
    )
    if len(judges) == 1:
        return judges[0]
    return ContestsByRow(judges, tuple(distinct.index(each) for each in criteria))


@dataclass(frozen=True, slots=True)
class ContestsByRow:
    """Contests whose rows differ in their criterion: each row goes to the judge of its own."""

    judges: tuple[Pairwise, ...]
    of_row: tuple[int, ...]
    """The place of each row's judge."""

    name = NAME
    threshold = None
    preset = ""
    criterion = Criterion(NAME, CONTEST)

    @property
    def asks(self) -> Identity:
        return Identity({"way": "contests by row", "judges": [dict(judge.asks.material) for judge in self.judges]})

    @property
    def reads(self) -> Identity:
        return self.judges[0].reads

    @property
    def limits(self) -> Limits:
        return self.judges[0].limits

    @property
    def probes(self) -> Sequence[Probe]:
        return self.judges[0].probes

    @property
    def uses(self) -> Uses:
        return self.judges[0].uses

    def plan(self, example: Example, *, repeat: int = 0) -> Sequence[Slot]:
        """The contests of the row's own judge."""
        return self._own(example).plan(example, repeat=repeat)

    def prepare(self, example: Example) -> None:
        """As the row's own judge does."""
        self._own(example).prepare(example)

    async def __call__(self, example: Example, *, repeat: int = 0) -> Sequence[Judgment]:
        return await self._own(example)(example, repeat=repeat)

    def bind(self, wrap: Wrap) -> Self:
        """The same with one engine wrapped, which all share."""
        turns = self.judges[0].turns.bind(wrap)
        return replace(self, judges=tuple(replace(judge, turns=turns) for judge in self.judges))

    def requests(self, judgment: Judgment, example: Example) -> dict[str, Request]:
        """As the row's own judge asked."""
        return self._own(example).requests(judgment, example)

    def _own(self, example: Example) -> Pairwise:
        return self.judges[self.of_row[int(example.id)]]


def judged(
    rows: Sequence[Mapping[str, Any]], mapping: Mapping[str, str], judge: TwoStep | Pairwise | ContestsByRow
) -> list[list[Asked]]:
    """The judgments of each row, one for each response or contest.

    Works while an event loop runs. Raises EndpointError where the engine answers nobody.
    """
    checked: Judge = judge
    source = rows_source(rows, RowMapping(mapping))
    settings = RunSettings(max_error_rate=1.0)  # a failure is shown with its instance, and ends no run
    found: list[list[Asked]] = [[] for _ in rows]
    with tempfile.TemporaryDirectory(prefix="gavelkit-") as folder:
        on_loop(evaluate_async(source, [checked], folder=Path(folder), settings=settings))
        for asked in _recorded(Path(folder), judge):
            found[int(asked.judgment.slot.example_id)].append(asked)
    return found


def _recorded(folder: Path, judge: TwoStep | Pairwise | ContestsByRow) -> Iterator[Asked]:
    reader = open_reader(folder)
    try:
        for entry in reader.entries():
            yield Asked(entry.judgment, _requests(judge, entry))
    finally:
        reader.close()


def _requests(judge: TwoStep | Pairwise | ContestsByRow, entry: Entry) -> Mapping[str, Request]:
    """What was asked; nothing where the prompt could not be made, which the judgment's failure tells."""
    try:
        return judge.requests(entry.judgment, entry.example)
    except (TemplateError, DataError, UnicodeEncodeError):
        return {}


def _turns(name: str, reached: Reached, choice: Choice, *, summaries: bool) -> Turns:
    settings = preset(name).settings

    def prompt(template: str) -> Prompt:
        return Prompt(Template(settings[template].rstrip("\n"), name=f"{name}: {template}"))

    return Turns(
        choose=prompt("selection_template"),
        choice=choice,
        parameters=reached.parameters,
        engine=reached.engine,
        assess=prompt("prompt_template"),
        summarise=prompt("summary_template") if summaries else None,
    )


def _limits(reached: Reached) -> Limits:
    return Limits(reached.concurrency, 1.0)
