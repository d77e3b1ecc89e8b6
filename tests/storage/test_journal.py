"""What is held of earlier starts, what a changed row means, and the order in which things reach the disk."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from tests.makers import a_judge, a_request

from gavelkit.core.completion import Completion
from gavelkit.core.errors import DataError, StorageError
from gavelkit.core.event import Committed, Event
from gavelkit.core.example import Example
from gavelkit.core.protocols import Entry
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.storage import RunRecord, open_reader
from gavelkit.storage.schema import MAX_SUBJECTS
from gavelkit.storage.writer import Batch, Writer

from .records import SLOT, a_record, an_example, failed, kept, ok, rows


def slot_of(example: Example, system: str = "", repeat: int = 0) -> Slot:
    return Slot("accuracy", example.id, (system,), repeat)


def judged(folder: Path, *examples: Example, status: Status = Status.OK) -> None:
    """A start that judges these examples and ends."""

    async def main() -> None:
        with a_record(folder) as run:
            for example in examples:
                position = run.journal.begin(example)
                slot = slot_of(example)
                run.journal.judged(position, [ok(slot) if status is Status.OK else failed(slot, status=status)])
            run.journal.note("removed", run.journal.finish_pass())
            await run.journal.settle()

    asyncio.run(main())


def held(folder: Path, *examples: Example, retry_errors: bool = False) -> list[Status | None]:
    async def main() -> list[Status | None]:
        with a_record(folder, retry_errors=retry_errors) as run:
            return [run.journal.held(run.journal.begin(each), slot_of(each)) for each in examples]

    return asyncio.run(main())


def test_a_judged_row_is_held_and_a_new_one_is_not(tmp_path: Path) -> None:
    judged(tmp_path, an_example(1), an_example(2))
    assert held(tmp_path, an_example(1), an_example(2), an_example(3)) == [Status.OK, Status.OK, None]


def test_another_judge_system_or_repeat_is_another_slot(tmp_path: Path) -> None:
    judged(tmp_path, an_example(1))

    async def main() -> None:
        with a_record(tmp_path, a_judge(str), a_judge(str, "tone")) as run:
            position = run.journal.begin(an_example(1))
            assert run.journal.held_count == 1
            assert run.journal.held(position, SLOT) is Status.OK
            assert run.journal.held(position, Slot("tone", "r1", ("",))) is None
            assert run.journal.held(position, Slot("accuracy", "r1", ("b",))) is None
            assert run.journal.held(position, Slot("accuracy", "r1", ("",), 1)) is None

    asyncio.run(main())


@pytest.mark.parametrize(
    ("status", "held_after", "held_when_errors_are_tried_again"),
    [
        (Status.OK, True, True),
        (Status.ABSTAINED, True, True),
        (Status.PARSE_ERROR, True, False),
        (Status.REFUSED, True, False),
        (Status.TRUNCATED, True, False),
        (Status.OUT_OF_RANGE, True, True),
        (Status.INVALID_INPUT, True, True),
        (Status.SKIPPED, True, True),
        (Status.CALL_ERROR, False, False),
        (Status.PENDING, False, False),
    ],
)
def test_what_a_resume_tries_again(
    tmp_path: Path, status: Status, *, held_after: bool, held_when_errors_are_tried_again: bool
) -> None:
    judged(tmp_path, an_example(), status=status)
    assert held(tmp_path, an_example()) == [status if held_after else None]
    assert held(tmp_path, an_example(), retry_errors=True) == [status if held_when_errors_are_tried_again else None]


def test_rows_keep_their_positions_in_whatever_order_they_come(tmp_path: Path) -> None:
    examples = [an_example(number) for number in (3, 1, 2)]
    judged(tmp_path, *examples)
    assert held(tmp_path, *reversed(examples)) == [Status.OK] * 3
    assert rows(tmp_path, "SELECT example, id FROM example") == [(0, "r3"), (1, "r1"), (2, "r2")]


def test_a_row_whose_used_text_changed_is_judged_again(tmp_path: Path) -> None:
    judged(tmp_path, an_example(1), an_example(2))
    changed = an_example(1, response="something else")
    assert held(tmp_path, changed, an_example(2)) == [None, Status.OK]
    judged(tmp_path, changed, an_example(2))
    assert held(tmp_path, changed, an_example(2)) == [Status.OK, Status.OK]
    assert len(rows(tmp_path, "SELECT * FROM judgment")) == 2


def test_a_field_nobody_reads_may_change(tmp_path: Path) -> None:
    judged(tmp_path, an_example(1))
    other = Example("r1", {**an_example(1).fields, "unused": "other"}, an_example(1).responses, line=1)
    assert held(tmp_path, other) == [Status.OK]
    assert "unused" not in str(rows(tmp_path, "SELECT row FROM example"))


def test_the_judgments_of_a_changed_row_are_gone_from_the_disk(tmp_path: Path) -> None:
    judged(tmp_path, an_example(1))

    async def main() -> None:
        with a_record(tmp_path) as run:
            run.journal.begin(an_example(1, response="else"))
            run.journal.note("x", 1)

    asyncio.run(main())
    assert rows(tmp_path, "SELECT * FROM judgment") == []


def test_a_judgment_that_is_withdrawn_is_judged_again_and_gone_from_the_disk(tmp_path: Path) -> None:
    judged(tmp_path, an_example(1))

    async def main() -> None:
        with a_record(tmp_path) as run:
            for example in (an_example(1), an_example(2)):
                run.journal.withdraw(run.journal.begin(example), slot_of(example))
            assert run.journal.held(0, slot_of(an_example(1))) is None

    asyncio.run(main())
    assert rows(tmp_path, "SELECT * FROM judgment") == []


def test_removed_rows_are_left_out_and_come_back_as_they_were(tmp_path: Path) -> None:
    judged(tmp_path, an_example(1), an_example(2))
    judged(tmp_path, an_example(2))
    judged(tmp_path, an_example(2))
    assert [entry.example.id for entry in reading(tmp_path)] == ["r2"]
    assert rows(tmp_path, "SELECT value FROM meta WHERE name='removed'") == [("1",)]
    assert held(tmp_path, an_example(1)) == [Status.OK]
    judged(tmp_path, an_example(1), an_example(2))
    assert [entry.example.id for entry in reading(tmp_path)] == ["r1", "r2"]


def reading(folder: Path) -> list[Entry]:
    reader = open_reader(folder)
    try:
        return list(reader.entries())
    finally:
        reader.close()


def test_a_hole_among_the_rows_harms_nobody(tmp_path: Path) -> None:
    judged(tmp_path, an_example(1), an_example(2))
    with sqlite3.connect(tmp_path / "run.db") as connection:
        connection.execute("DELETE FROM example WHERE example=0")
    connection.close()
    assert held(tmp_path, an_example(1), an_example(2)) == [None, Status.OK]
    judged(tmp_path, an_example(1), an_example(2))
    assert {entry.example.id for entry in reading(tmp_path)} == {"r1", "r2"}


def test_one_id_with_other_systems_is_another_row(tmp_path: Path) -> None:
    async def main() -> list[int]:
        with a_record(tmp_path) as run:
            return [run.journal.begin(each) for each in (an_example(1, a="x"), an_example(1, b="x"))]

    assert asyncio.run(main()) == [0, 1]


def test_an_id_with_a_lone_surrogate_is_kept(tmp_path: Path) -> None:
    odd = Example("r\ud800", {"question": "?"}, {"": "x"}, line=1)
    judged(tmp_path, odd)
    assert held(tmp_path, odd) == [Status.OK]
    (entry,) = reading(tmp_path)
    assert entry.example.id == "r\ud800"


def test_a_judgment_is_never_on_disk_without_its_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[Batch] = []
    commit = Writer._commit

    def watched(self: Writer, batch: Batch) -> None:
        batches.append(batch)
        commit(self, batch)

    monkeypatch.setattr(Writer, "_commit", watched)

    async def main() -> None:
        with a_record(tmp_path, bound=8) as run:
            for number in range(1, 100):
                example = an_example(number)
                position = run.journal.begin(example)
                reply = kept(run, "a", f"prompt {number}")
                await asyncio.sleep(0)
                run.journal.judged(position, [ok(slot_of(example), reply)])
                await run.journal.room()
            await run.journal.settle()

    asyncio.run(main())
    written: set[int] = set()
    for batch in batches:
        written |= {row[0] for row in batch.call}
        assert {row[8] for row in batch.judgment} <= written
    assert len(written) == 99
    assert len(batches) > 1


def test_judgments_are_told_in_the_order_they_were_handed_over(tmp_path: Path) -> None:
    events: list[Event] = []

    async def main() -> None:
        with a_record(tmp_path, observe=events.append) as run:
            for number in range(1, 40):
                example = an_example(number)
                run.journal.judged(run.journal.begin(example), [ok(slot_of(example))])
                if number % 7 == 0:
                    await run.journal.settle()
            await run.journal.settle()

    asyncio.run(main())
    told = [each.slot.example_id for event in events if isinstance(event, Committed) for each in event.judgments]
    assert told == [f"r{number}" for number in range(1, 40)]


def test_room_waits_while_as_many_as_the_bound_are_on_their_way(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path, bound=2) as run:
            examples = [an_example(number) for number in (1, 2)]
            for example in examples:
                assert not run.journal.full
                run.journal.judged(run.journal.begin(example), [ok(slot_of(example))])
            assert run.journal.full
            await run.journal.room()
            assert not run.journal.full

    asyncio.run(main())


def broken(run: RunRecord) -> None:
    """From now on nothing of this run can be written."""
    run.journal.statement("INSERT INTO nowhere VALUES (1)", ())


def test_after_a_failed_commit_everything_raises_and_nobody_waits_for_ever(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path, bound=1) as run:
            broken(run)
            run.journal.judged(run.journal.begin(an_example()), [ok()])
            for wait in (run.journal.room, run.journal.settle, run.journal.room):
                with pytest.raises(StorageError, match="no such table: nowhere"):
                    await wait()
            assert run.journal.full
            with pytest.raises(StorageError):
                run.journal.reply(a_request(), Completion("x"))
            with pytest.raises(StorageError):
                run.journal.judged(0, [ok()])

    asyncio.run(main())
    assert rows(tmp_path, "SELECT * FROM judgment") == []


def test_a_commit_that_fails_without_a_judgment_in_it_is_heard_too(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            broken(run)
            await run.journal.settle()

    with pytest.raises(StorageError, match="no such table: nowhere"):
        asyncio.run(main())


def test_more_systems_than_a_slot_can_tell_apart_are_refused(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            for number in range(MAX_SUBJECTS):
                run.journal._subjects[(f"s{number}",)] = number
            with pytest.raises(DataError, match="at most 16,384 systems"):
                run.journal.judged(0, [ok(Slot("accuracy", "r1", ("one more",)))])

    asyncio.run(main())
