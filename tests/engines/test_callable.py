"""Any Python function as an engine."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from tests.makers import a_request

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.engines import CallableEngine


def reply_of(function: Any, request: Request | None = None) -> Completion:
    return asyncio.run(CallableEngine(function).complete(request or a_request()))


def failure_of(function: Any) -> CallError:
    with pytest.raises(CallError) as caught:
        reply_of(function)
    return caught.value


class AsyncObject:
    async def __call__(self, prompt: str) -> str:
        return f"object: {prompt}"


async def as_coroutine(prompt: str) -> str:
    return f"coroutine: {prompt}"


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda prompt: f"plain: {prompt}", "plain: Hello"),
        (as_coroutine, "coroutine: Hello"),
        (AsyncObject(), "object: Hello"),
        (lambda prompt: as_coroutine(prompt), "coroutine: Hello"),  # noqa: PLW0108 - a plain function that returns a coroutine
    ],
)
def test_plain_and_async_functions_and_objects_are_called(function: Any, text: str) -> None:
    reply = reply_of(function)
    assert (reply.text, reply.finish_reason) == (text, "stop")


def test_several_messages_are_joined_by_a_blank_line() -> None:
    request = Request((Message("system", "Be fair."), Message("user", "Rate.")), Parameters("m"))
    assert reply_of(lambda prompt: prompt, request).text == "Be fair.\n\nRate."


def test_a_completion_is_passed_on_as_it_is() -> None:
    made = Completion("x", refusal="no")
    assert reply_of(lambda _prompt: made) is made


def test_a_plain_function_runs_beside_the_loop_so_it_may_block() -> None:
    assert reply_of(lambda _prompt: threading.current_thread().name).text != threading.current_thread().name


def test_what_a_function_raises_becomes_a_failed_call_that_is_not_tried_again() -> None:
    def broken(_prompt: str) -> str:
        message = "no such file"
        raise KeyError(message)

    error = failure_of(broken)
    assert error.failure.kind is FailureKind.INTERNAL
    assert str(error) == "KeyError: 'no such file'"
    assert not error.retryable


def test_a_call_error_of_the_function_is_its_own() -> None:
    made = CallError(FailureKind.RATE_LIMIT, "slow down", retry_after=3)

    async def limited(_prompt: str) -> str:
        raise made

    assert failure_of(limited) is made


@pytest.mark.parametrize("value", [7, None, b"bytes"])
def test_anything_but_a_text_is_a_failed_call_that_names_the_type(value: object) -> None:
    error = failure_of(lambda _prompt: value)
    assert error.failure.kind is FailureKind.DECODE
    assert str(error) == f"the function must return a text, not {type(value).__name__}"
    assert not error.retryable
