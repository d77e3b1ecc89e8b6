"""The whole run: what is called, what is held, what a report says, and how each end is told."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.makers import TEMPLATE, Counting, a_judge, asked_about, some_rows

import gavelkit
from gavelkit.core.completion import Completion
from gavelkit.core.errors import (
    CallError,
    ConfigError,
    EndpointError,
    GavelError,
    Interrupted,
    NotYet,
    RunFailed,
    StorageError,
)
from gavelkit.core.event import Committed, Event, Noticed, Planned
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.core.report import Report
from gavelkit.core.status import Status
from gavelkit.run import Stop, on_loop, reparse_async
from gavelkit.storage import open_reader
from gavelkit.storage.codec import call_row


def counts(report: Report, judge: str = "accuracy") -> dict[str, int]:
    return {status.value: count for status, count in report.metric(judge).counts.items() if count}


def failing(*numbers: int, kind: FailureKind = FailureKind.SERVER, fatal: bool = False) -> Callable[[str], str]:
    """A reply for every row but these."""

    def reply(prompt: str) -> str:
        if asked_about(prompt) in numbers:
            message = "down"
            raise CallError(kind, message, fatal=fatal)
        return "Score: 5"

    return reply


def unreadable(*numbers: int) -> Callable[[str], str]:
    return lambda prompt: "no idea" if asked_about(prompt) in numbers else "Score: 5"


def test_every_row_is_judged_once_and_the_report_says_so(tmp_path: Path) -> None:
    counting = Counting()
    report = gavelkit.evaluate(some_rows(10), a_judge(counting, threshold=5), output=tmp_path)
    assert sorted(map(asked_about, counting.prompts)) == list(range(1, 11))
    assert report.metric("accuracy").value == 5.5
    assert report.metric("accuracy", "pass_rate").value == 0.6
    assert counts(report) == {"ok": 10}
    assert (report.planned, report.pending, report.finished, report.folder) == (10, 0, True, str(tmp_path))
    assert report.details == {"data": "", "on_failure": "missing"}


def test_the_same_call_again_calls_nobody_and_says_the_same(tmp_path: Path) -> None:
    counting = Counting()
    first = gavelkit.evaluate(some_rows(10), a_judge(counting), output=tmp_path)
    assert gavelkit.evaluate(some_rows(10), a_judge(counting), output=tmp_path) == first
    assert len(counting.prompts) == 10


def test_rows_in_memory_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = gavelkit.evaluate(some_rows(3), a_judge(Counting()))
    assert report.finished
    assert not Path(report.folder).exists()
    assert list(tmp_path.iterdir()) == []


def test_a_limit_is_the_first_rows_and_more_of_them_later_cost_only_themselves(tmp_path: Path) -> None:
    counting = Counting()
    judge = a_judge(counting)
    assert gavelkit.evaluate(some_rows(10), judge, output=tmp_path, limit=4).planned == 4
    assert sorted(map(asked_about, counting.prompts)) == [1, 2, 3, 4]
    assert gavelkit.evaluate(some_rows(10), judge, output=tmp_path, limit=7).planned == 7
    assert gavelkit.evaluate(some_rows(10), judge, output=tmp_path).planned == 10
    assert sorted(map(asked_about, counting.prompts)) == list(range(1, 11))


def test_fewer_rows_than_before_are_reported_alone_and_the_others_are_named(tmp_path: Path) -> None:
    counting = Counting()
    judge = a_judge(counting)
    gavelkit.evaluate(some_rows(10), judge, output=tmp_path)
    report = gavelkit.evaluate(some_rows(10), judge, output=tmp_path, limit=3)
    assert (report.planned, report.metric("accuracy").value) == (3, 2.0)
    assert report.notes == ("7 rows judged before are left out: they no longer stand in the data, or beyond the limit",)
    assert gavelkit.evaluate(some_rows(10), judge, output=tmp_path).metric("accuracy").value == 5.5
    assert len(counting.prompts) == 10


def test_added_rows_and_judges_cost_only_themselves(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    gavelkit.evaluate(some_rows(5), a_judge(first), output=tmp_path)
    both = [a_judge(first), a_judge(second, "tone", system_prompt="Mind the tone. {{ unused | default('') }}")]
    report = gavelkit.evaluate(some_rows(6), both, output=tmp_path)
    assert (len(first.prompts), len(second.prompts)) == (6, 6)
    assert [judge.name for judge in report.judges] == ["accuracy", "tone"]
    assert report.planned == 12


def test_a_judge_that_reads_more_of_the_rows_costs_the_others_nothing(tmp_path: Path) -> None:
    rows = [{**row, "extra": "x"} for row in some_rows(5)]
    first, second = Counting(), Counting()
    gavelkit.evaluate(rows, a_judge(first), output=tmp_path)
    tone = a_judge(second, "tone", prompt_template=TEMPLATE + "{{ extra }}")
    report = gavelkit.evaluate(rows, [a_judge(first), tone], output=tmp_path)
    assert (len(first.prompts), len(second.prompts)) == (5, 5)
    assert report.metric("accuracy").value == 3.0
    alone = gavelkit.evaluate(rows, a_judge(first), output=tmp_path)
    assert (len(first.prompts), alone.metric("accuracy").value) == (5, 3.0)


def test_a_changed_row_is_judged_again(tmp_path: Path) -> None:
    counting = Counting()
    rows = some_rows(5)
    gavelkit.evaluate(rows, a_judge(counting), output=tmp_path)
    rows[2]["response"] = "It is another."
    gavelkit.evaluate(rows, a_judge(counting), output=tmp_path)
    assert [asked_about(prompt) for prompt in counting.prompts[5:]] == [3]


def test_another_question_is_refused_with_the_difference_and_nobody_is_called(tmp_path: Path) -> None:
    counting = Counting()
    gavelkit.evaluate(some_rows(2), a_judge(counting), output=tmp_path)
    with pytest.raises(ConfigError, match=r"(?s)asks something else.*-Rate this\..*\+Rate it\.") as caught:
        gavelkit.evaluate(
            some_rows(2), a_judge(counting, prompt_template=TEMPLATE.replace("this", "it")), output=tmp_path
        )
    assert caught.value.exit_code == 2
    assert len(counting.prompts) == 2


def test_another_scale_reads_the_stored_replies_again_without_a_call(tmp_path: Path) -> None:
    counting = Counting()
    events: list[Event] = []
    gavelkit.evaluate(some_rows(10), a_judge(counting), output=tmp_path)
    narrow = a_judge(counting, scale=(0, 6), max_error_rate=1.0)
    report = gavelkit.evaluate(some_rows(10), narrow, output=tmp_path, observe=events.append)
    assert counts(report) == {"ok": 6, "out_of_range": 4}
    assert len(counting.prompts) == 10
    said = "stored replies were read again, without a call: accuracy"
    assert Noticed(said) in events
    assert said in report.notes
    clamped = a_judge(counting, scale=(0, 6), clamp=True)
    assert counts(gavelkit.evaluate(some_rows(10), clamped, output=tmp_path)) == {"ok": 10}
    assert len(counting.prompts) == 10


def test_rows_added_together_with_another_scale_are_recorded_once(tmp_path: Path) -> None:
    counting = Counting()
    gavelkit.evaluate(some_rows(3), a_judge(counting, scale=(0, 10)), output=tmp_path / "run")
    clamped = a_judge(counting, scale=(0, 2), clamp=True)
    gavelkit.evaluate(some_rows(4), clamped, output=tmp_path / "run")
    report = gavelkit.evaluate(some_rows(4), clamped, output=tmp_path / "run")
    assert (len(counting.prompts), report.planned) == (4, 4)
    assert not any("left out" in note for note in report.notes)


def test_another_threshold_is_another_pass_rate(tmp_path: Path) -> None:
    counting = Counting()
    gavelkit.evaluate(some_rows(10), a_judge(counting, threshold=5), output=tmp_path)
    report = gavelkit.evaluate(some_rows(10), a_judge(counting, threshold=9), output=tmp_path)
    assert report.metric("accuracy", "pass_rate").value == 0.2
    assert len(counting.prompts) == 10


def test_reparse_reads_everything_again_and_calls_nobody(tmp_path: Path) -> None:
    counting = Counting(unreadable(2))
    judge = a_judge(counting, max_error_rate=1.0)
    events: list[Event] = []
    first = gavelkit.evaluate(some_rows(5), judge, output=tmp_path)
    report = on_loop(reparse_async([judge], folder=tmp_path, repeat=1, observe=events.append))
    assert report.metrics == first.metrics
    assert len(counting.prompts) == 5
    assert isinstance(events[0], Planned)
    assert sum(len(event.judgments) for event in events if isinstance(event, Committed)) == 5


def test_reparse_refuses_another_question_and_a_folder_without_a_run(tmp_path: Path) -> None:
    gavelkit.evaluate(some_rows(2), a_judge(Counting()), output=tmp_path)
    with pytest.raises(ConfigError, match="asks something else"):
        on_loop(reparse_async([a_judge(str, model="other")], folder=tmp_path, repeat=1))
    with pytest.raises(StorageError, match="there is no run here"):
        on_loop(reparse_async([a_judge(str)], folder=tmp_path / "none", repeat=1))


def test_failed_calls_are_tried_again_on_resume_and_unreadable_replies_only_when_asked_for(tmp_path: Path) -> None:
    lenient: dict[str, Any] = {"max_error_rate": 1.0}
    down = Counting(failing(1))
    gavelkit.evaluate(some_rows(4), a_judge(down, **lenient), output=tmp_path)
    odd = Counting(unreadable(1))
    report = gavelkit.evaluate(some_rows(4), a_judge(odd, **lenient), output=tmp_path)
    assert counts(report) == {"ok": 3, "parse_error": 1}
    fine = Counting()
    gavelkit.evaluate(some_rows(4), a_judge(fine, **lenient), output=tmp_path)
    assert (len(down.prompts), len(odd.prompts), len(fine.prompts)) == (4, 1, 0)
    report = gavelkit.evaluate(some_rows(4), a_judge(fine, **lenient), output=tmp_path, retry_errors=True)
    assert counts(report) == {"ok": 4}
    assert list(map(asked_about, fine.prompts)) == [1]


def test_equal_prompts_are_asked_once_and_the_report_says_so(tmp_path: Path) -> None:
    counting = Counting()
    rows = [{**some_rows(1)[0], "id": str(number)} for number in range(20)]
    report = gavelkit.evaluate(rows, a_judge(counting), output=tmp_path)
    assert len(counting.prompts) == 1
    assert counts(report) == {"ok": 20}
    assert report.notes == ("1 calls served 20 judgments: equal prompts are asked once",)


def test_two_judges_that_ask_the_same_of_one_model_share_the_replies(tmp_path: Path) -> None:
    counting = Counting()
    judges = [a_judge(counting, model="m"), a_judge(counting, "strict", model="m", threshold=8)]
    report = gavelkit.evaluate(some_rows(20), judges, output=tmp_path)
    assert len(counting.prompts) == 20
    assert report.metric("accuracy").value == report.metric("strict").value


def test_two_functions_are_two_judges_even_where_they_have_one_name(tmp_path: Path) -> None:
    judges = [a_judge(lambda _prompt, score=score: f"Score: {score}", f"gives {score}") for score in (3, 8)]
    report = gavelkit.evaluate(some_rows(4), judges, output=tmp_path)
    assert (report.metric("gives 3").value, report.metric("gives 8").value) == (3, 8)


def test_each_repeat_is_a_call_of_its_own_and_an_example_is_the_unit(tmp_path: Path) -> None:
    counting = Counting()
    report = gavelkit.evaluate(some_rows(4), a_judge(counting), output=tmp_path, repeat=3)
    assert len(counting.prompts) == 12
    assert (report.planned, report.metric("accuracy").n) == (12, 4)
    gavelkit.evaluate(some_rows(4), a_judge(counting), output=tmp_path, repeat=4)
    assert len(counting.prompts) == 16


def test_systems_are_reported_apart_and_a_failed_one_is_asked_for_alone(tmp_path: Path) -> None:
    rows = [
        {"id": f"r{n}", "question": f"What is {n}?", "outputs": [{"id": s, "output": f"{s} {n}"} for s in "ab"]}
        for n in range(5)
    ]

    def reply(prompt: str) -> str:
        if "A: b 2" in prompt and len(counting.prompts) < 11:
            message = "down"
            raise CallError(FailureKind.SERVER, message)
        return "Score: 3" if "A: a" in prompt else "Score: 7"

    counting = Counting(reply)
    judge = a_judge(counting, max_error_rate=1.0)
    first = gavelkit.evaluate(rows, judge, output=tmp_path)
    assert first.metric("accuracy", system="b").counts[Status.CALL_ERROR] == 1
    again = gavelkit.evaluate(rows, judge, output=tmp_path)
    assert len(counting.prompts) == 11
    assert (again.metric("accuracy", system="a").value, again.metric("accuracy", system="b").value) == (3, 7)
    assert again.metric("accuracy", system="b").n == 5


def test_a_prompt_that_cannot_be_sent_is_invalid_input_and_costs_no_call(tmp_path: Path) -> None:
    counting = Counting(lambda _prompt: "Score: 5")
    rows = [*some_rows(3), {"id": "odd", "question": "a\ud800b", "response": "x"}]
    report = gavelkit.evaluate(rows, a_judge(counting, max_error_rate=1.0), output=tmp_path)
    assert counts(report) == {"ok": 3, "invalid_input": 1}
    assert len(counting.prompts) == 3


@pytest.mark.parametrize(
    ("failed", "rate", "passes"), [(1, 0.1, True), (2, 0.1, False), (10, 1.0, True), (0, 0.0, True), (1, 0.0, False)]
)
def test_only_more_failures_than_the_rate_fail_a_run(tmp_path: Path, failed: int, rate: float, *, passes: bool) -> None:
    judge = a_judge(Counting(unreadable(*range(1, failed + 1))), max_error_rate=rate)
    if passes:
        assert gavelkit.evaluate(some_rows(10), judge, output=tmp_path).finished
        return
    with pytest.raises(RunFailed) as caught:
        gavelkit.evaluate(some_rows(10), judge, output=tmp_path)
    assert caught.value.exit_code == 3
    assert str(caught.value) == f"judge 'accuracy': {failed / 10:.1%} of its judgments failed, and {rate:.1%} may"
    assert counts(caught.value.report) == {"ok": 10 - failed, "parse_error": failed}


def test_a_rate_given_to_the_run_stands_in_for_every_judges_own(tmp_path: Path) -> None:
    judge = a_judge(Counting(unreadable(1, 2, 3)), max_error_rate=0.0)
    assert gavelkit.evaluate(some_rows(10), judge, output=tmp_path, max_error_rate=0.3).finished


@pytest.mark.parametrize(
    ("on_failure", "value", "names"),
    [
        ("missing", 5.0, {"mean", "mean_failures_worst", "mean_failures_best"}),
        ("worst", 4.0, {"mean", "mean_ok", "mean_failures_worst", "mean_failures_best"}),
        ("zero", 4.0, {"mean", "mean_ok", "mean_failures_worst", "mean_failures_best"}),
    ],
)
def test_what_a_failure_costs_is_the_means_own_affair(
    tmp_path: Path, on_failure: str, value: float, names: set[str]
) -> None:
    judge = a_judge(Counting(unreadable(1, 2)), max_error_rate=1.0)
    report = gavelkit.evaluate(some_rows(10), judge, output=tmp_path, on_failure=on_failure)
    assert report.metric("accuracy").value == value
    assert {metric.name for metric in report.metrics} == names
    reader = open_reader(tmp_path)
    assert [judgment.score for judgment in reader.outcomes()] == [None, None, *[5.0] * 8]
    reader.close()


def test_raise_writes_everything_and_fails_the_run_with_its_report(tmp_path: Path) -> None:
    judge = a_judge(Counting(unreadable(1)), max_error_rate=1.0)
    with pytest.raises(RunFailed, match="on_failure is raise") as caught:
        gavelkit.evaluate(some_rows(10), judge, output=tmp_path, on_failure="raise")
    assert caught.value.report.metric("accuracy").value == 5.0
    assert gavelkit.evaluate(some_rows(10), judge, output=tmp_path).finished


def test_a_fatal_failure_stops_the_launching_and_the_rest_is_pending(tmp_path: Path) -> None:
    counting = Counting(failing(*range(3, 999), kind=FailureKind.AUTH, fatal=True))
    with pytest.raises(EndpointError, match="the endpoint is unusable: down") as caught:
        gavelkit.evaluate(some_rows(100), a_judge(counting, concurrency=4), output=tmp_path)
    assert caught.value.exit_code == 4
    assert caught.value.report is not None
    assert len(counting.prompts) <= 2 + 2 * 4
    found = counts(caught.value.report)
    assert found["ok"] == 2
    assert found["ok"] + found["call_error"] + found["pending"] == 100
    assert not caught.value.report.finished
    fine = Counting()
    assert gavelkit.evaluate(some_rows(100), a_judge(fine), output=tmp_path).finished
    assert len(fine.prompts) == 98


def test_a_disk_that_fails_ends_the_run_at_once(tmp_path: Path) -> None:
    counting = Counting()

    def observe(event: Event) -> None:
        if isinstance(event, Planned):
            counting.prompts.clear()

    gavelkit.evaluate(some_rows(1), a_judge(counting), output=tmp_path)
    with pytest.raises(StorageError):
        on_loop(_with_a_broken_disk(tmp_path, counting, observe))
    assert len(counting.prompts) <= 4 * 4
    assert gavelkit.evaluate(some_rows(200), a_judge(counting), output=tmp_path).finished


async def _with_a_broken_disk(folder: Path, counting: Counting, observe: Callable[[Event], None]) -> Report:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gavelkit.storage.journal.call_row", lambda *given: call_row(*given) if given[0] < 9 else (1,))
        return await gavelkit.evaluate_async(some_rows(200), a_judge(counting), output=folder, observe=observe)


@pytest.mark.parametrize("concurrency", [1, 3, 64])
def test_order_and_concurrency_change_no_metric(tmp_path: Path, concurrency: int) -> None:
    rows = [{**row, "outputs": [{"id": s, "output": f"{s}{row['id']}"} for s in "ab"]} for row in some_rows(60)]
    for row in rows:
        del row["response"]

    def reply(prompt: str) -> str:
        number = asked_about(prompt)
        return "?" if number % 9 == 0 else f"Score: {number * 7 % 11}"

    judges = [a_judge(Counting(reply), name, concurrency=concurrency, threshold=5, max_error_rate=1.0) for name in "xy"]
    plain = gavelkit.evaluate(rows, [a_judge(Counting(reply), n, threshold=5, max_error_rate=1.0) for n in "xy"])
    shuffled = random.Random(concurrency).sample(rows, len(rows))  # noqa: S311 - an order, not a secret
    report = gavelkit.evaluate(shuffled, judges, output=tmp_path)
    assert {(m.judge, m.system, m.name): (m.value, m.n, m.interval, m.counts) for m in report.metrics} == {
        (m.judge, m.system, m.name): (m.value, m.n, m.interval, m.counts) for m in plain.metrics
    }


class Slow:
    """A judge's engine that answers after as many turns of the loop."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self.inside = self.most = self.calls = 0

    async def complete(self, _request: Request) -> Completion:
        self.calls += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        for _ in range(self.turns):
            await asyncio.sleep(0)
        self.inside -= 1
        return Completion("Score: 5")


