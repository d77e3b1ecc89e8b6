"""The bounded pool: what is in flight, what is begun after an end, and how far the reader runs ahead."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from tests.makers import a_judge, asked_about

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, DataError, NotYet, StorageError
from gavelkit.core.example import Example
from gavelkit.core.failure import FailureKind
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Request
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.judges import Direct
from gavelkit.run.pool import Pool
from gavelkit.run.stop import Stop


@dataclass
class Ledger:
    """A journal in memory: never on its way to a disk, unless told so."""

    rows: list[str] = field(default_factory=list)
    done: list[Judgment] = field(default_factory=list)
    full: bool = False
    waited: int = 0
    error: StorageError | None = None

    def begin(self, example: Example) -> int:
        self.rows.append(example.id)
        return len(self.rows) - 1

    def held(self, position: int, slot: Slot) -> Status | None:  # noqa: ARG002 - the journal's names
        return None

    def reply(self, request: Request, completion: Completion) -> Completion:  # noqa: ARG002 - as above
        return completion

    def judged(self, position: int, judgments: Sequence[Judgment]) -> None:
        assert all(judgment.slot.example_id == self.rows[position] for judgment in judgments)
        if self.error:
            raise self.error
        self.done.extend(judgments)

    async def room(self) -> None:
        self.waited += 1
        self.full = False
        await asyncio.sleep(0)

    async def settle(self) -> None:
        raise NotImplementedError


def examples(count: int) -> Iterator[Example]:
    for number in range(1, count + 1):
        fields = {"question": f"What is {number}?"}
        yield Example(f"r{number}", fields, {"": f"It is {number}."}, line=number)


def always(_position: int, _slot: Slot) -> bool:
    return True


class Line:
    """An engine that answers after some turns of the loop, and counts."""

    def __init__(self, turns: int = 3, fatal_at: int = 0) -> None:
        self.turns, self.fatal_at = turns, fatal_at
        self.begun: list[int] = []

    async def complete(self, request: Request) -> Completion:
        number = asked_about(request.messages[0].content)
        self.begun.append(number)
        for _ in range(self.turns):
            await asyncio.sleep(0)
        if number == self.fatal_at:
            message = "no key"
            raise CallError(FailureKind.AUTH, message, fatal=True)
        return Completion("Score: 5")


def judged(ledger: Ledger, rows: Iterator[Example], *judges: Direct, stop: Stop | None = None, repeat: int = 1) -> Pool:
    pool = Pool(ledger, stop=stop or Stop(), repeat=repeat)
    asyncio.run(asyncio.wait_for(pool.run(rows, judges, always), 20))
    return pool


def test_every_row_is_judged_by_every_judge_as_often_as_asked() -> None:
    ledger = Ledger()
    pool = judged(ledger, examples(7), a_judge(Line()), a_judge(Line(), "tone"), repeat=2)
    assert pool.seen_all
    assert pool.fatal is None
    slots = {(each.slot.judge, each.slot.example_id, each.slot.repeat) for each in ledger.done}
    assert len(slots) == len(ledger.done) == 7 * 2 * 2
    assert ledger.rows == [f"r{n}" for n in range(1, 8)]


def test_what_is_not_wanted_is_not_judged() -> None:
    ledger, line = Ledger(), Line()
    pool = Pool(ledger, stop=Stop(), repeat=1)
    asyncio.run(pool.run(examples(9), [a_judge(line)], lambda position, _slot: position % 2 == 0))
    assert sorted(line.begun) == [1, 3, 5, 7, 9]


def test_the_reader_runs_no_further_ahead_than_the_judges_need() -> None:
    slow, fast, ledger = Line(turns=60), Line(turns=1), Ledger()
    far = 0

    def watched() -> Iterator[Example]:
        nonlocal far
        for example in examples(150):
            far = max(far, len(ledger.rows) - len(slow.begun))
            yield example

    judged(ledger, watched(), a_judge(slow, "slow", concurrency=4), a_judge(fast, "fast", concurrency=8))
    assert len(ledger.done) == 300
    assert far <= 4 + 8 + 2


def test_after_a_fatal_failure_nothing_new_is_begun() -> None:
    ledger, line = Ledger(), Line(fatal_at=3)
    pool = judged(ledger, examples(100), a_judge(line, concurrency=4))
    assert pool.fatal is not None
    assert pool.fatal.kind is FailureKind.AUTH
    assert not pool.seen_all
    assert len(line.begun) <= 3 + 4
    assert len(ledger.done) == len(line.begun)


def test_a_fatal_failure_of_one_judge_ends_the_others_work_too() -> None:
    ledger, fine = Ledger(), Line()
    judged(ledger, examples(100), a_judge(Line(fatal_at=1), "broken"), a_judge(fine, "fine"))
    assert len(fine.begun) < 20


def test_a_stop_is_obeyed_between_rows() -> None:
    ledger, line, stop = Ledger(), Line(), Stop()

    def watched() -> Iterator[Example]:
        for example in examples(100):
            if len(ledger.done) >= 10:
                stop.ask("enough")
            yield example

    judged(ledger, watched(), a_judge(line, concurrency=2), stop=stop)
    assert len(ledger.done) == len(line.begun) < 20


def test_pending_judgments_are_not_handed_over_and_whoever_asks_is_told_of_them() -> None:
    class Later:
        async def complete(self, _request: Request) -> Completion:
            raise NotYet

    ledger, left = Ledger(), []
    pool = Pool(ledger, stop=Stop(), repeat=1, left=lambda position, slot: left.append((position, slot.example_id)))
    asyncio.run(pool.run(examples(2), [a_judge(Later())], always))
    assert ledger.done == []
    assert len(left) == 2


def test_whoever_hands_over_waits_while_the_journal_is_full() -> None:
    ledger = Ledger(full=True)
    judged(ledger, examples(5), a_judge(Line(), concurrency=1))
    assert ledger.waited == 1
    assert len(ledger.done) == 5


def test_an_error_of_the_data_ends_the_run() -> None:
    def broken() -> Iterator[Example]:
        yield from examples(5)
        message = "a.jsonl:6: not JSON"
        raise DataError(message)

    with pytest.raises(DataError, match=r"a\.jsonl:6"):
        judged(Ledger(), broken(), a_judge(Line()))


def test_an_error_of_the_disk_ends_the_run() -> None:
    with pytest.raises(StorageError, match="full"):
        judged(Ledger(error=StorageError("the disk is full")), examples(50), a_judge(Line()))
