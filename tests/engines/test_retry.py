"""How often a call is tried, how long each wait is, and what the last error says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fake_clock import FakeClock
from tests.makers import a_request

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.event import Event, Retried
from gavelkit.core.failure import FailureKind
from gavelkit.engines import Gate, Retrying, RetryPolicy, ScriptedEngine
from gavelkit.engines.scripted import Turn


class Trial:
    """One call through `Retrying`: what it asked, what it waited, and how it ended."""

    def __init__(
        self,
        turns: Sequence[Turn],
        policy: RetryPolicy | None = None,
        *,
        spread: float = 0.5,
        gate: Gate | None = None,
    ) -> None:
        self.engine = ScriptedEngine(turns)
        self.clock = FakeClock()
        self.events: list[Event] = []
        policy = policy or RetryPolicy()
        self._retrying = Retrying(
            self.engine, policy, clock=self.clock, spread=lambda: spread, observe=self.events.append, gate=gate
        )

    def reply(self) -> Completion:
        return asyncio.run(self._retrying.complete(a_request()))

    def error(self) -> CallError:
        with pytest.raises(CallError) as caught:
            self.reply()
        return caught.value

    @property
    def tries(self) -> int:
        return len(self.engine.requests)


def down(**more: float) -> CallError:
    return CallError(FailureKind.SERVER, "HTTP 500", raw="body", **more)  # type: ignore[arg-type] # only numbers are given


def test_a_first_reply_comes_at_once_and_is_left_as_it_is() -> None:
    trial = Trial(["fine"])
    assert trial.reply().attempts == 1
    assert trial.clock.waits == []


def test_a_later_reply_says_how_many_requests_it_took() -> None:
    trial = Trial([down(), down(), "fine"])
    assert trial.reply().attempts == 3
    assert trial.tries == 3


@pytest.mark.parametrize(("attempts", "requests"), [(0, 1), (1, 2), (3, 4)])
def test_retry_attempts_are_requests_after_the_first(attempts: int, requests: int) -> None:
    trial = Trial([down()] * 9, RetryPolicy(attempts=attempts))
    error = trial.error()
    assert trial.tries == requests
    assert len(trial.clock.waits) == requests - 1
    assert error.failure.kind is FailureKind.SERVER
    assert error.failure.raw == "body"


def test_a_reply_that_nobody_can_read_is_asked_for_twice_more_at_most() -> None:
    trial = Trial([CallError(FailureKind.DECODE, "not JSON")] * 9, RetryPolicy(attempts=7))
    trial.error()
    assert trial.tries == 3


def test_an_error_may_know_itself_how_often_it_is_tried_again() -> None:
    page = CallError(FailureKind.DECODE, "HTML", most_retries=1)
    assert Trial([page] * 9, RetryPolicy(attempts=7)).error().requests == 2
    assert Trial([page] * 9, RetryPolicy(attempts=0)).error().requests == 1


def test_the_last_error_counts_the_requests_and_a_single_one_needs_no_count() -> None:
    assert str(Trial([down()] * 9, RetryPolicy(attempts=2)).error()) == "HTTP 500 (3 requests)"
    assert str(Trial([down()], RetryPolicy(attempts=0)).error()) == "HTTP 500"


@pytest.mark.parametrize("kind", [FailureKind.BAD_REQUEST, FailureKind.AUTH, FailureKind.TLS, FailureKind.FILTERED])
def test_what_a_second_try_cannot_mend_is_asked_once(kind: FailureKind) -> None:
    trial = Trial([CallError(kind, "no"), "never"])
    assert trial.error().failure.kind is kind
    assert trial.tries == 1


def test_a_reply_that_has_not_come_yet_is_no_failure() -> None:
    trial = Trial([NotYet(), "never"])
    with pytest.raises(NotYet):
        trial.reply()
    assert trial.tries == 1


@pytest.mark.parametrize(
    ("spread", "waits"),
    [(0.0, [1, 1, 1, 1, 1, 1]), (0.5, [1.5, 2.5, 4.5, 8.5, 10.5, 10.5]), (1.0, [2, 4, 8, 16, 20, 20])],
)
def test_waits_grow_from_the_shortest_to_the_longest(spread: float, waits: list[float]) -> None:
    trial = Trial([down()] * 9, RetryPolicy(attempts=6, min_wait=1, max_wait=20), spread=spread)
    trial.error()
    assert trial.clock.waits == waits


@given(
    least=st.floats(0, 100),
    more=st.floats(0, 1000),
    spread=st.floats(0, 1, exclude_max=True),
    attempts=st.integers(0, 12),
)
def test_every_wait_lies_within_its_bounds(least: float, more: float, spread: float, attempts: int) -> None:
    policy = RetryPolicy(attempts, least, least + more)
    trial = Trial([down()] * 20, policy, spread=spread)
    trial.error()
    assert all(policy.min_wait <= wait <= policy.max_wait for wait in trial.clock.waits)
    assert len(trial.clock.waits) == attempts


def test_a_thousand_tries_and_more_overflow_nothing() -> None:
    trial = Trial([down()] * 1200, RetryPolicy(attempts=1100))
    assert trial.error().failure.kind is FailureKind.SERVER
    assert trial.tries == 1101


@pytest.mark.parametrize(("hint", "wait"), [(0.2, 1.5), (7, 7), (60, 60), (250, 250), (300, 300)])
def test_a_hint_makes_a_wait_longer_even_beyond_the_longest_and_never_shorter(hint: float, wait: float) -> None:
    trial = Trial([down(retry_after=hint), "fine"])
    trial.reply()
    assert trial.clock.waits == [wait]


def test_a_hint_beyond_what_anybody_waits_ends_the_run_at_once() -> None:
    trial = Trial([CallError(FailureKind.RATE_LIMIT, "HTTP 429", raw="slow", retry_after=86400), "never"])
    error = trial.error()
    assert error.failure.fatal
    assert error.failure.kind is FailureKind.RATE_LIMIT
    assert error.failure.raw == "slow"
    assert str(error) == "HTTP 429; the server asks to wait 86,400 s, longer than 300 s"
    assert trial.clock.waits == []


def test_a_hint_after_the_last_try_changes_nothing() -> None:
    assert not Trial([down(retry_after=86400)], RetryPolicy(attempts=0)).error().failure.fatal


def test_a_server_that_forbids_another_try_is_obeyed() -> None:
    error = CallError(FailureKind.SERVER, "HTTP 500", retryable=False)
    trial = Trial([error, "never"])
    trial.error()
    assert trial.tries == 1


def gated(turns: Sequence[Turn], **more: int) -> Trial:
    return Trial(turns, RetryPolicy(**more), gate=Gate(clock=FakeClock()))


def test_where_a_gate_obeys_the_hint_the_wait_is_the_calls_own() -> None:
    trial = gated([down(retry_after=250), "fine"])
    trial.reply()
    assert trial.clock.waits == [1.5]


def test_each_try_is_taken_from_the_gates_budget_until_it_is_spent() -> None:
    trial = gated([down()] * 300, attempts=200)
    error = trial.error()
    assert trial.tries == 101
    assert error.requests == 101
    assert (
        str(error) == "HTTP 500; not tried again: the endpoint's retries (10% of 0 requests and 100 more) are used up"
    )


def test_a_refusal_that_tells_when_to_come_again_takes_nothing_from_the_budget() -> None:
    trial = gated([CallError(FailureKind.RATE_LIMIT, "HTTP 429")] * 150 + [down(retry_after=1)] * 50, attempts=200)
    trial.error()
    assert trial.tries == 200 + 1


def test_the_gates_own_answer_is_no_request() -> None:
    trial = gated([down(), CallError(FailureKind.AUTH, "no", fatal=True).after(0)])
    error = trial.error()
    assert (str(error), error.requests, error.failure.fatal) == ("no", 1, True)


def test_each_wait_is_told_to_whoever_observes() -> None:
    trial = Trial([down(), CallError(FailureKind.RATE_LIMIT, "HTTP 429", retry_after=9), "fine"])
    trial.reply()
    assert trial.events == [
        Retried("accuracy", FailureKind.SERVER, 1.5),
        Retried("accuracy", FailureKind.RATE_LIMIT, 9),
    ]
