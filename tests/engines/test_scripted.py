"""The engine of tests: replies in order, errors where the script has them."""

from __future__ import annotations

import asyncio

import pytest
from tests.makers import a_request

import gavelkit.engines
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.failure import FailureKind
from gavelkit.engines import ScriptedEngine


def test_replies_come_in_order_and_requests_are_kept() -> None:
    engine = ScriptedEngine(["one", Completion("two", finish_reason="length")])
    requests = [a_request("a"), a_request("b")]
    replies = [asyncio.run(engine.complete(request)) for request in requests]
    assert [(each.text, each.finish_reason) for each in replies] == [("one", "stop"), ("two", "length")]
    assert engine.requests == requests


def test_an_error_in_the_script_is_raised() -> None:
    engine = ScriptedEngine([CallError(FailureKind.SERVER, "down"), NotYet()])
    with pytest.raises(CallError, match="down"):
        asyncio.run(engine.complete(a_request()))
    with pytest.raises(NotYet):
        asyncio.run(engine.complete(a_request()))


def test_the_end_of_the_script_is_a_failed_call_that_says_how_long_it_was() -> None:
    engine = ScriptedEngine(["one"])
    asyncio.run(engine.complete(a_request()))
    with pytest.raises(CallError, match="has 1 replies and was asked for one more") as caught:
        asyncio.run(engine.complete(a_request()))
    assert caught.value.failure.kind is FailureKind.NOT_RECORDED
    assert not caught.value.retryable


def test_every_engine_has_its_place_in_the_room_and_nothing_else_has() -> None:
    for name in gavelkit.engines.__all__:
        assert getattr(gavelkit.engines, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        getattr(gavelkit.engines, "Nothing")  # noqa: B009 - a type checker refuses it as well
