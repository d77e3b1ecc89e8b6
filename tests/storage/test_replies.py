"""Stored replies, found by the key of the request before and after they are on disk."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.makers import a_request

from gavelkit.core.completion import Completion
from gavelkit.core.event import Committed
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.storage.schema import STATUS_CODES

from .records import SLOT, a_record, an_example, failed, kept, ok, rows


def test_a_reply_is_found_at_once_and_on_every_later_start(tmp_path: Path) -> None:
    async def first() -> None:
        with a_record(tmp_path) as run:
            assert run.replies.find(a_request().key) is None
            kept(run, "Größe\ud800\0")
            found = run.replies.find(a_request().key)
            assert found == Completion("Größe\ud800\0", finish_reason="stop", call=1)

    async def second() -> None:
        with a_record(tmp_path) as run:
            found = run.replies.find(a_request().key)
            assert found == Completion("Größe\ud800\0", finish_reason="stop", call=1, replayed=True)
            assert run.replies.find(a_request("other").key) is None
            assert kept(run, "next", "other").call == 2

    asyncio.run(first())
    asyncio.run(second())


def test_a_reply_on_disk_is_read_from_there(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            position = run.journal.begin(an_example())
            reply = kept(run, "a")
            run.journal.judged(position, [ok(SLOT, reply)])
            await run.journal.settle()
            assert not run.replies._waiting
            found = run.replies.find(a_request().key)
            assert found is not None
            assert found.replayed

    asyncio.run(main())


def test_two_keys_with_one_short_hash_are_told_apart(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            kept(run, "a")
            twin = a_request().key[:8] + bytes(8)
            assert run.replies.find(twin) is None
            position = run.journal.begin(an_example())
            run.journal.judged(position, [ok()])
            await run.journal.settle()
            assert run.replies.find(twin) is None

    asyncio.run(main())


def test_replies_that_led_to_errors_can_be_left_out(tmp_path: Path) -> None:
    async def first() -> None:
        with a_record(tmp_path) as run:
            for number, status in enumerate((Status.PARSE_ERROR, Status.REFUSED, Status.TRUNCATED, Status.OK), start=1):
                example = an_example(number)
                position = run.journal.begin(example)
                reply = kept(run, f"reply {number}", f"prompt {number}")
                slot = Slot("accuracy", example.id, ("",))
                judgment = ok(slot, reply) if status is Status.OK else failed(slot, reply, status=status)
                run.journal.judged(position, [judgment])

    async def later(*, retry_errors: bool) -> list[bool]:
        with a_record(tmp_path, retry_errors=retry_errors) as run:
            return [run.replies.find(a_request(f"prompt {number}").key) is not None for number in range(1, 5)]

    asyncio.run(first())
    assert asyncio.run(later(retry_errors=True)) == [False, False, False, True]
    assert asyncio.run(later(retry_errors=False)) == [True, True, True, True]
    assert len(rows(tmp_path, "SELECT * FROM call")) == 4
    assert [code for (code,) in rows(tmp_path, "SELECT status FROM judgment")] == [
        STATUS_CODES[each] for each in (Status.PARSE_ERROR, Status.REFUSED, Status.TRUNCATED, Status.OK)
    ]


def test_the_newest_reply_to_a_key_counts(tmp_path: Path) -> None:
    async def main() -> None:
        with a_record(tmp_path) as run:
            kept(run, "old")
            kept(run, "new")

    async def later() -> str:
        with a_record(tmp_path) as run:
            found = run.replies.find(a_request().key)
            assert found is not None
            return found.text

    asyncio.run(main())
    assert asyncio.run(later()) == "new"


def test_events_tell_only_of_what_is_on_disk(tmp_path: Path) -> None:
    seen: list[list[tuple[object, ...]]] = []

    def observe(event: object) -> None:
        assert isinstance(event, Committed)
        seen.append(rows(tmp_path, "SELECT judgment.slot FROM judgment JOIN call ON call.call = judgment.call"))

    async def main() -> None:
        with a_record(tmp_path, observe=observe) as run:
            position = run.journal.begin(an_example())
            run.journal.judged(position, [ok(SLOT, kept(run, "a"))])
            await run.journal.settle()

    asyncio.run(main())
    assert [len(each) for each in seen] == [1]
