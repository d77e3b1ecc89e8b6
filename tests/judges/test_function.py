"""A function as a judge: its scores, what it asks meanwhile, and what its failures cost."""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.makers import some_rows

import gavelkit
from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Range
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.identity import Identity
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.status import Status
from gavelkit.judges import Asking, FunctionJudge, Scored
from gavelkit.judges.function import Function
from gavelkit.storage import open_reader

EXAMPLE = Example("1", {"question": "?"}, {"": "four"})
ASKED = Parameters("m")


class Counting:
    """Answers with the number of the call."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        return Completion(str(len(self.requests)))


class Failing:
    def __init__(self, error: Exception) -> None:
        self.error = error

    async def complete(self, _request: Request) -> Completion:
        raise self.error


def judge_of(function: Function, name: str = "own", **engines: object) -> FunctionJudge:
    return FunctionJudge(name, function, Identity({}), engines=engines)  # type: ignore[arg-type] # engines of all kinds


def only(judge: FunctionJudge, example: Example = EXAMPLE) -> Judgment:
    async def judged() -> Judgment:
        (judgment,) = await judge(example)
        return judgment

    return asyncio.run(judged())


def length(example: Example, system: str, _asking: Asking) -> Scored:
    words = str(example.responses[system])
    return Scored(float(len(words)), Grade(float(len(words)), parts={"length": len(words)}))


def asking_twice(_example: Example, _system: str, asking: Asking) -> Scored:
    replies = [asking.complete("a", [Message("user", text)], ASKED).text for text in ("one", "two", "one")]
    return Scored(1.0, Grade(1.0, parts={"replies": replies}))


def test_it_scores_each_system_of_a_row() -> None:
    example = Example("1", {}, {"a": "one", "b": "three"})
    judgments = asyncio.run(_all(judge_of(length), example))
    assert {each.slot.systems: each.score for each in judgments} == {("a",): 3.0, ("b",): 5.0}


async def _all(judge: FunctionJudge, example: Example) -> list[Judgment]:
    return list(await judge(example))


def test_it_runs_beside_the_event_loop() -> None:
    def where(_example: Example, _system: str, _asking: Asking) -> Scored:
        return Scored(1.0, Grade(threading.current_thread().name))

    grade = only(judge_of(where)).grade
    assert grade is not None
    assert grade.value != threading.current_thread().name


def test_every_reply_is_a_step_with_a_name_of_its_own() -> None:
    steps = only(judge_of(asking_twice, a=Counting())).steps
    assert [(step.name, step.completion.text) for step in steps] == [("a", "1"), ("a (2)", "2"), ("a (3)", "3")]


def test_threads_of_a_functions_own_ask_one_after_the_other() -> None:
    def eight(_example: Example, _system: str, asking: Asking) -> Scored:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda n: asking.complete("a", [Message("user", str(n))], ASKED), range(8)))
        return Scored(1.0, Grade(1.0))

    names = {step.name for step in only(judge_of(eight, a=Counting())).steps}
    assert names == {"a", *(f"a ({n})" for n in range(2, 9))}


def test_equal_questions_to_two_engines_are_two_calls() -> None:
    asked = Counting()

    def both(_example: Example, _system: str, asking: Asking) -> Scored:
        for name in ("a", "b"):
            asking.complete(name, [Message("user", "same")], ASKED)
        return Scored(1.0, Grade(1.0))

    only(judge_of(both, a=asked, b=asked))
    assert len({request.key for request in asked.requests}) == 2


def test_another_engine_is_another_identity_and_another_way_to_reach_it_is_none() -> None:
    judges = [judge_of(length), judge_of(length, a=1), judge_of(length, b=1), judge_of(length, b=2)]
    assert len({judge.asks.hash for judge in judges}) == 3


def test_the_same_question_again_is_another_opinion_and_those_of_other_rows_are_shared(tmp_path: Path) -> None:
    asked = Counting()

    def thrice(_example: Example, _system: str, asking: Asking) -> Scored:
        replies = [asking.complete("a", [Message("user", "same")], ASKED).text for _ in range(3)]
        return Scored(float(len(set(replies))), Grade("", parts={"replies": replies}))

    for _ in range(2):
        report = gavelkit.evaluate(some_rows(4), judge_of(thrice, a=asked), output=tmp_path)
    assert report.metric("own").value == 3.0
    assert len(asked.requests) == 3


def test_a_function_that_raises_costs_its_own_judgment() -> None:
    def wrong(_example: Example, _system: str, _asking: Asking) -> Scored:
        message = "no such key"
        raise KeyError(message)

    judgment = only(judge_of(wrong))
    assert judgment.status is Status.CALL_ERROR
    assert judgment.failure == Failure("KeyError: 'no such key'", kind=FailureKind.INTERNAL)


def test_a_function_that_would_end_the_program_costs_its_own_judgment(tmp_path: Path) -> None:
    def leaving(example: Example, _system: str, _asking: Asking) -> Scored:
        return Scored(1.0, Grade(1.0)) if example.id == "r1" else sys.exit(7)

    report = gavelkit.evaluate(some_rows(3), judge_of(leaving), output=tmp_path, max_error_rate=1.0)
    counts = report.metric("own").counts
    assert (counts[Status.OK], counts[Status.CALL_ERROR]) == (1, 2)


def test_a_result_that_no_record_can_hold_costs_its_own_judgment(tmp_path: Path) -> None:
    circle: list[object] = []
    circle.append(circle)

    def odd(example: Example, _system: str, _asking: Asking) -> Scored:
        parts = {"r1": {(1, 2): 3}, "r2": circle, "r3": {"set": {1}, "nan": float("nan"), "half": "\ud800", 4: b"x"}}
        return Scored(1.0, Grade(1.0, parts={"found": parts[example.id]}))

    report = gavelkit.evaluate(some_rows(3), judge_of(odd), output=tmp_path, max_error_rate=1.0)
    counts = report.metric("own").counts
    assert (counts[Status.OK], counts[Status.CALL_ERROR]) == (1, 2)


def test_a_call_that_fails_is_the_judgments_failure_unless_the_function_catches_it() -> None:
    down = Failing(CallError(FailureKind.AUTH, "the key is wrong", fatal=True))
    failure = only(judge_of(asking_twice, a=down)).failure
    assert failure is not None
    assert failure.kind is FailureKind.AUTH
    assert failure.fatal


def test_a_failed_score_keeps_what_the_function_said() -> None:
    said = Grade("PARSE_ERROR", parts={"judge_score": 0.0})

    def unread(_example: Example, _system: str, _asking: Asking) -> Scored:
        return Scored(None, said, Status.PARSE_ERROR, Failure("no grade"))

    judgment = only(judge_of(unread))
    assert (judgment.score, judgment.status, judgment.grade) == (None, Status.PARSE_ERROR, said)


def test_without_a_reply_yet_the_judgment_waits_whatever_the_function_makes_of_it() -> None:
    def catching(_example: Example, _system: str, asking: Asking) -> Scored:
        try:
            asking.complete("a", [Message("user", "?")], ASKED)
        except NotYet:
            return Scored(0.0, Grade(0.0))
        return Scored(1.0, Grade(1.0))

    assert only(judge_of(catching, a=Failing(NotYet()))).status is Status.PENDING


def test_its_threshold_and_scale_are_those_of_any_judge() -> None:
    judge = FunctionJudge("own", length, Identity({}), scale=Criterion("own", Range(0, 10)), threshold=5, model="m")
    assert only(judge).passed is False
    assert judge.criterion.scale == Range(0, 10)
    assert judge.asks.material["model"] == "m"


def test_a_run_keeps_what_it_asked_and_asks_it_once(tmp_path: Path) -> None:
    asked = Counting()
    for _ in range(2):
        report = gavelkit.evaluate(some_rows(3), judge_of(asking_twice, a=asked), output=tmp_path)
    assert report.metric("own").value == 1.0
    assert len(asked.requests) == 3  # the rows ask the same, each the first question twice
    reader = open_reader(tmp_path)
    entries = list(reader.entries())
    reader.close()
    assert [len(entry.judgment.steps) for entry in entries] == [3, 3, 3]


def test_an_ended_run_asks_nobody_any_more() -> None:
    """The function's thread cannot be ended; its next question is."""
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()
    ended: list[BaseException] = []
    asked = Counting()

    def slow(_example: Example, _system: str, asking: Asking) -> Scored:
        begun.set()
        go_on.wait(10)
        try:
            asking.complete("a", [Message("user", "late")], ASKED)
        except Exception as error:
            ended.append(error)
            raise
        finally:
            done.set()
        return Scored(1.0, Grade(1.0))

    async def run() -> None:
        task = asyncio.ensure_future(judge_of(slow, a=asked)(EXAMPLE))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        await asyncio.to_thread(done.wait, 10)

    asyncio.run(run())
    assert not asked.requests
    assert ended


def test_a_question_under_way_ends_with_the_run() -> None:
    begun, ended = threading.Event(), threading.Event()

    class Hanging:
        async def complete(self, _request: Request) -> Completion:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            raise AssertionError

    async def run() -> None:
        task = asyncio.ensure_future(judge_of(asking_twice, a=Hanging())(EXAMPLE))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(ended.wait, 10)

    asyncio.run(run())
