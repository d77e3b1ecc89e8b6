"""A run read in order, by anybody, while it is written or long after."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gavelkit.core.answer import with_answers
from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.example import Example
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.protocols import Entry
from gavelkit.core.slot import Slot
from gavelkit.storage.codec import (
    CALL_COLUMNS,
    CALL_WIDTH,
    STEP,
    Row,
    from_json,
    from_text,
    read_completion,
    read_example,
    read_failure,
    read_grade,
)
from gavelkit.storage.database import open_for_reading, storage_errors
from gavelkit.storage.replies import StoredReplies
from gavelkit.storage.schema import FILE_NAME, JUDGE_BITS, REPEAT_BITS, STATUSES, SUBJECT_BITS, slot_parts
from gavelkit.storage.totals import CallTotals, served_models, totals_of

_ENTRIES = f"""
SELECT judgment.*, example.id, example.line, example.row, {CALL_COLUMNS}
FROM judgment JOIN example ON example.example = judgment.slot >> 30 AND example.removed = 0
LEFT JOIN call ON call.call = judgment.call ORDER BY judgment.slot
"""  # noqa: S608 - constants only
_ENTRIES_AS_IN_DATA = _ENTRIES.replace("ORDER BY judgment.slot", "ORDER BY example.line, judgment.slot")
_OUT_OF_ORDER = """
SELECT 1 FROM (SELECT line, LAG(line) OVER (ORDER BY example) AS before FROM example WHERE removed=0)
WHERE line < before LIMIT 1
"""
_OF = f"(slot >> {SUBJECT_BITS + REPEAT_BITS}) & {(1 << JUDGE_BITS) - 1} IN (SELECT value FROM json_each(?1))"  # noqa: S608 - constants only
_OUTCOMES = f"""
SELECT slot, status, score, failure, position_bias, example.id,
       CASE WHEN {_OF} THEN grade END, CASE WHEN {_OF} THEN parts END
