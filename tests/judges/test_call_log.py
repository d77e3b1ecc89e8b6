"""The log of calls: one line each, nothing secret, and nothing at all unless it is asked for."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.makers import a_judge

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError
from gavelkit.core.example import Example
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines import ScriptedEngine

EXAMPLE = Example("r1", {"question": "What is 1?"}, {"": "It is 1."})


def logged(caplog: pytest.LogCaptureFixture, engine: object, *, level: int = logging.DEBUG) -> list[str]:
    with caplog.at_level(level, logger="gavelkit"):
        asyncio.run(a_judge(engine)(EXAMPLE))
    return [record.getMessage() for record in caplog.records if record.name == "gavelkit.judges"]


class Replying:
    """An engine of one completion, which keeps the request."""

    def __init__(self, completion: Completion) -> None:
        self.completion = completion
        self.keys: list[str] = []

    async def complete(self, request: Request) -> Completion:
        self.keys.append(request.key.hex())
        return self.completion


def test_a_call_is_one_line_with_its_key_status_and_tokens(caplog: pytest.LogCaptureFixture) -> None:
    engine = Replying(Completion("Fine.\nScore: 8", usage=Usage(7, 3)))
    (line,) = logged(caplog, engine)
    assert line == f"call {engine.keys[0]}: judge accuracy, row r1: ok, 7 tokens in, 3 out"


def test_an_unreadable_reply_is_shown_by_its_first_two_hundred_characters(caplog: pytest.LogCaptureFixture) -> None:
    (line,) = logged(caplog, Replying(Completion("no\nidea " + "x" * 500)))
    head, _, shown = line.partition(" out: ")
    assert head.endswith("parse_error, ? tokens in, ?")
    assert shown == repr(("no\nidea " + "x" * 500)[:200])
    assert "\n" not in line


def test_a_failed_call_is_told_by_its_kind_alone(caplog: pytest.LogCaptureFixture) -> None:
    failure = CallError(FailureKind.AUTH, "Bearer sk-secret is wrong", raw="sk-secret")
    (line,) = logged(caplog, ScriptedEngine([failure]))
    assert "call_error (auth), ? tokens in, ? out" in line
    assert "sk-secret" not in line


def test_nothing_is_logged_unless_it_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    assert logged(caplog, Replying(Completion("no idea")), level=logging.INFO) == []
