"""What the calls of a run came to, counted by the database, judge by judge."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

from tests.makers import a_judge, a_request

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.message import Labels
from gavelkit.storage.totals import CallTotals, served_models, totals_of

from .records import a_record, an_example

ONE, TWO = a_judge(str, "one"), a_judge(str, "two")


def stored(folder: Path, *replies: tuple[str, Completion]) -> dict[str, CallTotals]:
    """Keep these replies to judges, each to a prompt of its own, and open the record once more."""

    async def main() -> dict[str, CallTotals]:
        with a_record(folder, ONE, TWO) as run:
            run.journal.begin(an_example())
            for number, (judge, reply) in enumerate(replies):
                labels = Labels("r1", judge, ("",), "judge")
                run.journal.reply(a_request(f"Prompt {number}", labels=labels), reply)
            await run.journal.settle()
        with a_record(folder, ONE, TWO) as again:
            return dict(again.totals)

    return asyncio.run(main())


def counted(folder: Path, count: Any) -> Any:
    connection = sqlite3.connect(folder / "run.db")
    try:
        return count(connection)
    finally:
        connection.close()


def test_tokens_and_requests_are_added_up_by_judge(tmp_path: Path) -> None:
    totals = stored(
        tmp_path,
        ("one", Completion("a", usage=Usage(10, 2, 4))),
        ("one", Completion("b", usage=Usage(20, 3, 0), attempts=3)),
        ("two", Completion("c", usage=Usage(1, 1, None), attempts=2)),
    )
    assert totals == {"one": CallTotals(2, 30, 5, 4, 0, 4), "two": CallTotals(1, 1, 1, 0, 0, 2)}


def test_a_call_that_says_nothing_of_its_tokens_is_counted_apart_and_adds_what_it_says(tmp_path: Path) -> None:
    totals = stored(
        tmp_path,
        ("one", Completion("a", usage=Usage(10, 2))),
        ("one", Completion("b")),
        ("one", Completion("c", usage=Usage(5, None))),
    )
    assert totals["one"] == CallTotals(3, 15, 2, 0, 2, 3)


def test_a_judge_without_a_call_has_nothing(tmp_path: Path) -> None:
    assert stored(tmp_path) == {"one": CallTotals(), "two": CallTotals()}
    assert counted(tmp_path, totals_of) == {}


def test_the_models_that_answered_are_counted_by_judge_and_those_that_said_no_name_are_left_out(
    tmp_path: Path,
) -> None:
    stored(
        tmp_path,
        ("one", Completion("a", served_model="m-1")),
        ("one", Completion("b", served_model="m-2")),
        ("one", Completion("c", served_model="m-2")),
        ("two", Completion("d")),
    )
    ((_, served),) = counted(tmp_path, served_models).items()
    assert served == {"m-1": 1, "m-2": 2}