def test_a_slow_judge_beside_a_fast_one_holds_nobody_up_and_nobody_passes_its_ceiling(tmp_path: Path) -> None:
    slow, fast = Slow(200), Slow(1)
    judges = [a_judge(slow, "slow", concurrency=3), a_judge(fast, "fast", concurrency=5)]
    report = gavelkit.evaluate(some_rows(60), judges, output=tmp_path)
    assert (slow.calls, fast.calls, report.planned) == (60, 60, 120)
    assert (slow.most, fast.most) == (3, 5)


def test_every_judgment_is_told_once_it_is_on_disk(tmp_path: Path) -> None:
    events: list[Event] = []
    gavelkit.evaluate(some_rows(30), a_judge(Counting()), output=tmp_path, observe=events.append)
    told = [each.slot.example_id for event in events if isinstance(event, Committed) for each in event.judgments]
    assert sorted(told) == sorted(f"r{n}" for n in range(1, 31))
    assert isinstance(events[0], Planned)
    assert (events[0].judgments, events[0].held) == (30, 0)


class Gated:
    """Answers nobody before it is told to."""

    def __init__(self) -> None:
        self.calls = 0
        self.begun = asyncio.Event()
        self.open = asyncio.Event()

    async def complete(self, _request: Request) -> Completion:
        self.calls += 1
        self.begun.set()
        await self.open.wait()
        return Completion("Score: 5")


