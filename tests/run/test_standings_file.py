"""`standings.jsonl` has a line for each row and pairwise judge, and writes it as the row ends."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace

from tests.makers import a_contest

from gavelkit.core.example import Example
from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Entry
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.run.standings_file import standings_line, with_standings


def entries(*judgments: Judgment) -> Iterator[Entry]:
    examples: dict[str, Example] = {}
    for each in judgments:
        identifier = each.slot.example_id
        yield Entry(each, examples.setdefault(identifier, Example(identifier, {}, {})))


def test_a_line_says_where_each_system_stands_and_what_each_contest_came_to() -> None:
    contests = [a_contest("1", ("a", "b"), "AA"), a_contest("1", ("a", "c"), "AB"), a_contest("1", ("b", "c"), "")]
    assert json.loads(standings_line("arena", contests)) == {
        "id": "1",
        "judge": "arena",
        "systems": {
            "a": {"win_rate": 0.75, "rank": 1, "contests": 2, "failed": 0},
            "c": {"win_rate": 0.5, "rank": 2, "contests": 1, "failed": 1},
            "b": {"win_rate": 0.0, "rank": 3, "contests": 1, "failed": 1},
        },
        "contests": [
            _contest("a", "b", winner="a", score=1.0, position_bias=False),
            _contest("a", "c", winner="tie", score=0.5, position_bias=True),
            _contest("b", "c", winner=None, score=None, position_bias=None) | {"status": "parse_error"},
        ],
    }


def test_the_winner_has_more_than_half() -> None:
    leaning = replace(a_contest("1", ("a", "b"), "A"), score=0.25)
    assert json.loads(standings_line("arena", [leaning]))["contests"][0]["winner"] == "b"


def test_every_example_has_its_line_and_other_judges_none() -> None:
    single = Judgment(Slot("accuracy", "1", ("a",)), Status.OK, 7.0)
    given = list(
        entries(single, a_contest("1", readings="AA"), a_contest("1", readings="AA", repeat=1), a_contest("2"), single)
    )
    file, noted = io.BytesIO(), list[bytes]()
    assert list(with_standings(given, {"arena"}, file, note=noted.append)) == given
    assert file.getvalue() == b"".join(noted)
    found = [json.loads(line) for line in noted]
    assert [(line["id"], [each["repeat"] for each in line["contests"]]) for line in found] == [
        ("1", [0, 1]),
        ("2", [0]),
    ]


def test_a_line_is_written_before_the_next_example_is_read_further() -> None:
    file = io.BytesIO()
    given = entries(*(a_contest(str(at)) for at in range(3)))
    passing = with_standings(given, {"arena"}, file, note=lambda _line: None)
    seen = [(each.judgment.slot.example_id, file.getvalue().count(b"\n")) for each in passing]
    assert seen == [("0", 0), ("1", 1), ("2", 2)]
    assert file.getvalue().count(b"\n") == 3


def test_any_name_is_strict_json() -> None:
    line = standings_line("arena", [a_contest("1\ud800", ("a\ud800\n", '"b'), "AA")])
    assert line.count(b"\n") == 1
    assert set(json.loads(line)["systems"]) == {"a\ufffd\n", '"b'}


def _contest(one: str, other: str, **found: object) -> dict[str, object]:
    return {"systems": [one, other], "repeat": 0, "status": "ok", **found}
