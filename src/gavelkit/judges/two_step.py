"""The criteria judge: an assessment by a criterion, then the choice of one of its options, in one order or in two."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import ConfigError, DataError, TemplateError
from gavelkit.core.example import Example, Uses
from gavelkit.core.failure import Failure
from gavelkit.core.grade import Grade
from gavelkit.core.identity import Identity
from gavelkit.core.judgment import Judgment
from gavelkit.core.limits import Limits
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Wrap
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.judges.reading import reads_by, scale_material
from gavelkit.judges.turns import Outcome, Question, Turns, wording
from gavelkit.judges.two_orders import Orders, asked, in_orders
from gavelkit.judges.verdict import Verdict
from gavelkit.prompts import Context

OnInconsistent = Literal["first", "mean", "abstain"]
"""What two orders that choose differently are worth: the first's score, the mean of both, or no score."""


@dataclass(frozen=True, slots=True)
class RowCriterion:
    """Reads the criterion of a row from one of its fields. `field` is its path; `read` raises DataError."""

    field: str
    read: Callable[[Example], Criterion]


@dataclass(frozen=True, slots=True)
class TwoStep:
    """Assesses each system's response by a criterion, then chooses one of its options.

    With `both_orders` the same is asked with the options reversed. `of_row` gives each row a criterion of its own;
    `criterion` is then the scale of them all. `context` stands in for the criterion's own context fields.
    """

    name: str
    criterion: Criterion
    turns: Turns
    both_orders: bool = True
    on_inconsistent: OnInconsistent = "first"
    of_row: RowCriterion | None = None
    context: Context | None = None
    threshold: float | None = None
    limits: Limits = field(default_factory=Limits)
    preset: str = ""
    named: bool = True
    save_details: bool = True
    probes: tuple[Probe, ...] = ()
    asks: Identity = field(init=False)
    reads: Identity = field(init=False)
    _context: Context | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        own = None if self.of_row is not None else Context(self.criterion.context_fields)
        object.__setattr__(self, "_context", self.context or own)
        about: dict[str, object] = (
            {"criteria_field": self.of_row.field} if self.of_row else criterion_asked(self.criterion)
        )
        shown = {} if self._context is None else {"context_fields": list(map(list, self._context.fields.items()))}
        asks = {"way": "two_step", **self.turns.material, **about, **shown, "both_orders": self.both_orders}
        object.__setattr__(self, "asks", Identity(asks))
        object.__setattr__(self, "reads", Identity({**self._reader(), "on_inconsistent": self.on_inconsistent}))

    @property
    def parameters(self) -> Parameters:
        """What every request asks of the model."""
        return self.turns.parameters

    @property
    def reader(self) -> str:
        """What its reader is called."""
        return str(self.reads.material["parser"])

    @property
    def uses(self) -> Uses:
        """Which parts of an example the prompts, the context and the criterion are made of."""
        uses = self.turns.uses
        if self._context is not None:
            uses = uses | self._context.uses
        if self.of_row is not None:  # a criterion of the row's own names context fields that nobody knows yet
            uses = uses | Uses(everything=True)
        return uses

    def plan(self, example: Example, *, repeat: int = 0) -> Sequence[Slot]:
        """One slot for each system of the example."""
        return tuple(Slot(self.name, example.id, (system,), repeat) for system in example.responses)

    def prepare(self, example: Example) -> None:
        """Render every prompt that needs no reply. Raises TemplateError or DataError."""
        for slot in self.plan(example):
            for question in self._questions(slot, example):
                self.turns.prepare(question)

    async def __call__(self, example: Example, *, repeat: int = 0) -> Sequence[Judgment]:
        slots = self.plan(example, repeat=repeat)
        return await asyncio.gather(*(self._judge(slot, example) for slot in slots))

    def first_prompt(self, example: Example) -> tuple[Message, ...]:
        """The first messages about an example that something is planned for. Raises TemplateError or DataError."""
        question = self._questions(self.plan(example)[0], example)[0]
        return next(iter(self.turns.requests(question, {}).values())).messages

    def bind(self, wrap: Wrap) -> Self:
        """The same judge with its engine wrapped."""
        return replace(self, turns=self.turns.bind(wrap))

    def requests(self, judgment: Judgment, example: Example) -> dict[str, Request]:
        """What was asked, by step, made again from the example and the replies. Raises TemplateError or DataError."""
        return asked(self.turns, self._questions(judgment.slot, example), judgment)

    async def _judge(self, slot: Slot, example: Example) -> Judgment:
        try:
            questions = self._questions(slot, example)
        except (TemplateError, DataError) as error:
            return Judgment(slot, Status.INVALID_INPUT, failure=Failure(f"the prompt cannot be made: {error}"))
        return self._combined(slot, await in_orders(self.turns, questions))

    def _questions(self, slot: Slot, example: Example) -> list[Question]:
        criterion = self.criterion if self.of_row is None else self._criterion_of(example, self.of_row)
        assert isinstance(criterion.scale, Options)  # noqa: S101 - no criterion of this judge is made without options
        context = self._context or Context(criterion.context_fields)
        given = {"criterion": wording(criterion), "context": context.text(example)}
        first = Question(example, slot, criterion.scale, slot.systems[0], given)
        if not self.both_orders:
            return [first]
        return [first, replace(first, options=criterion.scale.reversed, second=True)]

    def _criterion_of(self, example: Example, of_row: RowCriterion) -> Criterion:
        criterion = of_row.read(example)
        if criterion.higher_is_better != self.criterion.higher_is_better:
            better = "lower" if self.criterion.higher_is_better else "higher"
            message = (
                f"{example.place}: by the criterion {criterion.name!r} a {better} score is better, and by the judge's "
                f"others it is not; judge it apart, or set higher_is_better"
            )
            raise DataError(message)
        try:
            self.turns.choice.check(criterion)
        except ConfigError as error:
            message = f"{example.place}: {of_row.field}: {error}"
            raise DataError(message) from None
        return criterion

    def _combined(self, slot: Slot, orders: Orders) -> Judgment:
        verdict = orders.verdict
        differ = _differ(orders)
        if verdict.status is Status.OK and orders.second is not None:
            verdict = _weighed(verdict, orders.second, differ, self.on_inconsistent)
        passed = self.criterion.passed(verdict.score, self.threshold)
        return orders.judgment(slot, verdict, passed=passed, differ=differ)

    def _reader(self) -> dict[str, object]:
        scale = self.criterion.scale
        if isinstance(scale, Options):
            return reads_by(self.turns.choice.reader(scale), self.criterion)
        any_two = self.turns.choice.reader(Options({"Yes": 1.0, "No": 0.0}))  # the row's options are known by the row
        return {"parser": any_two.name, "version": any_two.version, **scale_material(self.criterion)}


