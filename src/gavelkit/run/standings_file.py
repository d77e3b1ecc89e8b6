"""`standings.jsonl`: where each system stands row by row, a line for each row and pairwise judge.

id         the row's id
judge      the judge's name
systems    by name, the best first: {win_rate, rank, contests, failed}; `contests` are those with a verdict, and
           without one there is neither win rate nor rank
contests   [{systems, repeat, winner, score, position_bias, status}]: `score` is the first system's share; `winner` is
           the name of the system that has more than half, "tie" where `score` is 0.5, null where there is none
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import BinaryIO

from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Entry
from gavelkit.reports.wellformed import plain_json
from gavelkit.stats.contests import EVEN, row_standings

TIE = "tie"


def with_standings(
    entries: Iterable[Entry], judges: Collection[str], file: BinaryIO, *, note: Callable[[bytes], None]
) -> Iterator[Entry]:
    """The same entries, those of an example together; each example's lines are written as it ends, and noted."""

    def write(held: Mapping[str, list[Judgment]]) -> None:
        for judge, judgments in held.items():
            line = standings_line(judge, judgments)
            file.write(line)
            note(line)

    example, held = None, dict[str, list[Judgment]]()
    for entry in entries:
        if entry.example is not example:
            write(held)
            example, held = entry.example, {}
        if entry.judgment.slot.judge in judges:
            held.setdefault(entry.judgment.slot.judge, []).append(entry.judgment)
        yield entry
    write(held)


def standings_line(judge: str, judgments: Iterable[Judgment]) -> bytes:
    """The line of one example's contests by one judge, ending in a line feed: strict JSON in valid UTF-8."""
    contests = list(judgments)
    systems = {
        each.system: {
            "win_rate": each.win_rate,
            "rank": each.rank,
            "contests": each.contests,
            "failed": each.failed,
        }
        for each in row_standings(contests)
    }
    line = {
        "id": contests[0].slot.example_id,
        "judge": judge,
        "systems": systems,
        "contests": [_contest(each) for each in contests],
    }
    return json.dumps(plain_json(line, as_written=True), ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _contest(judgment: Judgment) -> dict[str, object]:
    return {
        "systems": judgment.slot.systems,
        "repeat": judgment.slot.repeat,
        "winner": _winner(judgment),
        "score": judgment.score,
        "position_bias": judgment.position_bias,
        "status": judgment.status.value,
    }


def _winner(judgment: Judgment) -> str | None:
    one, other = judgment.slot.systems
    if judgment.score is None:
        return None
    if judgment.score == EVEN:
        return TIE
    return one if judgment.score > EVEN else other