FROM judgment JOIN example ON example.example = judgment.slot >> 30 AND example.removed = 0 ORDER BY slot
"""  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """A judge as the record describes it."""

    name: str
    model: str
    preset: str
    criterion: Criterion
    threshold: float | None
    max_error_rate: float
    asks: Mapping[str, Any]
    reads: Mapping[str, Any]

    @property
    def compares(self) -> bool:
        """Whether it is a judge of contests between two systems."""
        return bool(self.asks.get("way") == "pairwise")

    def passes(self, score: float | None) -> bool | None:
        """Whether a score passes by the threshold of the last start, None where there is nothing to compare."""
        return self.criterion.passed(score, self.threshold)


class RunReader:
    """Implements `Records`. Reads in one transaction a call, so a running writer disturbs nothing."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        with storage_errors(path):
            self.meta: Mapping[str, Any] = {
                n: from_json(t) for n, t in connection.execute("SELECT name, value FROM meta")
            }
            self._judges = {
                number: _judge(name, from_json(spec)) for number, name, spec in self._rows("judge, name, spec", "judge")
            }
            self._subjects = {n: tuple(from_json(text)) for n, text in self._rows("subject, systems", "subject")}

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self._path.parent

    @property
    def judges(self) -> tuple[JudgeRow, ...]:
        """The judges of the last start, in its order."""
        by_name = {judge.name: judge for judge in self._judges.values()}
        return tuple(by_name[name] for name in self.meta.get("judges", ()) if name in by_name)

    def entries(self, *, as_in_data: bool = False) -> Iterator[Entry]:
        """Every judgment of the present rows and judges, ordered by example, judge, system and repeat.

        Examples come in the order in which the record met them, or `as_in_data`, where rows may have moved since.
        """
        judges = self._current
        query = _ENTRIES_AS_IN_DATA if as_in_data and self._moved else _ENTRIES
        source = str(self.meta.get("data", ""))
        example: Example | None = None
        at = -1
        with storage_errors(self._path):
            for row in self._connection.execute(query):
                position, judge, subject, repeat = slot_parts(row[0])
                if judge not in judges or repeat >= self._repeats:
                    continue
                if example is None or position != at:
                    example = read_example(from_text(row[10]), row[12], line=row[11], source=source)
                    at = position
                slot = Slot(judges[judge].name, example.id, self._subjects[subject], repeat)
                judgment = self._judgment(slot, row, judges[judge])
                yield Entry(judgment, with_answers(example, judgment.steps))

    def outcomes(self, *, grades_of: Collection[str] = ()) -> Iterator[Judgment]:
        """Every such judgment without its words: slot, status, score, passed, position bias and the failure's kind.

        Those of the judges in `grades_of` come with their grades, without the explanations.
        """
        judges = self._current
        graded = json.dumps([number for number, judge in judges.items() if judge.name in grades_of])
        with storage_errors(self._path):
            for number, status, score, failure, bias, identifier, grade, parts in self._connection.execute(
                _OUTCOMES, (graded,)
            ):
                _, judge, subject, repeat = slot_parts(number)
                if judge in judges and repeat < self._repeats:
                    yield Judgment(
                        Slot(judges[judge].name, from_text(identifier), self._subjects[subject], repeat),
                        STATUSES[status],
                        score,
                        grade=read_grade(grade, None, parts, ()),
                        failure=read_failure(failure, ()),
                        passed=judges[judge].passes(score),
                        position_bias=None if bias is None else bool(bias),
                    )

    def examples(self) -> Iterator[Example]:
        """Every present row, as the record keeps it, in order."""
        source = str(self.meta.get("data", ""))
        query = "SELECT id, row, line FROM example WHERE removed=0 ORDER BY example"
        with storage_errors(self._path):
            for identifier, row, line in self._connection.execute(query):
                yield read_example(from_text(identifier), row, line=line, source=source)

    def replies(self) -> StoredReplies:
        """Every reply the run holds, by the key of its request."""
        with storage_errors(self._path):
            return StoredReplies(self._connection)

    def key(self, call: int) -> bytes | None:
        """The key of a call's request."""
        with storage_errors(self._path):
            row = self._connection.execute("SELECT key FROM call WHERE call=?", (call,)).fetchone()
        return None if row is None else bytes(row[0])

    def totals(self) -> Mapping[str, CallTotals]:
        """What each judge's calls came to, by its name."""
        with storage_errors(self._path):
            found = totals_of(self._connection)
        return {judge.name: found.get(number, CallTotals()) for number, judge in self._judges.items()}

    def served_models(self) -> Mapping[str, Mapping[str, int]]:
        """How many replies each model gave, by the judge's name."""
        with storage_errors(self._path):
            found = served_models(self._connection)
        return {judge.name: found.get(number, {}) for number, judge in self._judges.items()}

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _rows(self, columns: str, table: str) -> Iterator[Row]:
        return self._connection.execute(f"SELECT {columns} FROM {table}")  # noqa: S608 - constants only

    @property
    def _moved(self) -> bool:
        with storage_errors(self._path):
            return self._connection.execute(_OUT_OF_ORDER).fetchone() is not None

    @property
    def _current(self) -> Mapping[int, JudgeRow]:
        """The judges of the last start, by number."""
        names = set(self.meta.get("judges", ()))
        return {number: judge for number, judge in self._judges.items() if judge.name in names}

    @property
    def _repeats(self) -> int:
        """How often the last start judged each response; what an earlier one judged beyond that is not shown."""
        return int(self.meta.get("repeat", 1 << REPEAT_BITS))

    def _judgment(self, slot: Slot, row: Row, judge: JudgeRow) -> Judgment:
        _, status, score, bias, grade, explanation, parts, failure, call, steps = row[:10]
        completions = self._completions(call, steps, row[13 : 13 + CALL_WIDTH])
        replies = [step.completion.text for step in completions]
        return Judgment(
            slot=slot,
            status=STATUSES[status],
            score=score,
            grade=read_grade(grade, explanation, parts, replies),
            failure=read_failure(failure, replies),
            passed=judge.passes(score),
            position_bias=None if bias is None else bool(bias),
            steps=completions,
        )

    def _completions(self, call: int | None, steps: str | None, row: Row) -> tuple[Step, ...]:
        if call is None:
            return ()
        last = read_completion(row)
        if steps is None:
            return (Step(STEP, last),)
        named = from_json(steps)
        others = [number for _, number in named if number != call]
        found = {call: last}
        if others:
            query = f"SELECT {CALL_COLUMNS} FROM call WHERE call IN ({','.join('?' * len(others))})"  # noqa: S608 - constants and marks
            found |= {each[0]: read_completion(each) for each in self._connection.execute(query, others)}
        return tuple(Step(name, found[number]) for name, number in named)


def open_reader(folder: Path) -> RunReader:
    """The run in a folder. Raises StorageError where there is none or it is damaged."""
    path = folder / FILE_NAME
    return RunReader(open_for_reading(path), path)


def _judge(name: str, spec: Mapping[str, Any]) -> JudgeRow:
    about, reads = spec["about"], spec["reads"]
    return JudgeRow(
        name=name,
        model=str(spec["asks"].get("model", "")),
        preset=about["preset"],
        criterion=Criterion(name, _scale(reads), about["higher_is_better"]),
        threshold=about["threshold"],
        max_error_rate=about["max_error_rate"],
        asks=spec["asks"],
        reads=reads,
    )


def _scale(reads: Mapping[str, Any]) -> Range | Options | None:
    if "options" in reads:
        return Options(reads["options"])
    if "scale" in reads:
        low, high = reads["scale"]
        return Range(low, high, clamp=reads["clamp"])
    return None
