"""The same question in two orders: asked side by side, and what it is worth where they disagree."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.message import Request
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.judges.turns import Outcome, Question, Turns
from gavelkit.judges.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Orders:
    """What the first order came to and, where it was asked, the second."""

    first: Outcome
    second: Outcome | None = None

    @property
    def unfinished(self) -> Verdict | None:
        """What keeps both from counting: a reply that is not there yet, or an endpoint that answers nobody."""
        for outcome in (self.first, self.second):
            if outcome is not None and outcome.verdict.status is Status.PENDING:
                return outcome.verdict
        for outcome in (self.first, self.second):
            failure = None if outcome is None else outcome.verdict.failure
            if failure is not None and failure.fatal and outcome is not None:
                return outcome.verdict
        return None

    @property
    def verdict(self) -> Verdict:
        """What stands before the second order is weighed: what is unfinished, else the first's."""
        return self.unfinished or self.first.verdict

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of both orders; the last is the first order's, which decides."""
        return (*(self.second.steps if self.second else ()), *self.first.steps)

    def judgment(self, slot: Slot, verdict: Verdict, *, passed: bool | None, differ: bool | None) -> Judgment:
        """The record of a slot. A pending one keeps no steps: it is asked for again, and its replies are stored."""
        return Judgment(
            slot=slot,
            status=verdict.status,
            score=verdict.score,
            grade=verdict.grade,
            failure=verdict.failure,
            passed=passed,
            position_bias=differ,
            steps=() if verdict.status is Status.PENDING else self.steps,
        )


async def in_orders(turns: Turns, questions: Sequence[Question]) -> Orders:
    """Ask one or two questions side by side."""
    outcomes = await asyncio.gather(*(turns.run(question) for question in questions))
    return Orders(outcomes[0], outcomes[1] if len(outcomes) > 1 else None)


def asked(turns: Turns, questions: Sequence[Question], judgment: Judgment) -> dict[str, Request]:
    """The requests behind a judgment, by step, made again from its replies. Raises TemplateError or DataError."""
    replies = {step.name: step.completion.text for step in judgment.steps}
    found: dict[str, Request] = {}
    for question in questions:
        found |= turns.requests(question, replies)
    return found