def criterion_asked(criterion: Criterion) -> dict[str, Any]:
    """The criterion's part of a question: its name, wording and options in order."""
    scale = criterion.scale
    options = [[name, scale.descriptions.get(name, "")] for name in scale.scores] if isinstance(scale, Options) else []
    return {"criterion": {"name": criterion.name, "description": criterion.description, "options": options}}


def _differ(orders: Orders) -> bool | None:
    if orders.second is None or orders.first.choice is None or orders.second.choice is None:
        return None
    return orders.first.choice != orders.second.choice


def _weighed(first: Verdict, second: Outcome, differ: bool | None, rule: OnInconsistent) -> Verdict:  # noqa: FBT001 - three-valued
    """The verdict of both orders, by the rule."""
    grade = first.grade or Grade("")
    parts: Mapping[str, Any] = {**grade.parts, **second_parts(second)}
    both = replace(first, grade=replace(grade, parts=parts))
    if rule == "first":
        return both
    other = second.verdict
    if other.score is None or first.score is None:
        return other
    if rule == "mean":
        return replace(both, score=(first.score + other.score) / 2)
    if not differ:
        return both
    message = f"the two orders chose {grade.value!r} and {second.choice!r}"
    return Verdict(Status.ABSTAINED, grade=both.grade, failure=Failure(message))


def second_parts(second: Outcome) -> dict[str, Any]:
    """What a grade keeps of the second order: its choice, or why there is none, and what else its grade carried."""
    if second.choice is None:
        failure = second.verdict.failure
        return {"positional_bias_failure": f"{second.verdict.status}: {failure.message if failure else ''}"}
    grade = second.verdict.grade
    rest = {f"positional_bias_{name}": value for name, value in (grade.parts if grade else {}).items()}
    return {"positional_bias_selection": second.choice, **rest}
