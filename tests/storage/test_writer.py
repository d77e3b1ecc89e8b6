"""The one thread that writes: all that is queued in one transaction, in order, and an end that is heard of."""

from __future__ import annotations

import queue
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from gavelkit.core.completion import Completion
from gavelkit.core.errors import StorageError
from gavelkit.core.judgment import Judgment
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.storage.codec import call_row, judgment_row
from gavelkit.storage.database import open_for_writing
from gavelkit.storage.writer import Batch, Writer


class Watched:
    """A writer, what it said, and a commit that waits for leave."""

    def __init__(self, path: Path, *, held_back: bool = False) -> None:
        self.path = path
        self.said: queue.Queue[Any] = queue.Queue()
        self.leave = threading.Event()
        if not held_back:
            self.leave.set()
        connection = open_for_writing(path)
        self.writer = Writer(connection, path, on_commit=self._heard, on_error=self.said.put)

    def _heard(self, batch: Batch) -> None:
        self.said.put(batch)
        self.leave.wait(10)

    def next(self) -> Any:
        return self.said.get(timeout=10)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.path)
        found = connection.execute(query).fetchall()
        connection.close()
        return found


def call(number: int, **more: Any) -> tuple[Any, ...]:
    return call_row(number, b"k", 1, Completion(f"reply {number}", **more))


def verdict(number: int) -> tuple[Any, ...]:
    return judgment_row(number, 7, Judgment(Slot("j", str(number), ("",)), Status.CALL_ERROR))


def test_what_is_told_as_committed_is_on_disk(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "run.db")
    watched.writer.example((0, "1", 1, 1, 1, "[]"))
    watched.writer.judged([verdict(1)], ["one"])
    watched.writer.push()
    assert watched.next().handed == ["one"]
    assert watched.rows("SELECT COUNT(*) FROM example, judgment") == [(1,)]
    watched.writer.close()


def test_all_that_waits_goes_into_one_transaction_statements_first(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "run.db", held_back=True)
    watched.writer.judged([verdict(1)], ["one"])
    watched.writer.push()
    assert watched.next().handed == ["one"]  # and the thread is held back now
    watched.writer.call(call(1))
    watched.writer.judged([verdict(2)], ["two"])
    watched.writer.statement("DELETE FROM judgment", ())
    watched.writer.judged([verdict(3)], ["three"])
    watched.leave.set()
    batch = watched.next()
    assert batch.handed == ["two", "three"]
    assert len(batch.call) == 1
    assert watched.rows("SELECT slot FROM judgment ORDER BY slot") == [(2,), (3,)]
    watched.writer.close()


def test_closing_writes_what_is_queued(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "run.db", held_back=True)
    watched.writer.judged([verdict(1)], ["one"])
    watched.writer.push()
    watched.next()
    watched.writer.statement("INSERT INTO meta VALUES ('a', '1')", ())
    watched.leave.set()
    watched.writer.close()
    assert watched.rows("SELECT * FROM meta") == [("a", "1")]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (call(1)[:-1], "Incorrect number of bindings"),
        (call(1, attempts=2**63), "OverflowError"),
    ],
)
def test_a_failed_commit_is_told_once_and_nothing_of_it_is_written(
    tmp_path: Path, row: tuple[Any, ...], words: str
) -> None:
    watched = Watched(tmp_path / "run.db", held_back=True)
    watched.writer.judged([verdict(1)], ["one"])
    watched.writer.push()
    watched.next()
    watched.writer.judged([verdict(2)], ["two"])
    watched.writer.call(row)
    watched.leave.set()
    error = watched.next()
    assert isinstance(error, StorageError)
    assert words in str(error)
    watched.writer.judged([verdict(3)], ["three"])
    watched.writer.close()
    assert watched.said.empty()
    assert watched.rows("SELECT slot FROM judgment") == [(1,)]
