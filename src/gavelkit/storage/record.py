"""A run's folder, open for one writer: its lock, its database, its replies and its journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Observe
from gavelkit.core.example import Uses
from gavelkit.core.identity import differences
from gavelkit.core.protocols import Judge
from gavelkit.core.status import RETRIED_ON_REQUEST, RETRIED_ON_RESUME
from gavelkit.storage.codec import from_json, to_json
from gavelkit.storage.database import all_or_nothing, close_writing, open_for_reading, open_for_writing, storage_errors
from gavelkit.storage.journal import RunJournal
from gavelkit.storage.lock import RunLock
from gavelkit.storage.replies import StoredReplies, calls_of
from gavelkit.storage.schema import FILE_NAME, STATUS_CODES
from gavelkit.storage.totals import CallTotals, totals_of

MAX_JUDGES = 255


class RunRecord:
    """Open it inside a running event loop, and close it there.

    Opening makes the folder where there is none. Raises StorageError or RunHeld, and ConfigError where the folder
    holds a run that asked something else.
    """

    def __init__(
        self,
        folder: Path,
        judges: Sequence[Judge],
        *,
        mapping: Mapping[str, Any],
        bound: int,
        observe: Observe,
        retry_errors: bool = False,
        forget: bool = True,
    ) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        self._lock = RunLock(folder)
        try:
            self._open(judges, mapping=mapping, bound=bound, observe=observe, retry_errors=retry_errors)
            if forget:
                self.journal.forget(RETRIED_ON_RESUME | (RETRIED_ON_REQUEST if retry_errors else frozenset()))
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_again(self, judges: Sequence[Judge]) -> None:
        """From now on the record's judgments are as these judges read."""
        for judge in judges:
            self.journal.statement("UPDATE judge SET reads=? WHERE name=?", (judge.reads.hash, judge.name))
        self.journal.note("reread", sorted(judge.name for judge in judges))

    def close(self) -> None:
        """Write what is queued, then let the next writer in."""
        try:
            self._reading.close()
            self.journal.close()  # last, so that it empties the write-ahead log into the database
        finally:
            self._lock.release()

    def _open(
        self, judges: Sequence[Judge], *, mapping: Mapping[str, Any], bound: int, observe: Observe, retry_errors: bool
    ) -> None:
        with ExitStack() as opened:
            writing = open_for_writing(self.path, observe=observe)
            opened.callback(close_writing, writing, self.path)
            self._reading = open_for_reading(self.path, foreign=False)
            opened.callback(self._reading.close)
            # What a refused or damaged run was about to be told is not written.
            with storage_errors(self.path), all_or_nothing(writing):
                self.meta = {name: from_json(text) for name, text in writing.execute("SELECT name, value FROM meta")}
                self._refuse_other(mapping)
                numbers, self.reread = _register(writing, judges)
                self._keep({"map": dict(mapping), "judges": [judge.name for judge in judges]}, writing)
                again = [STATUS_CODES[status] for status in RETRIED_ON_REQUEST] if retry_errors else []
                spent = totals_of(writing)
                self.totals = {name: spent.get(number, CallTotals()) for name, number in numbers.items()}
                self.replies = StoredReplies(self._reading, without=calls_of(self._reading, again))
                uses = Uses()
                for judge in judges:
                    uses = uses | judge.uses
                self.journal = RunJournal(
                    writing, self.path, judges=numbers, replies=self.replies, uses=uses, bound=bound, observe=observe
                )
            opened.pop_all()

    def _refuse_other(self, mapping: Mapping[str, Any]) -> None:
        recorded = self.meta.get("map")
        if recorded is not None and recorded != dict(mapping):
            changes = "\n  ".join(differences(recorded, dict(mapping)))
            message = (
                f"{self.folder}: this run read its rows by another map; use --new-run or another folder\n  {changes}"
            )
            raise ConfigError(message)

    def _keep(self, facts: Mapping[str, Any], writing: Any) -> None:
        for name, value in facts.items():
            writing.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (name, to_json(value)))


def _register(writing: Any, judges: Sequence[Judge]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Each judge's number, and the names of those that read replies in another way than recorded."""
    known = {
        name: (number, asks, reads, spec)
        for number, name, asks, reads, spec in writing.execute("SELECT judge, name, asks, reads, spec FROM judge")
    }
    numbers, reread = {}, []
    for judge in judges:
        spec = to_json({"asks": judge.asks.material, "reads": judge.reads.material, "about": _about(judge)})
        if judge.name in known:
            number, asks, reads, recorded = known[judge.name]
            if asks != judge.asks.hash:
                raise ConfigError(_other_question(judge, from_json(recorded)["asks"]))
            if reads != judge.reads.hash:
                reread.append(judge.name)
        else:
            number = max((each[0] for each in known.values()), default=0) + 1
            if number > MAX_JUDGES:
                message = f"a run holds at most {MAX_JUDGES} judges"
                raise ConfigError(message)
            known[judge.name] = (number, "", "", "")
        numbers[judge.name] = number
        reads_kept = known[judge.name][2] if judge.name in reread else judge.reads.hash
        writing.execute(
            "INSERT OR REPLACE INTO judge VALUES (?,?,?,?,?)", (number, judge.name, judge.asks.hash, reads_kept, spec)
        )
    return numbers, tuple(reread)


def _about(judge: Judge) -> dict[str, Any]:
    """What a report shows of a judge beside its identity."""
    return {
        "preset": judge.preset,
        "threshold": judge.threshold,
        "higher_is_better": judge.criterion.higher_is_better,
        "max_error_rate": judge.limits.max_error_rate,
    }


def _other_question(judge: Judge, recorded: Mapping[str, Any]) -> str:
    changes = "\n  ".join(differences(recorded, judge.asks.material))
    return (
        f"judge {judge.name!r} asks something else than this run recorded; "
        f"use --new-run, another folder, or another name for the judge\n  {changes}"
    )
