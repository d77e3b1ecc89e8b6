"""The replies a run holds, found by the key of the request."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence

from gavelkit.core.answer import is_answer
from gavelkit.core.completion import Completion
from gavelkit.core.hash_index import HashIndex
from gavelkit.storage.codec import CALL_COLUMNS, Row, from_json, read_completion, steps_of

_ONE = f"SELECT {CALL_COLUMNS} FROM call WHERE call=?"  # noqa: S608 - a constant


class StoredReplies:
    """Implements `ReplyStore`: 16 bytes a reply in memory, the reply itself on disk, or here until it is there."""

    def __init__(self, connection: sqlite3.Connection, *, without: frozenset[int] = frozenset()) -> None:
        """`without`: numbers of calls that are to be made again."""
        self._connection = connection
        self._index = HashIndex()
        self._waiting: dict[int, tuple[bytes, Completion]] = {}
        self._last = 0
        for call, key in connection.execute("SELECT call, key FROM call ORDER BY call"):
            self._last = call
            if call not in without:
                self._index.put(_short(key), call)

    @property
    def waiting(self) -> int:
        """How many replies are on their way to disk."""
        return len(self._waiting)

    def next_call(self) -> int:
        """A number for the next call."""
        self._last += 1
        return self._last

    def add(self, key: bytes, completion: Completion) -> None:
        """Hold a reply that is on its way to disk."""
        self._index.put(_short(key), completion.call)
        self._waiting[completion.call] = (key, completion)

    def committed(self, rows: Iterable[Row]) -> None:
        """These rows of `call` are on disk."""
        for row in rows:
            self._waiting.pop(row[0], None)

    def find(self, key: bytes) -> Completion | None:
        """The stored reply to the request with this key."""
        call = self._index.get(_short(key))
        if call is None:
            return None
        waiting = self._waiting.get(call)
        if waiting is not None:
            return waiting[1] if waiting[0] == key else None
        row = self._connection.execute(_ONE, (call,)).fetchone()
        return read_completion(row) if row is not None and row[1] == key else None


def calls_of(connection: sqlite3.Connection, statuses: Sequence[int]) -> frozenset[int]:
    """The numbers of the calls whose replies led to these statuses.

    Of several steps it is those that the failure names. Where it names none it is all of them: the one that could
    not be read may belong to either order. What a system answered is none of them: it was read.
    """
    query = "SELECT call, steps, failure FROM judgment WHERE call IS NOT NULL AND status=?"
    found: set[int] = set()
    for status in statuses:
        for call, steps, failure in connection.execute(query, (status,)):
            named = steps_of(failure)
            found |= {call} if steps is None else {number for name, number in from_json(steps) if _led(name, named)}
    return frozenset(found)


def _led(step: str, named: Collection[str]) -> bool:
    return step in named if named else not is_answer(step)


def _short(key: bytes) -> int:
    return int.from_bytes(key[:8], "little", signed=True) or 1
