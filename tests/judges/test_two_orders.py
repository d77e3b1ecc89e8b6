"""Two orders of one question: asked side by side, and what keeps them from counting."""

from __future__ import annotations

import asyncio

import pytest
from tests.judges.steps import Steps, a_question, some_turns

from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.status import Status
from gavelkit.judges.turns import Outcome
from gavelkit.judges.two_orders import Orders, in_orders
from gavelkit.judges.verdict import Verdict

READ = Outcome(Verdict(Status.OK, 1.0, Grade("Good")))
PENDING = Outcome(Verdict(Status.PENDING))
FAILED = Outcome(Verdict(Status.CALL_ERROR, failure=Failure("down", kind=FailureKind.SERVER)))
FATAL = Outcome(Verdict(Status.CALL_ERROR, failure=Failure("no key", kind=FailureKind.AUTH, fatal=True)))


def test_both_orders_are_asked_side_by_side() -> None:
    engine = Steps("Good", "Bad")
    orders = asyncio.run(in_orders(some_turns(engine), [a_question(), a_question(second=True)]))
    assert orders.second is not None
    assert (orders.first.choice, orders.second.choice, engine.most_in_flight) == ("Good", "Bad", 2)


def test_one_order_has_no_second() -> None:
    orders = asyncio.run(in_orders(some_turns(Steps()), [a_question()]))
    assert (orders.first.choice, orders.second) == ("Good", None)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (READ, READ, None),
        (READ, None, None),
        (READ, FAILED, None),
        (FAILED, READ, None),
        (READ, PENDING, PENDING.verdict),
        (PENDING, READ, PENDING.verdict),
        (PENDING, None, PENDING.verdict),
        (FAILED, PENDING, PENDING.verdict),
        (READ, FATAL, FATAL.verdict),
        (FATAL, READ, FATAL.verdict),
        (PENDING, FATAL, PENDING.verdict),
    ],
)
def test_a_pending_order_or_a_dead_endpoint_keeps_both_from_counting(
    first: Outcome, second: Outcome | None, verdict: Verdict | None
) -> None:
    assert Orders(first, second).unfinished == verdict
