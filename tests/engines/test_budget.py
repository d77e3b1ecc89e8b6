"""The caps of a run: what is set aside, what is billed, who waits, and when it is over."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fake_clock import FakeClock
from tests.makers import a_request

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines import Budget, Ledger, Retrying, RetryPolicy, ScriptedEngine, SecondTry
from gavelkit.engines.scripted import Turn


def a_dollar_a_token(prompt_tokens: int, completion_tokens: int) -> float:
    return float(prompt_tokens + completion_tokens)


def asking(limit: int = 9, prompt: str = "four") -> Request:
    """Sets aside one dollar for its prompt and one for each token of its reply."""
    return a_request(prompt, max_tokens=limit)


def worth(tokens: int) -> Completion:
    return Completion("fine", usage=Usage(1, tokens - 1))


class Held:
    """Keeps every call until it is let go."""

    def __init__(self) -> None:
        self.calls: list[asyncio.Future[Completion]] = []

    async def complete(self, request: Request) -> Completion:  # noqa: ARG002 - an engine's own signature
        call: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self.calls.append(call)
        return await call


async def a_moment() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def one_by_one(turns: Sequence[Turn], ledger: Ledger, *, request: Request | None = None) -> list[object]:
    """What comes of as many calls as there are turns, one after the other."""
    budget = Budget(ScriptedEngine(turns), ledger, cost=a_dollar_a_token)

    async def main() -> list[object]:
        found: list[object] = []
        for _ in turns:
            try:
                found.append((await budget.complete(request or asking())).text)
            except (CallError, NotYet) as error:
                found.append(type(error))
        return found

    return asyncio.run(main())


def test_a_call_costs_what_its_tokens_cost_and_not_what_was_set_aside() -> None:
    ledger = Ledger(max_cost=100)
    assert one_by_one([worth(4), worth(6)], ledger) == ["fine", "fine"]
    assert (ledger.cost, ledger.requests, ledger.unknown) == (10.0, 2, 0)


def test_without_caps_everything_goes_through_and_is_counted() -> None:
    ledger = Ledger()
    one_by_one([worth(4)] * 3, ledger)
    assert (ledger.cost, ledger.requests, ledger.capped) == (12.0, 3, False)


def test_what_was_spent_before_counts() -> None:
    heard: list[str] = []
    ledger = Ledger(max_cost=100, cost=91, requests=7, on_cap=heard.append)
    assert one_by_one([worth(4)], ledger) == [NotYet]
    (told,) = heard
    assert told.startswith(
        "the cost cap of 100.00 USD is reached: 91.0000 USD are spent, and the next request may cost"
    )
    assert told.endswith("10.0000 USD; a higher cap goes on")


def test_a_cap_is_reached_exactly() -> None:
    ledger = Ledger(max_cost=0.3, cost=0.0)
    budget = Budget(ScriptedEngine([worth(1)] * 4), ledger, cost=lambda prompt, reply: (prompt + reply) * 0.1)
    asyncio.run(budget.complete(a_request("four", max_tokens=0)))
    asyncio.run(budget.complete(a_request("four", max_tokens=0)))
    asyncio.run(budget.complete(a_request("four", max_tokens=0)))
    with pytest.raises(NotYet):
        asyncio.run(budget.complete(a_request("four", max_tokens=0)))
    assert ledger.cost == pytest.approx(0.3)


def test_the_end_is_told_once_and_no_call_is_made_after_it() -> None:
    heard: list[str] = []
    ledger = Ledger(max_cost=12, on_cap=heard.append)
    assert one_by_one([worth(4), worth(4), worth(4)], ledger) == ["fine", NotYet, NotYet]
    assert len(heard) == 1
    assert ledger.capped


def test_a_reply_whose_tokens_nobody_counted_costs_what_was_set_aside() -> None:
    heard: list[str] = []
    ledger = Ledger(max_cost=25, on_cap=heard.append)
    replies = [Completion("a"), Completion("b", usage=Usage(3, None)), worth(1)]
    assert one_by_one(replies, ledger) == ["a", "b", NotYet]
    assert (ledger.cost, ledger.unknown) == (20.0, 2)
    assert "at least 20.0000 USD are spent" in heard[0]


def test_what_is_set_aside_is_the_prompt_by_its_characters_and_the_most_of_the_reply() -> None:
    for request, worst in [
        (asking(9, "x" * 8), 11),
        (asking(9, "x" * 9), 12),
        (a_request("four", max_completion_tokens=5), 6),
        (a_request("four", max_tokens=3, max_completion_tokens=5), 6),
        (a_request("four"), 4097),
    ]:
        ledger = Ledger(max_cost=10_000)
        one_by_one([Completion("uncounted")], ledger, request=request)
        assert ledger.cost == worst


def test_a_failed_call_costs_nothing_and_counts_by_its_requests() -> None:
    ledger = Ledger(max_cost=100, max_requests=100)
    error = CallError(FailureKind.SERVER, "HTTP 500").after(4)
    assert one_by_one([error, worth(4)], ledger) == [CallError, "fine"]
    assert (ledger.cost, ledger.requests) == (4.0, 5)


def test_retries_and_second_tries_are_billed() -> None:
    ledger = Ledger()
    cut = Completion("Sco", finish_reason="length", usage=Usage(1, 9))
    script = ScriptedEngine(
        [CallError(FailureKind.SERVER, "HTTP 500"), cut, Completion("Score: 8", usage=Usage(1, 15))]
    )
    inner = SecondTry(Retrying(script, RetryPolicy(), clock=FakeClock()), lambda _request, _completion: True)
    asyncio.run(Budget(inner, ledger, cost=a_dollar_a_token).complete(asking()))
    assert (ledger.cost, ledger.requests) == (26.0, 3)


def test_a_reply_that_has_not_come_yet_costs_nothing_at_all() -> None:
    ledger = Ledger(max_requests=1)
    assert one_by_one([NotYet(), worth(4)], ledger) == [NotYet, "fine"]
    assert (ledger.cost, ledger.requests) == (4.0, 1)


def test_the_cap_on_requests_counts_what_is_in_flight() -> None:
    heard: list[str] = []
    ledger = Ledger(max_requests=3, on_cap=heard.append)
    assert one_by_one([worth(1), CallError(FailureKind.SERVER, "x").after(2), worth(1)], ledger) == [
        "fine", CallError, NotYet
    ]  # fmt: skip
    assert heard == ["the cap of 3 requests is reached: 3 were made; a higher one goes on"]


def test_the_pre_flight_is_billed_too() -> None:
    ledger = Ledger(max_requests=3, max_cost=20)
    ledger.bill(2, 5.0)
    assert one_by_one([worth(4), worth(4)], ledger) == ["fine", NotYet]
    assert (ledger.requests, ledger.cost) == (3, 9.0)


def test_a_model_without_a_price_is_counted_by_requests_alone() -> None:
    ledger = Ledger(max_requests=5)
    budget = Budget(ScriptedEngine([Completion("fine")]), ledger)
    asyncio.run(budget.complete(asking()))
    assert (ledger.requests, ledger.cost, ledger.unknown) == (1, 0.0, 0)


def test_what_does_not_fit_waits_for_what_is_in_flight_and_goes_on_once_that_cost_less() -> None:
    ledger, held = Ledger(max_cost=25), Held()
    budget = Budget(held, ledger, cost=a_dollar_a_token)

    async def main() -> None:
        calls = [asyncio.create_task(budget.complete(asking())) for _ in range(4)]
        await a_moment()
        assert len(held.calls) == 2  # 20 of 25 are set aside
        held.calls[0].set_result(worth(2))
        await a_moment()
        assert len(held.calls) == 3
        held.calls[1].set_result(worth(10))
        held.calls[2].set_result(worth(2))
        await a_moment()
        assert len(held.calls) == 4
        held.calls[3].set_result(worth(2))
        await asyncio.gather(*calls)

    asyncio.run(main())
    assert (ledger.cost, ledger.capped) == (16.0, False)


def test_it_is_over_only_when_nothing_in_flight_can_give_anything_back() -> None:
    heard: list[str] = []
    ledger, held = Ledger(max_cost=25, on_cap=heard.append), Held()
    budget = Budget(held, ledger, cost=a_dollar_a_token)

    async def main() -> list[Completion | BaseException]:
        calls = [asyncio.create_task(budget.complete(asking())) for _ in range(5)]
        await a_moment()
        held.calls[0].set_result(worth(10))
        await a_moment()
        assert heard == []
        held.calls[1].set_result(worth(10))
        return await asyncio.gather(*calls, return_exceptions=True)

    endings = asyncio.run(main())
    assert [type(ending) for ending in endings] == [Completion, Completion, NotYet, NotYet, NotYet]
    assert len(heard) == 1
    assert len(held.calls) == 2


def test_a_call_that_is_given_up_gives_back_what_was_set_aside() -> None:
    ledger, held = Ledger(max_cost=10), Held()
    budget = Budget(held, ledger, cost=a_dollar_a_token)

    async def main() -> None:
        first, second, third = (asyncio.create_task(budget.complete(asking())) for _ in range(3))
        await a_moment()
        second.cancel()
        first.cancel()
        await a_moment()
        held.calls[1].set_result(worth(10))
        assert (await third).text == "fine"

    asyncio.run(main())
    assert (ledger.cost, ledger.requests) == (10.0, 2)  # the first may have been sent, the second was not


def test_whoever_gives_up_as_its_turn_comes_passes_it_on() -> None:
    async def main() -> None:
        ledger = Ledger(max_cost=10)
        await ledger.reserve(10)
        second, third = (asyncio.create_task(ledger.reserve(10)) for _ in range(2))
        await a_moment()
        ledger.settle(10, spent=0.0, requests=1)
        second.cancel()
        await asyncio.wait_for(third, 20)
        assert second.cancelled()
        ledger.settle(10, spent=10.0, requests=1)
        assert (ledger.cost, ledger.requests) == (10.0, 2)

    asyncio.run(main())


class Bank:
    """Ends its calls in an order somebody else draws, each at its own price, some of them in failure."""

    def __init__(self, prices: Sequence[int]) -> None:
        self.prices = prices
        self.inside: dict[int, asyncio.Event] = {}
        self.above = 0.0

    async def complete(self, request: Request) -> Completion:
        number = int(request.messages[0].content)
        self.inside[number] = asyncio.Event()
        try:
            await self.inside[number].wait()
        finally:
            del self.inside[number]
        price = self.prices[number]
        if price == 0:
            raise CallError(FailureKind.SERVER, "down")
        self.above += max(0.0, price - 10.0)
        return Completion("fine", usage=Usage(0, price))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_cap_is_passed_by_no_more_than_calls_cost_above_what_was_set_aside_and_nobody_waits_for_ever(
    data: st.DataObject,
) -> None:
    prices = data.draw(st.lists(st.integers(0, 14), min_size=1, max_size=14))
    cap = data.draw(st.integers(0, 60))
    most = data.draw(st.none() | st.integers(0, 12))
    heard: list[str] = []
    ledger, bank = Ledger(max_cost=cap, max_requests=most, on_cap=heard.append), Bank(prices)
    budget = Budget(bank, ledger, cost=lambda _prompt, reply: float(reply))
    choose = random.Random(data.draw(st.integers(0, 2**32)))  # noqa: S311 - the order of a test

    async def main() -> list[Completion | BaseException]:
        calls = [asyncio.create_task(budget.complete(a_request(str(n), max_tokens=10))) for n in range(len(prices))]
        while not all(call.done() for call in calls):
            await a_moment()
            assert len(bank.inside) == ledger._open
            assert ledger.cost + 10 * len(bank.inside) <= cap + bank.above
            assert most is None or ledger.requests + len(bank.inside) <= most
            if choose.random() < 0.3:
                choose.choice(calls).cancel()
            elif bank.inside:
                choose.choice([*bank.inside.values()]).set()
            else:
                await a_moment()
                assert all(call.done() for call in calls), "nothing is in flight and somebody waits"
        return await asyncio.gather(*calls, return_exceptions=True)

    endings = asyncio.run(main())
    assert ledger._open == 0
    assert ledger.cost <= cap + bank.above
    assert len(heard) == ledger.capped
    if not ledger.capped:
        assert NotYet not in {type(ending) for ending in endings}
