"""What calls cost."""

from __future__ import annotations

import pytest

from gavelkit.catalog import Price
from gavelkit.core.completion import Completion, Usage
from gavelkit.run.cost import PRICES, cost_of, recorded_price, spent
from gavelkit.storage.totals import CallTotals

PRICE = Price(("m",), 2.0, 8.0, "2026-01-31", "a test")


def test_stored_calls_cost_what_their_tokens_cost() -> None:
    assert spent(CallTotals(), PRICE) == 0.0
    assert spent(CallTotals(calls=3, prompt_tokens=1_000_000, completion_tokens=500_000), PRICE) == pytest.approx(6.0)


def test_calls_that_nobody_counted_cost_what_is_assumed_of_each() -> None:
    totals = CallTotals(calls=5, prompt_tokens=1_000_000, completion_tokens=0, uncounted=4)
    assert spent(totals, PRICE) == pytest.approx(2.0)
    assert spent(totals, PRICE, uncounted=0.25) == pytest.approx(3.0)


def test_a_judgment_costs_the_sum_of_its_replies_or_nobody_knows() -> None:
    counted = Completion("a", usage=Usage(1_000_000, 125_000))
    assert cost_of([], PRICE) == 0.0
    assert cost_of([counted, counted], PRICE) == pytest.approx(6.0)
    assert cost_of([counted, Completion("b", usage=Usage(7, None))], PRICE) is None
    assert cost_of([Completion("b")], PRICE) is None


def test_the_price_of_a_run_is_the_one_it_recorded() -> None:
    listed = {"models": ["m"], "input": 1.0, "output": 2.0, "as_of": "2026-01-31", "source": "prices.yaml"}
    meta = {PRICES: {"paid": listed, "own": None}}
    assert recorded_price(meta, "paid", model="m") == (
        Price(("m",), 1.0, 2.0, "2026-01-31", "prices.yaml"),
        "by prices.yaml of 2026-01-31",
    )
    assert recorded_price(meta, "own", model="m") == (None, "the price of 'm' is not known; name a file of prices")
    assert recorded_price(meta, "function", model="m") == recorded_price({}, "paid", model="m") == (None, "")
