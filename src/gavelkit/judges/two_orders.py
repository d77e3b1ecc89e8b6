"""The same question in two orders: asked side by side, and what it is worth where they disagree."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

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


async def in_orders(turns: Turns, questions: Sequence[Question]) -> Orders:
    """Ask one or two questions side by side."""
    outcomes = await asyncio.gather(*(turns.run(question) for question in questions))
    return Orders(outcomes[0], outcomes[1] if len(outcomes) > 1 else None)