def test_a_stop_begins_nothing_new_and_keeps_what_is_in_flight(tmp_path: Path) -> None:
    async def main() -> Interrupted:
        gated, stop = Gated(), Stop()
        judge = a_judge(gated, concurrency=4, model="m")
        run = asyncio.create_task(gavelkit.evaluate_async(some_rows(50), judge, output=tmp_path, stop=stop))
        await gated.begun.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        stop.ask("terminated", exit_code=143)
        await asyncio.sleep(0)
        gated.open.set()
        with pytest.raises(Interrupted) as caught:
            await run
        assert gated.calls == 4
        return caught.value

    error = asyncio.run(main())
    assert (str(error), error.exit_code) == ("terminated", 143)
    assert counts(error.report) == {"ok": 4, "pending": 46}
    counting = Counting()
    assert gavelkit.evaluate(some_rows(50), a_judge(counting, model="m"), output=tmp_path).finished
    assert len(counting.prompts) == 46


def test_a_stop_before_the_first_call_calls_nobody(tmp_path: Path) -> None:
    counting, stop = Counting(), Stop()
    stop.ask("early")
    with pytest.raises(Interrupted, match="early"):
        asyncio.run(gavelkit.evaluate_async(some_rows(5), a_judge(counting), output=tmp_path, stop=stop))
    assert counting.prompts == []


