"""A cut reply: when it is asked for again, with what, and what both tries come to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from tests.fake_clock import FakeClock
from tests.makers import a_request

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines import Retrying, RetryPolicy, ScriptedEngine, SecondTry
from gavelkit.engines.repair import Repairing, RepairMemory
from gavelkit.engines.scripted import Turn

CUT = Completion("Sco", finish_reason="length", usage=Usage(10, 64, 2, 5), seconds=1.5)
WHOLE = Completion("Score: 8\n", finish_reason="stop", usage=Usage(10, 90, 0, 7), seconds=2.0)


def tried(
    turns: Sequence[Turn], *, unread: bool = True, request: Request | None = None
) -> tuple[Completion, ScriptedEngine]:
    engine = ScriptedEngine(turns)
    second = SecondTry(engine, lambda _request, _completion: unread)
    return asyncio.run(second.complete(request or a_request(max_tokens=64))), engine


def test_a_cut_reply_without_a_verdict_is_asked_for_again_with_twice_the_tokens() -> None:
    reply, engine = tried([CUT, WHOLE])
    assert reply.text == "Score: 8\n"
    assert [request.parameters.values["max_tokens"] for request in engine.requests] == [64, 128]


def test_both_tries_are_counted_and_what_was_sent_is_said() -> None:
    reply, _ = tried([CUT, WHOLE])
    assert reply.attempts == 2
    assert reply.usage == Usage(20, 154, 2, 12)
    assert reply.seconds == 3.5
    assert reply.effective == {"max_tokens": 128}


def test_a_count_that_one_endpoint_kept_to_itself_is_unknown_and_not_too_small() -> None:
    reply, _ = tried([CUT, Completion("Score: 8", usage=Usage(10, 90))])
    assert reply.usage == Usage(20, 154, None, None)


def test_the_second_request_is_the_first_but_for_its_limit() -> None:
    request = a_request("Rate", repeat=2, temperature=0.0, max_tokens=64)
    _, engine = tried([CUT, WHOLE], request=request)
    again = engine.requests[1]
    assert (again.messages, again.repeat, again.labels, again.apart) == (
        request.messages, request.repeat, request.labels, request.apart
    )  # fmt: skip
    assert again.parameters.values == {"temperature": 0.0, "max_tokens": 128}
    assert again.key != request.key


@pytest.mark.parametrize(
    ("reply", "unread"),
    [(WHOLE, True), (Completion("", finish_reason="stop"), True), (CUT, False)],
    ids=["whole", "empty and not cut", "cut after its verdict"],
)
def test_what_is_not_cut_or_was_read_all_the_same_is_asked_once(reply: Completion, *, unread: bool) -> None:
    found, engine = tried([reply], unread=unread)
    assert found is reply
    assert len(engine.requests) == 1


def test_without_a_limit_there_is_nothing_to_double() -> None:
    found, engine = tried([CUT], request=a_request(temperature=0.0))
    assert found is CUT
    assert len(engine.requests) == 1


def test_the_other_name_of_the_limit_is_doubled_too() -> None:
    reply, engine = tried([CUT, WHOLE], request=a_request(max_completion_tokens=100))
    assert engine.requests[1].parameters.values == {"max_completion_tokens": 200}
    assert reply.effective == {"max_completion_tokens": 200}


def test_there_is_no_third_try() -> None:
    reply, engine = tried([CUT, Completion("Scor", finish_reason="length"), WHOLE])
    assert (reply.text, reply.cut, reply.attempts) == ("Scor", True, 2)
    assert len(engine.requests) == 2


@pytest.mark.parametrize("fatal", [False, True])
def test_where_the_second_try_fails_the_paid_reply_stays(*, fatal: bool) -> None:
    error = CallError(FailureKind.QUOTA, "HTTP 429", fatal=fatal).after(3)
    reply, _ = tried([CUT, error])
    assert (reply.text, reply.effective, reply.attempts) == ("Sco", None, 4)
    assert reply.usage == CUT.usage


def test_where_the_second_reply_has_not_come_yet_the_first_stays() -> None:
    assert tried([CUT, NotYet()])[0] is CUT


def test_a_first_try_that_fails_is_not_tried_again_here() -> None:
    with pytest.raises(CallError, match="down"):
        tried([CallError(FailureKind.SERVER, "down"), WHOLE])


def test_retries_within_either_try_are_counted() -> None:
    down = CallError(FailureKind.SERVER, "down")
    engine = ScriptedEngine([down, CUT, down, down, WHOLE])
    second = SecondTry(Retrying(engine, RetryPolicy(), clock=FakeClock()), lambda _request, _completion: True)
    assert asyncio.run(second.complete(a_request(max_tokens=64))).attempts == 5


def test_a_limit_that_goes_by_another_name_there_is_doubled_and_said_as_it_was_sent() -> None:
    refusal = CallError(
        FailureKind.UNSUPPORTED_PARAM, "HTTP 400: max_tokens", param="max_tokens", code="unsupported_parameter"
    )
    engine = ScriptedEngine([refusal, CUT, WHOLE])
    second = SecondTry(Repairing(engine, RepairMemory()), lambda _request, _completion: True)
    reply = asyncio.run(second.complete(a_request(max_tokens=64)))
    assert reply.effective == {"max_tokens": None, "max_completion_tokens": 128}
    assert reply.attempts == 3
    assert engine.requests[2].parameters.values == {"max_completion_tokens": 128}
