"""An engine for whole batches: what it is given, and what its answers may be."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from tests.makers import a_request

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, ConfigError, EndpointError, NotYet
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.message import Request
from gavelkit.core.protocols import BatchEngine
from gavelkit.engines import BatchedEngine, batched_engine

REQUESTS = [a_request(prompt) for prompt in ("one", "two", "three")]


def answers_of(answering: Any, requests: Sequence[Request] = REQUESTS) -> list[Completion | Failure]:
    return asyncio.run(BatchedEngine(answering).complete_all(requests))


def echo(requests: list[Request]) -> list[str]:
    return [request.messages[-1].content for request in requests]


async def echo_async(requests: list[Request]) -> list[str]:
    return echo(requests)


class EchoObject:
    async def __call__(self, requests: list[Request]) -> list[str]:
        return echo(requests)


class Foreign:
    async def complete_all(self, requests: Sequence[Request]) -> list[Completion | Failure]:
        return [Completion(text, finish_reason="stop") for text in echo(list(requests))]


class Blocking:
    def complete_all(self, requests: list[Request]) -> list[str]:
        return echo(requests)


@pytest.mark.parametrize(
    "answering",
    [
        echo,
        echo_async,
        EchoObject(),
        Foreign(),
        Blocking(),
        lambda requests: echo_async(requests),  # noqa: PLW0108 - a plain function that returns a coroutine
        lambda requests: (text for text in echo(requests)),
    ],
)
def test_functions_and_engines_plain_and_async_are_asked_once_for_all(answering: Any) -> None:
    assert answers_of(answering) == [Completion(text, finish_reason="stop") for text in ("one", "two", "three")]


def test_a_single_request_waits_for_its_batch() -> None:
    with pytest.raises(NotYet):
        asyncio.run(BatchedEngine(echo).complete(REQUESTS[0]))


def test_a_plain_function_runs_beside_the_loop_in_one_thread() -> None:
    names: list[str] = []

    def blocking(requests: list[Request]) -> list[str]:
        names.append(threading.current_thread().name)
        return echo(requests)

    answers_of(blocking)
    assert len(names) == 1
    assert names[0] != threading.current_thread().name


def test_a_function_may_empty_its_list() -> None:
    def emptying(requests: list[Request]) -> list[str]:
        return [requests.pop(0).messages[-1].content for _ in range(3)]

    assert len(answers_of(emptying)) == 3


@pytest.mark.parametrize(
    ("answer", "checked"),
    [
        (Completion("x", refusal="no"), Completion("x", refusal="no")),
        ("", Completion("", finish_reason="stop")),
        (Failure("odd", FailureKind.FILTERED), Failure("odd", FailureKind.FILTERED)),
        (CallError(FailureKind.TIMEOUT, "slow"), Failure("slow", FailureKind.TIMEOUT)),
        (KeyError("x"), Failure("KeyError: 'x'", FailureKind.INTERNAL)),
        (None, Failure("the engine returned None", FailureKind.DECODE)),
        (7, Failure("the engine returned int, which is no text", FailureKind.DECODE)),
    ],
)
def test_one_odd_answer_is_a_failure_of_its_own(answer: object, checked: Completion | Failure) -> None:
    good = Completion("fine", finish_reason="stop")
    assert answers_of(lambda _requests: ["fine", answer, "fine"]) == [good, checked, good]


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_wrong_number_of_answers_says_both_numbers_and_what_is_right(count: int) -> None:
    with pytest.raises(EndpointError, match=f"gave {count} answers to a batch of 3 requests; there must"):
        answers_of(lambda _requests: ["fine"] * count)


@pytest.mark.parametrize(("answers", "name"), [(None, "NoneType"), ("abc", "str"), ({"one": "1"}, "dict")])
def test_what_is_no_list_is_refused(answers: object, name: str) -> None:
    with pytest.raises(EndpointError, match=f"a list of answers is needed, not {name}"):
        answers_of(lambda _requests: answers)


def test_what_a_function_raises_names_the_function_and_the_error() -> None:
    def broken(_requests: list[Request]) -> list[str]:
        message = "no such file"
        raise KeyError(message)

    with pytest.raises(EndpointError, match=r"broken failed on a batch of 3: KeyError: 'no such file'"):
        answers_of(broken)


def test_an_error_of_gavelkits_own_is_passed_on_as_it_is() -> None:
    def broken(_requests: list[Request]) -> list[str]:
        message = "no model"
        raise ConfigError(message)

    with pytest.raises(ConfigError, match=r"^no model$"):
        answers_of(broken)


def test_engines_that_ask_the_same_object_are_one() -> None:
    foreign = Foreign()
    assert BatchedEngine(foreign) == BatchedEngine(foreign)
    assert len({BatchedEngine(foreign), BatchedEngine(foreign), BatchedEngine(Foreign()), BatchedEngine(echo)}) == 3


def test_only_what_answers_batches_is_taken_for_a_batch_engine() -> None:
    engine: BatchEngine = BatchedEngine(echo)
    assert batched_engine(engine) is engine
    foreign = Foreign()
    assert batched_engine(foreign) == BatchedEngine(foreign)
    assert batched_engine(echo) is None