@pytest.mark.real_time
def test_what_outlasts_the_grace_is_given_up(tmp_path: Path) -> None:
    from gavelkit.datasets import RowMapping, rows_source  # noqa: PLC0415 - only here below the public door
    from gavelkit.run import RunSettings, evaluate_async  # noqa: PLC0415 - as above

    async def main() -> Interrupted:
        gated, stop = Gated(), Stop()
        source = rows_source(some_rows(50), RowMapping())
        settings = RunSettings(grace_seconds=0.01)
        run = asyncio.create_task(
            evaluate_async(source, [a_judge(gated)], folder=tmp_path, settings=settings, stop=stop)
        )
        await gated.begun.wait()
        stop.ask("interrupted")
        with pytest.raises(Interrupted) as caught:
            await run
        return caught.value

    assert counts(asyncio.run(main()).report) == {"pending": 50}


def test_a_run_that_is_cancelled_calls_nobody_afterwards_and_lets_go_of_its_folder(tmp_path: Path) -> None:
    async def main() -> int:
        gated = Gated()
        run = asyncio.create_task(gavelkit.evaluate_async(some_rows(50), a_judge(gated, model="m"), output=tmp_path))
        await gated.begun.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        begun = gated.calls
        gated.open.set()
        for _ in range(50):
            await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1
        return gated.calls - begun

    assert asyncio.run(main()) == 0
    assert gavelkit.evaluate(some_rows(50), a_judge(Counting(), model="m"), output=tmp_path).finished


