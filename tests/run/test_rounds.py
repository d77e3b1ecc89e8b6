"""Rounds: which batches are sent, what is asked once, and what a broken or stopped batch leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.makers import Counting, a_judge, asked_about, some_rows

import gavelkit
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, DataError, EndpointError, Interrupted, NotYet
from gavelkit.core.event import Committed, Event
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.message import Labels, Message, Request
from gavelkit.core.report import Report
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.datasets import RowMapping, rows_source
from gavelkit.engines import BatchedEngine
from gavelkit.judges import Direct
from gavelkit.run import RunSettings, Stop, on_loop
from gavelkit.run import evaluate_async as run_async
from gavelkit.storage import open_reader

ASSESSMENT, CHOICE, SECOND = "assessment", "option_selection", "positional_bias_"
FATAL = Failure("no key", FailureKind.AUTH, fatal=True)


class Batches:
    """An engine that answers whole batches and keeps them. It scores a row by its number."""

    def __init__(self, reply: Callable[[Request], Any] | None = None) -> None:
        self.batches: list[list[Request]] = []
        self._reply = reply or (lambda request: f"Score: {number_of(request) % 11}")

    async def complete_all(self, requests: Sequence[Request]) -> list[Any]:
        self.batches.append(list(requests))
        await asyncio.sleep(0)
        return [self._reply(request) for request in requests]

    @property
    def sent(self) -> list[tuple[str, list[int]]]:
        """The steps in each batch, and the rows it is about."""
        return [
            (" ".join(sorted({request.labels.step for request in batch})), sorted(map(number_of, batch)))
            for batch in self.batches
        ]

    @property
    def asked(self) -> list[bytes]:
        return [request.key for batch in self.batches for request in batch]


class TwoSteps(Direct):
    """Asks for an assessment, then for a score in the same conversation, in one order or in two.

    No second question follows an assessment that says `decided`.
    """

    __slots__ = ()
    orders: tuple[str, ...] = ("",)

    async def __call__(self, example: Example, *, repeat: int = 0) -> Sequence[Judgment]:
        return await asyncio.gather(*(self._both(slot, example) for slot in self.plan(example, repeat=repeat)))

    async def _both(self, slot: Slot, example: Example) -> Judgment:
        orders = (self._order(slot, example, prefix) for prefix in self.orders)
        found = await asyncio.gather(*orders, return_exceptions=True)
        for each in found:
            if isinstance(each, NotYet):
                return Judgment(slot, Status.PENDING)
            if isinstance(each, CallError):
                return Judgment(slot, Status.CALL_ERROR, failure=each.failure)
            assert not isinstance(each, BaseException)
        steps = [each for each in found if isinstance(each, Step)]
        return Judgment(slot, Status.OK, float(steps[0].completion.text.split()[-1]), steps=tuple(steps))

    async def _order(self, slot: Slot, example: Example, prefix: str) -> Step:
        messages = (Message("system", f"order {prefix}"), *self.prompt.messages(example, slot.systems[0]))
        labels = Labels(example.id, self.name, slot.systems, f"{prefix}{ASSESSMENT}")
        first = await self.engine.complete(Request(messages, self.parameters, slot.repeat, labels))
        if first.text.startswith("decided"):
            return Step(labels.step, first)
        messages = (*messages, Message("assistant", first.text), Message("user", "So?"))
        labels = replace(labels, step=f"{prefix}{CHOICE}")
        return Step(labels.step, await self.engine.complete(Request(messages, self.parameters, slot.repeat, labels)))


class BothOrders(TwoSteps):
    """The same in two orders."""

    __slots__ = ()
    orders = ("", SECOND)


def number_of(request: Request) -> int:
    return asked_about("\n".join(message.content for message in request.messages))


def one_step(engine: Any, name: str = "accuracy", **more: Any) -> Direct:
    return a_judge(str, name, **more).bind(lambda _inner: engine)


def stepwise(engine: Any, kind: type[TwoSteps] = TwoSteps, name: str = "accuracy", **more: Any) -> TwoSteps:
    like = a_judge(str, name, **more)
    return kind(like.name, like.prompt, like.parser, like.criterion, like.parameters, engine, limits=like.limits)


def counts(report: Report | None, judge: str = "accuracy") -> dict[str, int]:
    assert report is not None
    return {status.value: count for status, count in report.metric(judge).counts.items() if count}


def committed(events: Sequence[Event]) -> list[Slot]:
    return [each.slot for event in events if isinstance(event, Committed) for each in event.judgments]


def test_five_rows_in_two_steps_are_two_batches_of_five(tmp_path: Path) -> None:
    engine, events = Batches(), list[Event]()
    report = gavelkit.evaluate(some_rows(5), stepwise(engine), output=tmp_path, observe=events.append)
    assert engine.sent == [(ASSESSMENT, [1, 2, 3, 4, 5]), (CHOICE, [1, 2, 3, 4, 5])]
    assert counts(report) == {"ok": 5}
    assert report.metric("accuracy").value == 3.0
    assert report.judges[0].calls == 10
    assert len(committed(events)) == len(set(committed(events))) == 5


def test_the_rows_of_a_batch_stand_in_the_order_of_the_data() -> None:
    engine = Batches()
    gavelkit.evaluate(some_rows(40), one_step(engine))
    assert [number_of(request) for request in engine.batches[0]] == list(range(1, 41))


def test_both_orders_of_a_step_go_out_in_one_batch() -> None:
    engine = Batches()
    gavelkit.evaluate(some_rows(5), stepwise(engine, BothOrders))
    each_twice = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    both = [f"{step} {SECOND}{step}" for step in (ASSESSMENT, CHOICE)]
    assert engine.sent == [(both[0], each_twice), (both[1], each_twice)]


def test_each_row_stands_in_the_record_once_however_many_passes_there_are(tmp_path: Path) -> None:
    gavelkit.evaluate(some_rows(5), stepwise(Batches()), output=tmp_path)
    reader = open_reader(tmp_path)
    assert [example.id for example in reader.examples()] == ["r1", "r2", "r3", "r4", "r5"]
    reader.close()


def test_equal_prompts_are_asked_once() -> None:
    engine = Batches()
    rows = [{**some_rows(1)[0], "id": str(number)} for number in range(20)]
    assert counts(gavelkit.evaluate(rows, stepwise(engine))) == {"ok": 20}
    assert engine.sent == [(ASSESSMENT, [1]), (CHOICE, [1])]


def test_each_repeat_is_asked_for_itself() -> None:
    engine = Batches()
    assert gavelkit.evaluate(some_rows(3), one_step(engine), repeat=2).planned == 6
    assert engine.sent == [("judge", [1, 1, 2, 2, 3, 3])]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (None, FailureKind.DECODE, "the engine returned None"),
        (Failure("too long", FailureKind.INPUT_TOO_LONG, raw="400"), FailureKind.INPUT_TOO_LONG, "too long"),
        (Failure("odd"), FailureKind.INTERNAL, "odd"),
    ],
)
def test_a_failure_in_a_batch_costs_its_row_alone(
    tmp_path: Path, answer: Failure | None, kind: FailureKind, words: str
) -> None:
    engine = Batches(lambda request: answer if number_of(request) == 3 else "Score: 5")
    report = gavelkit.evaluate(some_rows(5), stepwise(engine, max_error_rate=0.2), output=tmp_path)
    assert counts(report) == {"ok": 4, "call_error": 1}
    assert engine.sent == [(ASSESSMENT, [1, 2, 3, 4, 5]), (CHOICE, [1, 2, 4, 5])]
    reader = open_reader(tmp_path)
    failures = [entry.judgment.failure for entry in reader.entries() if entry.judgment.failure]
    reader.close()
    assert [(failure.kind, failure.message) for failure in failures] == [(kind, words)]


def test_a_failed_call_is_asked_again_by_the_next_run_and_no_other(tmp_path: Path) -> None:
    engine = Batches(lambda request: None if number_of(request) == 3 else "Score: 5")
    gavelkit.evaluate(some_rows(5), stepwise(engine, max_error_rate=1.0), output=tmp_path)
    fine = Batches()
    assert counts(gavelkit.evaluate(some_rows(5), stepwise(fine), output=tmp_path)) == {"ok": 5}
    assert fine.sent == [(ASSESSMENT, [3]), (CHOICE, [3])]


def test_a_finished_run_sends_nothing_and_says_the_same(tmp_path: Path) -> None:
    engine = Batches()
    first = gavelkit.evaluate(some_rows(5), stepwise(engine), output=tmp_path)
    assert gavelkit.evaluate(some_rows(5), stepwise(engine), output=tmp_path) == first
    assert len(engine.batches) == 2


def test_a_batch_that_breaks_ends_the_run_and_the_same_call_goes_on_from_there(tmp_path: Path) -> None:
    def broken(request: Request) -> str:
        if request.labels.step == CHOICE:
            message = "out of memory"
            raise MemoryError(message)
        return "Fine."

    engine = Batches(broken)
    with pytest.raises(EndpointError, match="Batches failed on a batch of 5: MemoryError: out of") as caught:
        gavelkit.evaluate(some_rows(5), stepwise(engine), output=tmp_path)
    assert counts(caught.value.report) == {"pending": 5}
    assert len(engine.batches) == 2
    fine = Batches()
    assert counts(gavelkit.evaluate(some_rows(5), stepwise(fine), output=tmp_path)) == {"ok": 5}
    assert fine.sent == [(CHOICE, [1, 2, 3, 4, 5])]


def test_too_few_answers_are_refused_and_none_of_them_is_kept(tmp_path: Path) -> None:
    judge = one_step(BatchedEngine(lambda requests: ["Score: 5"] * (len(requests) - 1)))
    with pytest.raises(EndpointError, match="gave 4 answers to a batch of 5 requests") as caught:
        gavelkit.evaluate(some_rows(5), judge, output=tmp_path)
    assert counts(caught.value.report) == {"pending": 5}
    engine = Batches()
    gavelkit.evaluate(some_rows(5), one_step(engine), output=tmp_path)
    assert engine.sent == [("judge", [1, 2, 3, 4, 5])]


def test_what_came_before_a_broken_batch_is_judged(tmp_path: Path) -> None:
    def broken(_requests: Sequence[Request]) -> list[str]:
        raise OSError

    judges = [one_step(Batches()), one_step(BatchedEngine(broken), "tone")]
    with pytest.raises(EndpointError) as caught:
        gavelkit.evaluate(some_rows(5), judges, output=tmp_path)
    assert (counts(caught.value.report), counts(caught.value.report, "tone")) == ({"ok": 5}, {"pending": 5})


def test_after_a_fatal_failure_no_batch_is_sent_and_its_replies_are_kept(tmp_path: Path) -> None:
    engine = Batches(lambda request: FATAL if number_of(request) == 5 else "Fine.")
    with pytest.raises(EndpointError, match="the endpoint is unusable: no key") as caught:
        gavelkit.evaluate(some_rows(5), stepwise(engine), output=tmp_path)
    assert len(engine.batches) == 1
    assert counts(caught.value.report) == {"pending": 4, "call_error": 1}
    fine = Batches()
    assert counts(gavelkit.evaluate(some_rows(5), stepwise(fine), output=tmp_path)) == {"ok": 5}
    assert fine.sent == [(CHOICE, [1, 2, 3, 4]), (ASSESSMENT, [5]), (CHOICE, [5])]


def test_a_stop_ends_between_batches_and_what_the_batch_brought_is_not_asked_again(tmp_path: Path) -> None:
    stop = Stop()

    def reply(_request: Request) -> str:
        stop.ask("enough")
        return "Fine."

    engine = Batches(reply)
    with pytest.raises(Interrupted) as caught:
        on_loop(gavelkit.evaluate_async(some_rows(5), stepwise(engine), output=tmp_path, stop=stop))
    assert (len(engine.batches), counts(caught.value.report)) == (1, {"pending": 5})
    fine = Batches()
    assert counts(gavelkit.evaluate(some_rows(5), stepwise(fine), output=tmp_path)) == {"ok": 5}
    assert fine.sent == [(CHOICE, [1, 2, 3, 4, 5])]


def test_after_a_stop_the_next_batch_of_the_same_round_is_not_sent() -> None:
    stop = Stop()

    def reply(_request: Request) -> str:
        stop.ask("enough")
        return "Score: 5"

    first, second = Batches(reply), Batches(reply)
    judges = [one_step(first), one_step(second, "tone")]
    with pytest.raises(Interrupted):
        on_loop(gavelkit.evaluate_async(some_rows(5), judges, stop=stop))
    assert (len(first.batches), len(second.batches)) == (1, 0)


def test_a_batch_in_flight_is_waited_for_no_longer_than_the_grace(tmp_path: Path) -> None:
    stop = Stop()

    class Endless:
        async def complete_all(self, _requests: Sequence[Request]) -> list[Completion]:
            stop.ask("enough")
            await asyncio.Event().wait()
            return []

    source, judges = rows_source(some_rows(5), RowMapping(None)), [one_step(Endless())]
    with pytest.raises(Interrupted) as caught:
        on_loop(run_async(source, judges, folder=tmp_path, settings=RunSettings(grace_seconds=0), stop=stop))
    assert counts(caught.value.report) == {"pending": 5}
    assert gavelkit.evaluate(some_rows(5), one_step(Batches()), output=tmp_path).finished


def test_a_live_judge_beside_a_batch_is_done_in_the_first_pass() -> None:
    engine, live = Batches(), Counting()
    engine_saw: list[int] = []

    async def watched(requests: list[Request]) -> list[Any]:
        engine_saw.append(len(live.prompts))
        return await engine.complete_all(requests)

    judges = [stepwise(BatchedEngine(watched)), a_judge(live, "live")]
    report = gavelkit.evaluate(some_rows(5), judges)
    assert (counts(report), counts(report, "live")) == ({"ok": 5}, {"ok": 5})
    assert sorted(map(asked_about, live.prompts)) == [1, 2, 3, 4, 5]
    assert (len(engine.batches), engine_saw) == (2, [5, 5])


def test_a_fatal_failure_of_a_live_judge_sends_no_batch() -> None:
    def refuse(_prompt: str) -> str:
        raise CallError(FailureKind.AUTH, FATAL.message, fatal=True)

    engine = Batches()
    with pytest.raises(EndpointError, match="no key"):
        gavelkit.evaluate(some_rows(5), [one_step(engine), a_judge(Counting(refuse), "live")])
    assert engine.batches == []


def test_judges_that_ask_one_engine_share_its_batches_and_equal_questions() -> None:
    engine = Batches()
    judges = [one_step(engine, model="m"), one_step(engine, "strict", model="m"), one_step(engine, "other", model="n")]
    report = gavelkit.evaluate(some_rows(5), judges)
    assert [len(batch) for batch in engine.batches] == [10]
    assert [counts(report, judge.name) for judge in judges] == [{"ok": 5}] * 3


def test_rows_that_are_read_once_go_through_every_round() -> None:
    engine = Batches()
    report = gavelkit.evaluate(iter(some_rows(5)), stepwise(engine))
    assert counts(report) == {"ok": 5}
    assert len(engine.batches) == 2


def test_a_response_that_is_judged_early_is_handed_over_once(tmp_path: Path) -> None:
    def reply(request: Request) -> str:
        return "decided 4" if request.labels.systems == ("a",) else "Score: 5"

    rows = [
        {"id": f"r{n}", "question": f"What is {n}?", "outputs": [{"id": s, "output": f"{s} {n}"} for s in "ab"]}
        for n in range(5)
    ]
    engine, events = Batches(reply), list[Event]()
    report = gavelkit.evaluate(rows, stepwise(engine), output=tmp_path, observe=events.append)
    assert [report.metric("accuracy", system=system).value for system in "ab"] == [4, 5]
    assert len(committed(events)) == len(set(committed(events))) == 10
    assert [len(batch) for batch in engine.batches] == [10, 5]


def test_rows_that_left_the_data_are_counted_once(tmp_path: Path) -> None:
    engine = Batches()
    gavelkit.evaluate(some_rows(5), stepwise(engine), output=tmp_path)
    report = gavelkit.evaluate(some_rows(6, first=3), stepwise(engine), output=tmp_path)
    assert engine.sent[2:] == [(ASSESSMENT, [6, 7, 8]), (CHOICE, [6, 7, 8])]
    assert counts(report) == {"ok": 6}
    assert report.notes == ("2 rows judged before are left out: they no longer stand in the data, or beyond the limit",)


def test_stored_replies_are_read_again_without_a_batch(tmp_path: Path) -> None:
    engine = Batches()
    gavelkit.evaluate(some_rows(5), one_step(engine), output=tmp_path)
    narrow = one_step(engine, scale=(0, 4), max_error_rate=1.0)
    assert counts(gavelkit.evaluate(some_rows(5), narrow, output=tmp_path)) == {"ok": 4, "out_of_range": 1}
    assert len(engine.batches) == 1


def test_an_error_of_the_data_in_a_later_pass_ends_the_run(tmp_path: Path) -> None:
    reads = 0

    class Once:
        """Rows whose third reading breaks: the check reads them first, then the first pass."""

        def __iter__(self) -> Iterator[dict[str, Any]]:
            nonlocal reads
            reads += 1
            yield from some_rows(2)
            if reads > 2:
                message = "a.jsonl:3: not JSON"
                raise DataError(message)
            yield from some_rows(3, first=3)

    with pytest.raises(DataError, match=r"a\.jsonl:3"):
        gavelkit.evaluate(Once(), one_step(Batches()), output=tmp_path)
    engine = Batches()
    assert counts(gavelkit.evaluate(some_rows(5), one_step(engine), output=tmp_path)) == {"ok": 5}
    assert engine.batches == []


OUTCOMES = st.sampled_from(["ok", "decided", "none first", "none then"])


@settings(max_examples=20)
@given(st.lists(OUTCOMES, min_size=1, max_size=8), st.integers(1, 3))
def test_every_judgment_ends_once_and_every_question_is_asked_once(outcomes: list[str], concurrency: int) -> None:
    def reply(request: Request) -> str | None:
        outcome = outcomes[number_of(request) - 1]
        first = request.labels.step.endswith(ASSESSMENT)
        if outcome == ("none first" if first else "none then"):
            return None
        return "decided 7" if outcome == "decided" else "Score: 7"

    engine, events = Batches(reply), list[Event]()
    judge = stepwise(engine, BothOrders, max_error_rate=1.0, concurrency=concurrency)
    report = gavelkit.evaluate(some_rows(len(outcomes)), judge, observe=events.append)
    failed = sum(outcome.startswith("none") for outcome in outcomes)
    ended = {"ok": len(outcomes) - failed, "call_error": failed}
    assert counts(report) == {status: count for status, count in ended.items() if count}
    assert len(committed(events)) == len(set(committed(events))) == len(outcomes)
    assert len(engine.asked) == len(set(engine.asked))
    assert len(engine.batches) <= 2
