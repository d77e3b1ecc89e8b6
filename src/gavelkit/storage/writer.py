"""The one thread that writes: it commits all that is queued as soon as it is idle, and has no timer."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gavelkit.core.errors import StorageError
from gavelkit.storage.database import close_writing, storage_errors
from gavelkit.storage.schema import INSERTS

Row = tuple[Any, ...]


@dataclass(slots=True)
class Batch:
    """What one transaction puts on disk: rows by table, other statements, and what to tell whoever waits."""

    example: list[Row] = field(default_factory=list)
    call: list[Row] = field(default_factory=list)
    judgment: list[Row] = field(default_factory=list)
    statements: list[tuple[str, Row]] = field(default_factory=list)
    handed: list[Any] = field(default_factory=list)


class Writer:
    """Owns the writing connection. What is added is written from the next `push` on; nothing here waits for the disk.

    `on_commit(batch)` and `on_error(error)` are called in the writer's thread. After an error nothing more is
    written.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        on_commit: Callable[[Batch], None],
        on_error: Callable[[StorageError], None],
    ) -> None:
        self._connection = connection
        self._path = path
        self._on_commit = on_commit
        self._on_error = on_error
        self._batch = Batch()
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._waiting = False
        self._writing = False
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="gavelkit-writer", daemon=True)
        self._thread.start()

    def example(self, row: Row) -> None:
        """An example's row, written with whatever comes next."""
        with self._lock:
            self._batch.example.append(row)

    def statement(self, text: str, values: Row) -> None:
        """A statement, run before the rows of its batch."""
        with self._lock:
            self._batch.statements.append((text, values))

    def call(self, row: Row) -> None:
        """A reply's row."""
        with self._lock:
            self._batch.call.append(row)

    def judged(self, rows: Sequence[Row], handed: Sequence[Any]) -> None:
        """Judgments' rows, and what `on_commit` is to be told of."""
        with self._lock:
            self._batch.judgment.extend(rows)
            self._batch.handed.extend(handed)

    def push(self) -> bool:
        """Begin with what is queued; whether anything is still on its way to disk."""
        with self._wake:
            queued = self._queued
            if queued and self._waiting:
                self._waiting = False
                self._wake.notify()
            return queued or self._writing

    def close(self) -> None:
        """Write what is queued, then close the connection."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()
        close_writing(self._connection, self._path)

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            try:
                with storage_errors(self._path):
                    self._commit(batch)
            except StorageError as error:
                self._on_error(error)
                return
            except Exception as error:  # noqa: BLE001 - a value SQLite does not take: whoever waits must hear of it
                message = f"{self._path}: cannot be written: {type(error).__name__}: {error}"
                self._on_error(StorageError(message))
                return
            with self._wake:
                self._writing = False
            self._on_commit(batch)

    @property
    def _queued(self) -> bool:
        """Whether there is anything to write; an example's row alone waits for what comes of it."""
        return bool(self._batch.handed or self._batch.statements or self._batch.call)

    def _next(self) -> Batch | None:
        with self._wake:
            while not self._queued:
                if self._closing:
                    return None
                self._waiting = True
                self._wake.wait()
            batch, self._batch = self._batch, Batch()
            self._writing = True
            return batch

    def _commit(self, batch: Batch) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement, values in batch.statements:
                connection.execute(statement, values)
            for table, rows in (("example", batch.example), ("call", batch.call), ("judgment", batch.judgment)):
                if rows:
                    connection.executemany(INSERTS[table], rows)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