def test_evaluate_works_while_a_loop_runs_in_threads_and_twice_with_one_judge(tmp_path: Path) -> None:
    counting = Counting()
    judge = a_judge(counting, concurrency=1)

    def run(name: str) -> Report:
        return gavelkit.evaluate(some_rows(6), judge, output=tmp_path / name)

    async def main() -> list[Report]:
        return [run("inside"), *await asyncio.gather(*(asyncio.to_thread(run, str(n)) for n in range(3)))]

    reports = asyncio.run(main())
    assert all(report.finished for report in reports)
    for name in ("one", "two"):
        assert asyncio.run(gavelkit.evaluate_async(some_rows(6), judge, output=tmp_path / name)).finished
    assert len(counting.prompts) == 36


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_evaluate_works_in_a_forked_child(tmp_path: Path) -> None:
    judge = a_judge(Counting(), concurrency=1)
    gavelkit.evaluate(some_rows(6), judge, output=tmp_path / "parent")
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)

    def child() -> None:
        sending.send(str(gavelkit.evaluate(some_rows(6), judge, output=tmp_path / "child")))

    process = context.Process(target=child)
    process.start()
    assert receiving.poll(10)
    assert "mean 3.50" in receiving.recv()
    process.join(10)


def test_two_runs_of_one_folder_at_once_are_refused_by_the_second(tmp_path: Path) -> None:
    def observe(event: Event) -> None:
        if isinstance(event, Planned):
            with pytest.raises(StorageError, match="is being written by process"):
                asyncio.run(second())

    async def second() -> Report:
        return await gavelkit.evaluate_async(some_rows(3), a_judge(Counting()), output=tmp_path)

    def in_a_thread(event: Event) -> None:
        thread = threading.Thread(target=observe, args=(event,))
        thread.start()
        thread.join()

    assert gavelkit.evaluate(some_rows(3), a_judge(Counting()), output=tmp_path, observe=in_a_thread).finished


def test_a_pipe_that_was_cut_short_counts_what_came(tmp_path: Path) -> None:
    judge = a_judge(Counting(failing(3, kind=FailureKind.QUOTA, fatal=True)), concurrency=1, model="m")
    with pytest.raises(EndpointError) as caught:
        gavelkit.evaluate(iter(some_rows(50)), judge, output=tmp_path)
    assert caught.value.report is not None
    assert sum(counts(caught.value.report).values()) < 50
    report = gavelkit.evaluate(iter(some_rows(50)), a_judge(Counting(), model="m"), output=tmp_path)
    assert (report.planned, report.finished) == (50, True)


def test_a_reply_that_never_comes_is_told_as_a_fault_of_ours(tmp_path: Path) -> None:
    judge = a_judge(gavelkit.ScriptedEngine([NotYet()]), concurrency=1)
    with pytest.raises(GavelError, match="1 judgments are pending and nothing says why") as caught:
        gavelkit.evaluate(some_rows(1), judge, output=tmp_path)
    assert caught.value.exit_code == 1
