"""Requests and tokens a minute."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.makers import a_request

from gavelkit.core.completion import Usage
from gavelkit.engines.rate_limit import Rates, TokenBucket, estimated_tokens


def test_a_bucket_holds_a_seconds_worth() -> None:
    bucket = TokenBucket(120)
    assert bucket.wait(0, 1) == 0
    bucket.take(1)
    bucket.take(1)
    assert bucket.wait(0, 1) == 0.5
    assert bucket.wait(0.5, 1) == 0
    assert bucket.wait(100, 3) == 0


def test_what_is_larger_than_the_bucket_passes_when_it_is_full_and_leaves_a_debt() -> None:
    bucket = TokenBucket(600)
    assert bucket.wait(0, 100) == 0
    bucket.take(100)
    assert bucket.wait(0, 100) == pytest.approx(10)


@given(per_minute=st.floats(1, 10_000), counts=st.lists(st.floats(0.1, 300), min_size=1, max_size=50))
def test_over_any_time_no_more_passes_than_the_rate_and_one_burst(per_minute: float, counts: list[float]) -> None:
    bucket, now, passed = TokenBucket(per_minute), 0.0, 0.0
    for count in counts:
        now += bucket.wait(now, count)
        assert bucket.wait(now, count) == 0
        assert passed <= (now + 1) * per_minute / 60 + 1 + 1e-6
        bucket.take(count)
        passed += count


def test_the_bucket_that_is_emptier_decides() -> None:
    rates = Rates(60, 6000)
    assert rates.wait(0, 100) == 0
    rates.take(500)
    assert rates.wait(0, 100) == 5
    assert Rates(60, None).wait(0, 10**9) == 0
    assert Rates(None, 60).wait(0, 0) == 0


def test_usage_corrects_what_was_guessed() -> None:
    rates = Rates(None, 6000)
    rates.take(500)
    rates.correct(500, Usage(150, 50))
    assert rates.wait(0, 100) == 2
    rates.correct(500, Usage(150, None))
    assert rates.wait(0, 100) == 2


@pytest.mark.parametrize(
    ("values", "tokens"), [({}, 25), ({"max_tokens": 16}, 41), ({"max_completion_tokens": 8, "max_tokens": 16}, 33)]
)
def test_tokens_are_guessed_from_the_characters_and_the_longest_reply(values: dict[str, Any], tokens: int) -> None:
    assert estimated_tokens(a_request("x" * 100, **values)) == tokens
