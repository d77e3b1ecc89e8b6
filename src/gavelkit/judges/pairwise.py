"""The pairwise judge: contests between two systems of a row, each in both orders."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, Self

from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import DataError, TemplateError
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
from gavelkit.judges.reading import reads_by
from gavelkit.judges.turns import Outcome, Question, Turns, wording
from gavelkit.judges.two_orders import Orders, asked, in_orders
from gavelkit.judges.two_step import second_parts
from gavelkit.judges.verdict import Verdict
from gavelkit.prompts import Context

OnInconsistent = Literal["tie", "first", "drop"]
"""What a contest is worth whose winner changes with the order: a tie, the first order's verdict, or nothing."""

A, B, TIE = "A", "B", "tie"
"""A contest's verdicts, by the slot's order of systems, whichever stood first."""

CONTEST = Options({A: 1.0, TIE: 0.5, B: 0.0})
"""A contest's scale: the share of the first system."""


@dataclass(frozen=True, slots=True)
class Answers:
    """How the judge's reply names the response shown first, the one shown second, and a tie (empty: none allowed)."""

    first: str = "Response A"
    second: str = "Response B"
    tie: str = "Tie"

    def options(self, *, swapped: bool) -> Options:
        """Scored by the share of the slot's first system, which stands second where the order is swapped."""
        scores = {self.first: 0.0 if swapped else 1.0, self.second: 1.0 if swapped else 0.0}
        means = {self.first: f"{self.first} is the better one", self.second: f"{self.second} is the better one"}
        if self.tie:
            scores[self.tie], means[self.tie] = 0.5, "neither is better than the other"
        return Options(scores, means)

    def winner(self, choice: str, *, swapped: bool) -> str:
        """A, B or tie, by the slot's order."""
        if choice == self.tie:
            return TIE
        return A if (choice == self.first) != swapped else B


@dataclass(frozen=True, slots=True)
class Pairwise:
    """Compares systems two by two: all pairs of a row, or each with the `baseline`.

    `systems` fixes an order of systems; others follow by name. A score is the first system's share: 1 where it wins,
    0.5 for a tie, 0 where it loses.
    """

    name: str
    criterion: Criterion
    turns: Turns
    answers: Answers = field(default_factory=Answers)
    baseline: str = ""
    systems: tuple[str, ...] = ()
    both_orders: bool = True
    on_inconsistent: OnInconsistent = "tie"
    context: Context | None = None
    threshold: float | None = None
    limits: Limits = field(default_factory=Limits)
    preset: str = ""
    named: bool = True
    save_details: bool = True
    probes: tuple[Probe, ...] = ()
    asks: Identity = field(init=False)
    reads: Identity = field(init=False)
    _context: Context = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "criterion", replace(self.criterion, scale=CONTEST))
        object.__setattr__(self, "_context", self.context or Context(self.criterion.context_fields))
        about = {"name": self.criterion.name, "description": self.criterion.description}
        answers = self.answers
        asks = {
            "way": "pairwise",
            **self.turns.material,
            "criterion": about,
            "context_fields": list(map(list, self._context.fields.items())),
            "answers": [answers.first, answers.second, answers.tie],
            "both_orders": self.both_orders,
            **({"baseline": self.baseline} if self.baseline else {}),
            **({"systems": list(self.systems)} if self.systems else {}),
        }
        reader = self.turns.choice.reader(answers.options(swapped=False))
        reads = {**reads_by(reader, self.criterion), "on_inconsistent": self.on_inconsistent}
        object.__setattr__(self, "asks", Identity(asks))
        object.__setattr__(self, "reads", Identity(reads))

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
        """Which parts of an example the prompts and the context are made of."""
        return self.turns.uses | self._context.uses

    def plan(self, example: Example, *, repeat: int = 0) -> Sequence[Slot]:
        """One slot for each contest of the example; none where it holds fewer than two systems."""
        return tuple(Slot(self.name, example.id, pair, repeat) for pair in self._pairs(example))

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

    def _pairs(self, example: Example) -> Iterator[tuple[str, str]]:
        known = {name: place for place, name in enumerate(self.systems)}
        names = sorted(example.responses, key=lambda name: (known.get(name, len(known)), name))
        if not self.baseline:
            yield from combinations(names, 2)
        elif self.baseline in example.responses:
            yield from ((name, self.baseline) for name in names if name != self.baseline)

    async def _judge(self, slot: Slot, example: Example) -> Judgment:
        try:
            questions = self._questions(slot, example)
        except (TemplateError, DataError) as error:
            return Judgment(slot, Status.INVALID_INPUT, failure=Failure(f"the prompt cannot be made: {error}"))
        return self._combined(slot, await in_orders(self.turns, questions))

    def _questions(self, slot: Slot, example: Example) -> list[Question]:
        one, other = slot.systems
        context = self._context.text(example)
        orders = [(one, other, False), (other, one, True)][: 2 if self.both_orders else 1]
        return [
            Question(
                example,
                slot,
                self.answers.options(swapped=swapped),
                None,
                {
                    "criterion": wording(self.criterion),
                    "context": context,
                    "response_a": example.responses[first],
                    "response_b": example.responses[second],
                },
                second=swapped,
            )
            for first, second, swapped in orders
        ]

    def _combined(self, slot: Slot, orders: Orders) -> Judgment:
        verdict = orders.verdict
        winners = self._winner(orders.first, swapped=False), self._winner(orders.second, swapped=True)
        differ = None if None in winners else winners[0] != winners[1]
        if verdict.status is Status.OK:
            verdict = self._weighed(verdict, orders.second, winners)
        passed = self.criterion.passed(verdict.score, self.threshold)
        return orders.judgment(slot, verdict, passed=passed, differ=differ)

    def _winner(self, outcome: Outcome | None, *, swapped: bool) -> str | None:
        if outcome is None or outcome.choice is None:
            return None
        return self.answers.winner(outcome.choice, swapped=swapped)

    def _weighed(self, first: Verdict, second: Outcome | None, winners: tuple[str | None, str | None]) -> Verdict:
        """The contest's verdict from both orders, by the rule."""
        grade, one, other = first.grade or Grade(""), winners[0] or "", winners[1]
        parts: dict[str, Any] = {**grade.parts, "selection": one}
        if second is not None:
            parts |= {**second_parts(second), **({} if other is None else {"positional_bias_selection": other})}
        read = replace(first, grade=replace(grade, value=one, parts=parts))
        if second is None or self.on_inconsistent == "first" or one == other:
            return read
        if other is None:
            return second.verdict
        if self.on_inconsistent == "tie":
            return replace(read, score=CONTEST.scores[TIE], grade=replace(grade, value=TIE, parts=parts))
        message = f"the order decided: {_told(one)}, then {_told(other)}"
        return Verdict(Status.ABSTAINED, grade=read.grade, failure=Failure(message))


def _told(winner: str) -> str:
    return "a tie" if winner == TIE else f"{winner} won"
