"""Connections to a run's database: made, checked and set up in one place."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gavelkit.core.errors import StorageError
from gavelkit.core.event import Noticed, Observe, ignore
from gavelkit.storage.schema import APPLICATION_ID, TABLES, VERSION

_BUSY_SECONDS = 30.0
_FROM_1 = "ALTER TABLE call ADD COLUMN logprobs TEXT"
_LIKE_2 = "CREATE TEMP VIEW call AS SELECT *, NULL AS logprobs FROM main.call"
"""Lies over the table of a file of version 1 that is only read: it is in memory, and the file stays as it is."""


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turns what SQLite and the disk raise into a StorageError that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(_message(path, error)) from error
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise StorageError(message) from error


@contextmanager
def all_or_nothing(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that leaves no trace where anything fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def open_for_writing(path: Path, *, observe: Observe = ignore) -> sqlite3.Connection:
    """The database, made where there is none. Raises StorageError; a file that is not ours stays untouched."""
    with storage_errors(path):
        fresh = not path.exists() or path.stat().st_size == 0
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            if fresh or _is_empty(connection):
                _create(connection)
            else:
                check(connection, path)
                _bring_up_to_date(connection)
            (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
            for pragma in (
                "synchronous=FULL",
                "fullfsync=ON",
                "checkpoint_fullfsync=ON",
                "journal_size_limit=67108864",
            ):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        if mode != "wal":
            message = f"{path}: this disk takes no write-ahead log, so the record is slower; nothing is lost by it"
            observe(Noticed(message))
        return connection


def open_for_reading(path: Path, *, foreign: bool = True) -> sqlite3.Connection:
    """A read-only connection. `foreign`: the file may come from somebody else. Raises StorageError."""
    if not path.exists():
        message = f"{path.parent}: there is no run here ({path.name} is missing)"
        raise StorageError(message)
    with storage_errors(path):
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA cell_size_check=ON")
            if foreign:
                check(connection, path)
                if _version(connection) == 1:
                    connection.execute(_LIKE_2)
        except BaseException:
            connection.close()
            raise
        return connection


def close_writing(connection: sqlite3.Connection, path: Path) -> None:
    """Close, with everything in the one file, so that it can be read where nothing can be written."""
    with storage_errors(path):
        try:
            connection.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.OperationalError:
            pass  # somebody reads: the log beside the file stays until the next writer
        finally:
            connection.close()


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Raises StorageError where the file is not a run of ours that this version can read."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    version = _version(connection)
    if application != APPLICATION_ID:
        message = f"{path}: this is no record of a run; it was left untouched"
        raise StorageError(message)
    if version > VERSION:
        message = (
            f"{path}: written by a newer gavelkit (schema {version}, this one reads {VERSION}); it was left untouched"
        )
        raise StorageError(message)
    strange = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('trigger','view')").fetchone()
    if strange:
        message = f"{path}: holds {strange[0]!r}, which no run writes; it was left untouched"
        raise StorageError(message)


def _is_empty(connection: sqlite3.Connection) -> bool:
    """Whether there is nothing in the file: a kill in the middle of its making leaves it so."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    return bool(application == 0 and tables == 0)


def _create(connection: sqlite3.Connection) -> None:
    script = f"BEGIN IMMEDIATE;{TABLES}PRAGMA application_id={APPLICATION_ID};PRAGMA user_version={VERSION};COMMIT;"
    connection.executescript(script)


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Gives a file of version 1 what later ones have; what it holds stays as it is."""
    if _version(connection) == VERSION:
        return
    with all_or_nothing(connection):
        if _version(connection) == 1:  # still: another process may have been faster
            connection.execute(_FROM_1)
            connection.execute(f"PRAGMA user_version={VERSION}")


def _message(path: Path, error: sqlite3.Error) -> str:
    text = str(error)
    if "full" in text:
        return f"{path}: the disk is full; free some space, and the same command goes on"
    if "not a database" in text or "malformed" in text:
        return f"{path}: damaged, or no record of a run ({text}); it was left untouched"
    if "readonly" in text or "unable to open" in text:
        return f"{path}: cannot be written ({text}); is the folder writable?"
    return f"{path}: {text}"
