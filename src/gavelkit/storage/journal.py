"""Takes paid replies and judgments while a run goes on, and says when they are on disk."""

from __future__ import annotations

import asyncio
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gavelkit.core.completion import Completion
from gavelkit.core.errors import DataError, StorageError
from gavelkit.core.event import Committed, Observe
from gavelkit.core.example import Example, Uses
from gavelkit.core.hash_index import HashIndex
from gavelkit.core.identity import short_hash
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Request
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.storage.codec import call_row, example_row, from_json, judgment_row, to_json, to_text
from gavelkit.storage.replies import StoredReplies
from gavelkit.storage.schema import MAX_SUBJECTS, POSITION_SHIFT, STATUS_CODES, STATUSES, slot_number
from gavelkit.storage.writer import Batch, Writer


class RunJournal:
    """Implements `Journal`. Lives on one event loop; the writer's thread reports back to it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        judges: dict[str, int],
        replies: StoredReplies,
        uses: Uses,
        bound: int,
        observe: Observe,
    ) -> None:
        self._judges = judges
        self._replies = replies
        self._uses = uses
        self._bound = bound
        self._observe = observe
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._error: StorageError | None = None
        self._backlog = 0
        self._pushing = False
        self._positions = HashIndex()
        self._contents = array("q")
        self._lines = array("q")
        self._seen = bytearray()
        self._removed: set[int] = set()
        self._held = HashIndex()
        self._subjects = {tuple(s): n for n, s in _subjects(connection)}
        self._load(connection)
        self._writer = Writer(connection, path, on_commit=self._from_writer, on_error=self._failed_in_writer)

    @property
    def held_count(self) -> int:
        """How many judgments of earlier starts stand."""
        return len(self._held)

    @property
    def full(self) -> bool:
        """Whether whoever hands over more should wait for `room` first."""
        return self._behind >= self._bound or self._error is not None

    @property
    def _behind(self) -> int:
        """Replies or judgments, whichever are more, that are not yet on disk."""
        return max(self._backlog, self._replies.waiting)

    def begin(self, example: Example) -> int:
        """The example's position in the record, where its used part is kept; the same id keeps its position."""
        row = example_row(example.only(self._uses))
        content = short_hash(row)
        identity = short_hash("\0".join((example.id, *example.responses)))
        position = self._positions.get(identity) if self._contents else None
        if position is None:
            position = self._next
            self._next += 1
            if self._contents:  # a start that reads stored replies again goes over its rows twice
                self._positions.put(identity, position)
        elif position >= len(self._contents):
            return position
        else:
            self._seen[position] = 1
            if self._contents[position] == content and position not in self._removed:
                if self._lines[position] != example.line:
                    self.statement("UPDATE example SET line=? WHERE example=?", (example.line, position))
                return position
            self._renew(position, content)
        self._writer.example((position, to_text(example.id), identity, content, example.line, row))
        return position

    def held(self, position: int, slot: Slot) -> Status | None:
        """The status the record holds for a slot, None where it is to be judged."""
        if position >= len(self._contents):
            return None
        code = self._held.get(self._number(position, slot))
        return None if code is None else STATUSES[code]

    def reply(self, request: Request, completion: Completion) -> Completion:
        """Store a reply; the same completion comes back with its `call` number."""
        self._check()
        number = self._replies.next_call()
        kept = completion.stored(number)
        self._replies.add(request.key, kept)
        self._push_soon()
        self._writer.call(call_row(number, request.key, self._judges.get(request.labels.judge, 0), completion))
        return kept

    def judged(self, position: int, judgments: Sequence[Judgment]) -> None:
        """Store judgments of the example at a position, after their replies."""
        self._check()
        rows = [
            judgment_row(self._number(position, judgment.slot), STATUS_CODES[judgment.status], judgment)
            for judgment in judgments
        ]
        self._backlog += len(judgments)
        self._writer.judged(rows, judgments)
        self._push_soon()

    def withdraw(self, position: int, slot: Slot) -> None:
        """A judgment stands no longer, so that the slot is judged again; nothing where none is held."""
        if self.held(position, slot) is not None:
            number = self._number(position, slot)
            self._held.discard(number)
            self.statement("DELETE FROM judgment WHERE slot=?", (number,))

    def finish_pass(self) -> int:
        """Mark the rows that no longer stand in the data, and return how many there are."""
        gone = [position for position, seen in enumerate(self._seen) if not seen]
        for position in gone:
            if position not in self._removed:
                self._writer.statement("UPDATE example SET removed=1 WHERE example=?", (position,))
        return len(gone)

    async def room(self) -> None:
        """Wait until fewer judgments than the bound are taken and not yet on disk. Raises StorageError."""
        while self._behind >= self._bound:
            await self._next_change()
        self._check()

    async def settle(self) -> None:
        """Wait until everything handed over is on disk. Raises StorageError."""
        while self._writer.push() or self._backlog:
            await self._next_change()
        self._check()

    def note(self, name: str, value: object) -> None:
        """Keep a fact about the run beside its rows."""
        self.statement("INSERT OR REPLACE INTO meta VALUES (?,?)", (name, to_json(value)))

    def statement(self, text: str, values: tuple[Any, ...]) -> None:
        """A change beside the rows, made before those that follow it."""
        self._writer.statement(text, values)

    def close(self) -> None:
        """Write what is queued and let go of the file."""
        self._writer.close()

    def _push_soon(self) -> None:
        """Wake the writer once a turn of the loop: most replies and their judgments come within one."""
        if not self._pushing:
            self._pushing = True
            self._loop.call_soon(self._push)

    def _push(self) -> None:
        self._pushing = False
        self._writer.push()

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    async def _next_change(self) -> None:
        self._check()
        self._changed.clear()
        await self._changed.wait()

    def _number(self, position: int, slot: Slot) -> int:
        subject = self._subjects.get(slot.systems)
        if subject is None:
            if len(self._subjects) == MAX_SUBJECTS:
                message = f"a run holds at most {MAX_SUBJECTS:,} systems, and {slot.systems} would be one more"
                raise DataError(message)
            subject = self._subjects[slot.systems] = len(self._subjects)
            self._writer.statement("INSERT INTO subject VALUES (?,?)", (subject, to_json(slot.systems)))
        return slot_number(position, self._judges[slot.judge], subject, slot.repeat)

    def _renew(self, position: int, content: int) -> None:
        """The row's text changed: what was said of the old text is no longer held."""
        if self._contents[position] != content:
            low, high = position << POSITION_SHIFT, position + 1 << POSITION_SHIFT
            self._writer.statement("DELETE FROM judgment WHERE slot>=? AND slot<?", (low, high))
            for judge in self._judges.values():
                for subject in self._subjects.values():
                    for repeat in range(256):
                        self._held.discard(slot_number(position, judge, subject, repeat))
        self._removed.discard(position)
        self._contents[position] = content

    def _load(self, connection: sqlite3.Connection) -> None:
        """What an earlier start left: rows, and the judgments that stand."""
        for position, identity, content, removed, line in connection.execute(
            "SELECT example, identity, content, removed, line FROM example ORDER BY example"
        ):
            while len(self._contents) < position:  # a row whose commit a kill cut off
                self._contents.append(0)
                self._lines.append(0)
                self._seen.append(1)
            self._positions.put(identity, position)
            self._contents.append(content)
            self._lines.append(line)
            self._seen.append(0)
            if removed:
                self._removed.add(position)
        self._next = len(self._contents)
        for slot, status in connection.execute("SELECT slot, status FROM judgment"):
            self._held.put(slot, status)

    def forget(self, statuses: frozenset[Status]) -> int:
        """Hold no longer what has one of these statuses, so that it is judged again; how many that are."""
        codes = {STATUS_CODES[status] for status in statuses}
        slots = [slot for slot, code in self._held.items() if code in codes]
        for slot in slots:
            self._held.discard(slot)
        return len(slots)

    def _from_writer(self, batch: Batch) -> None:
        self._loop.call_soon_threadsafe(self._committed, batch)

    def _committed(self, batch: Batch) -> None:
        self._backlog -= len(batch.handed)
        self._replies.committed(batch.call)
        self._changed.set()
        if batch.handed:
            self._observe(Committed(tuple(batch.handed)))

    def _failed_in_writer(self, error: StorageError) -> None:
        self._loop.call_soon_threadsafe(self._fail, error)

    def _fail(self, error: StorageError) -> None:
        self._error = error
        self._changed.set()


def _subjects(connection: sqlite3.Connection) -> list[tuple[int, list[str]]]:
    return [(number, from_json(text)) for number, text in connection.execute("SELECT subject, systems FROM subject")]
