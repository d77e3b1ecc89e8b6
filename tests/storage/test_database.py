"""Opening a run's file: made where there is none, refused and left alone where it is not ours."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.makers import a_request

from gavelkit.core.completion import Completion, Token
from gavelkit.core.errors import StorageError
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment
from gavelkit.storage import open_reader
from gavelkit.storage.database import close_writing, open_for_reading, open_for_writing, storage_errors
from gavelkit.storage.schema import APPLICATION_ID, VERSION

from .records import SLOT, a_record, an_example, kept, ok, rows

VERSION_1 = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE judge (
  judge INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, asks TEXT NOT NULL, reads TEXT NOT NULL, spec TEXT NOT NULL);
CREATE TABLE subject (subject INTEGER PRIMARY KEY, systems TEXT NOT NULL UNIQUE);
CREATE TABLE example (
  example INTEGER PRIMARY KEY, id TEXT NOT NULL, identity INTEGER NOT NULL, content INTEGER NOT NULL,
  removed INTEGER NOT NULL DEFAULT 0, line INTEGER NOT NULL, row TEXT NOT NULL);
CREATE TABLE call (
  call INTEGER PRIMARY KEY, key BLOB NOT NULL, judge INTEGER NOT NULL, reply TEXT NOT NULL, reasoning TEXT,
  refusal TEXT,
  finish_reason TEXT NOT NULL, served_model TEXT NOT NULL, prompt_tokens INTEGER, completion_tokens INTEGER,
  cached_tokens INTEGER, reasoning_tokens INTEGER, effective TEXT, seconds REAL NOT NULL, requests INTEGER NOT NULL);
CREATE TABLE judgment (
  slot INTEGER PRIMARY KEY, status INTEGER NOT NULL, score REAL, position_bias INTEGER, grade,
  explanation,
  parts TEXT, failure TEXT, call INTEGER, steps TEXT, CHECK ((score IS NULL) = (status <> 0)));
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.db"


def made(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    close_writing(open_for_writing(path), path)


def altered(path: Path, *statements: str) -> bytes:
    """A run's file after somebody else's statements, as bytes."""
    made(path)
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path.read_bytes()


def refusal(path: Path, opened: Callable[[Path], object]) -> str:
    before = path.read_bytes()
    with pytest.raises(StorageError) as caught:
        opened(path)
    assert path.read_bytes() == before
    assert {each.name for each in path.parent.iterdir()} == {"run.db"}
    return str(caught.value)


def test_a_new_file_is_ours_and_survives_a_crash_of_the_machine(path: Path) -> None:
    connection = open_for_writing(path)
    pragmas = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    identity = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    close_writing(connection, path)
    assert pragmas == {"journal_mode": "wal", "synchronous": 2}
    assert identity == [APPLICATION_ID, VERSION]


def test_a_closed_file_stands_alone_so_that_it_can_be_read_anywhere(path: Path) -> None:
    made(path)
    assert [each.name for each in path.parent.iterdir()] == ["run.db"]
    reading = open_for_reading(path)
    assert reading.execute("SELECT COUNT(*) FROM judgment").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reading.execute("DELETE FROM judgment")
    reading.close()


def test_closing_while_somebody_reads_loses_nothing(path: Path) -> None:
    made(path)
    writing = open_for_writing(path)
    reading = open_for_reading(path)
    reading.execute("BEGIN")
    reading.execute("SELECT * FROM meta").fetchall()
    writing.execute("INSERT INTO meta VALUES ('a', '1')")
    writing.execute("PRAGMA busy_timeout=0")
    close_writing(writing, path)
    reading.close()
    again = open_for_writing(path)
    assert again.execute("SELECT value FROM meta").fetchone() == ("1",)
    close_writing(again, path)


@pytest.mark.parametrize("data", [b"", None])
def test_an_empty_or_half_made_file_is_made_whole(path: Path, data: bytes | None) -> None:
    if data is None:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.close()
    else:
        path.write_bytes(data)
    made(path)
    open_for_reading(path).close()


@pytest.mark.parametrize("opened", [open_for_writing, open_for_reading])
@pytest.mark.parametrize("data", [b"words, words, words\n" * 99, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_left_untouched(
    path: Path, data: bytes, opened: Callable[[Path], object]
) -> None:
    path.write_bytes(data)
    assert "damaged, or no record of a run" in refusal(path, opened)


@pytest.mark.parametrize("opened", [open_for_writing, open_for_reading])
def test_somebody_elses_database_is_left_untouched(path: Path, opened: Callable[[Path], object]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    assert refusal(path, opened) == f"{path}: this is no record of a run; it was left untouched"


@pytest.mark.parametrize("opened", [open_for_writing, open_for_reading])
def test_a_newer_run_is_left_untouched(path: Path, opened: Callable[[Path], object]) -> None:
    altered(path, "PRAGMA user_version=999")
    assert f"newer gavelkit (schema 999, this one reads {VERSION})" in refusal(path, opened)


@pytest.mark.parametrize("opened", [open_for_writing, open_for_reading])
@pytest.mark.parametrize(
    "planted",
    ["CREATE TRIGGER odd AFTER INSERT ON meta BEGIN DELETE FROM call; END", "CREATE VIEW odd AS SELECT 1"],
)
def test_a_planted_trigger_or_view_is_left_untouched(
    path: Path, planted: str, opened: Callable[[Path], object]
) -> None:
    altered(path, planted)
    assert "holds 'odd', which no run writes" in refusal(path, opened)


def test_a_file_that_is_read_cannot_be_written_and_runs_nothing_of_its_own(path: Path) -> None:
    open_for_writing(path).close()
    connection = open_for_reading(path)
    assert [connection.execute(f"PRAGMA {each}").fetchone() for each in ("trusted_schema", "cell_size_check")] == [
        (0,),
        (1,),
    ]
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM call")
    connection.close()


def test_reading_where_there_is_no_run_says_so(path: Path) -> None:
    with pytest.raises(StorageError, match=r"there is no run here \(run.db is missing\)"):
        open_for_reading(path)


def test_a_folder_in_the_files_place_is_a_storage_error(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StorageError, match="is the folder writable"):
        open_for_writing(path)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (sqlite3.OperationalError("database or disk is full"), "the disk is full; free some space"),
        (sqlite3.DatabaseError("file is not a database"), "damaged, or no record of a run"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "is the folder writable"),
        (sqlite3.OperationalError("database is locked"), "database is locked"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("odd"), "odd"),
    ],
)
def test_every_error_of_the_disk_names_the_file(path: Path, error: Exception, words: str) -> None:
    with pytest.raises(StorageError, match=words) as caught, storage_errors(path):
        raise error
    assert str(caught.value).startswith(f"{path}: ")


def of_version_1(folder: Path) -> tuple[Path, list[Judgment]]:
    """A run as version 1 wrote it: what this one writes, moved into the older tables."""
    grade, replies = Grade(7.0, "Right."), []

    async def write() -> None:
        with a_record(folder) as run:
            position = run.journal.begin(an_example())
            replies.append(kept(run, "Right.\nScore: 7"))
            run.journal.judged(position, [ok(SLOT, *replies, grade=grade)])

    asyncio.run(write())
    path, old = folder / "run.db", folder / "old.db"
    connection = sqlite3.connect(old)
    connection.executescript(f"{VERSION_1}PRAGMA application_id={APPLICATION_ID};PRAGMA user_version=1;")
    connection.execute("ATTACH ? AS new", (str(path),))
    for table in ("meta", "judge", "subject", "example", "call", "judgment"):
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
        connection.execute(f"INSERT INTO main.{table} SELECT {columns} FROM new.{table}")  # noqa: S608 - our names
    connection.commit()
    connection.close()
    old.replace(path)
    return path, [replace(ok(SLOT, replace(replies[0], replayed=True), grade=grade), passed=None)]


def judgments(folder: Path) -> list[Judgment]:
    reader = open_reader(folder)
    try:
        return [entry.judgment for entry in reader.entries()]
    finally:
        reader.close()


def test_a_run_of_version_1_is_read_and_stays_as_it_is(tmp_path: Path) -> None:
    path, expected = of_version_1(tmp_path)
    before = path.read_bytes()
    path.chmod(0o444)
    assert judgments(tmp_path) == expected
    reader = open_reader(tmp_path)
    assert reader.replies().find(a_request().key) == expected[0].steps[0].completion
    assert reader.totals()["accuracy"].calls == 1
    reader.close()
    assert path.read_bytes() == before


def test_a_run_of_version_1_goes_on_with_what_it_holds_and_keeps_log_probabilities(tmp_path: Path) -> None:
    _, expected = of_version_1(tmp_path)
    told = Completion("Score: 5", finish_reason="stop", logprobs=(Token("5", {"5": -0.5, "4": -1.5}),))

    async def go_on() -> None:
        with a_record(tmp_path) as run:
            found = run.replies.find(a_request().key)
            assert found == expected[0].steps[0].completion
            run.journal.reply(a_request("next"), told)

    asyncio.run(go_on())
    assert judgments(tmp_path) == expected
    reader = open_reader(tmp_path)
    assert reader.replies().find(a_request("next").key) == replace(told, call=2, replayed=True)
    reader.close()
    columns = "SELECT group_concat(name) FROM pragma_table_info('call')"
    assert rows(tmp_path, "PRAGMA user_version") == [(VERSION,)]
    (migrated,) = rows(tmp_path, columns)
    made(tmp_path / "fresh" / "run.db")
    assert rows(tmp_path / "fresh", columns) == [migrated]


def test_a_reader_of_version_1_reads_on_while_the_run_is_brought_up_to_date(tmp_path: Path) -> None:
    path, expected = of_version_1(tmp_path)
    reader = open_reader(tmp_path)
    made(path)
    assert [entry.judgment for entry in reader.entries()] == expected
    reader.close()


def test_a_run_that_cannot_be_brought_up_to_date_stays_of_version_1(tmp_path: Path) -> None:
    path, _ = of_version_1(tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE call ADD COLUMN logprobs TEXT")
    connection.close()
    with pytest.raises(StorageError, match="duplicate column"):
        open_for_writing(path)
    assert rows(tmp_path, "PRAGMA user_version") == [(1,)]
