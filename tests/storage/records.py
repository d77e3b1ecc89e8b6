"""A record opened with a judge, and examples, replies and judgments to put there; no test is here."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from tests.makers import a_judge, a_request

from gavelkit.core.completion import Completion
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.protocols import Judge
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.storage import RunRecord

JUDGE = a_judge(str)
SLOT = Slot("accuracy", "r1", ("",))


def a_record(folder: Path, *judges: Judge, **more: Any) -> RunRecord:
    """Open it inside a running loop."""
    given: dict[str, Any] = {"mapping": {}, "bound": 100, "observe": lambda _event: None, **more}
    return RunRecord(folder, judges or (JUDGE,), **given)


def an_example(number: int = 1, response: str | None = None, **responses: str) -> Example:
    answers = responses or {"": f"It is {number}." if response is None else response}
    fields = {"question": f"What is {number}?", "unused": number}
    return Example(f"r{number}", fields, answers, line=number)


def ok(slot: Slot = SLOT, *replies: Completion, score: float = 7.0, grade: Grade | None = None) -> Judgment:
    steps = tuple(Step("judge", reply) for reply in replies)
    return Judgment(slot, Status.OK, score, grade or Grade(score), steps=steps)


def failed(slot: Slot = SLOT, *replies: Completion, status: Status = Status.PARSE_ERROR) -> Judgment:
    kind = FailureKind.TIMEOUT if status is Status.CALL_ERROR else None
    steps = tuple(Step("judge", reply) for reply in replies)
    return Judgment(slot, status, failure=Failure("odd", kind, "raw"), steps=steps)


def kept(run: RunRecord, text: str, prompt: str = "Hello", **more: Any) -> Completion:
    return run.journal.reply(a_request(prompt, **more), Completion(text, finish_reason="stop"))


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(folder / "run.db")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()
