"""How many second tries an endpoint gets in all."""

from __future__ import annotations

from gavelkit.engines.retry_budget import RetryBudget


def test_a_tenth_of_the_requests_and_a_hundred_more_may_be_second_tries() -> None:
    budget = RetryBudget()
    budget.requests = 1000
    assert [budget.take() for _ in range(202)] == [True] * 200 + [False] * 2
    budget.requests += 10
    assert budget.take()
    assert not budget.take()
    assert str(budget) == "10% of 1,010 requests and 100 more"
