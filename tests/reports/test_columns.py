"""Columns hold their cells, and give the names what room is left."""

from __future__ import annotations

from gavelkit.reports.columns import Columns


def test_numbers_stand_to_the_right_and_names_to_the_left() -> None:
    columns = Columns.of([["mean", "n"], ["7.31", "1,000"]], ["judge", "accuracy"], width=40)
    lines = [*columns.lines("judge", ["mean", "n"]), *columns.lines("accuracy", ["7.31", "1,000"])]
    assert lines == ["judge     mean      n", "accuracy  7.31  1,000"]


def test_a_name_that_is_too_long_has_a_line_of_its_own() -> None:
    columns = Columns.of([["mean"], ["7.31"]], ["judge", "a" * 20], width=16)
    assert list(columns.lines("a" * 20, ["7.31"])) == ["aaaaaaaa…aaaaaaa", "            7.31"]


def test_gaps_are_narrow_where_the_room_is() -> None:
    rows = [["1" * 10] * 3]
    assert Columns.of(rows, ["judge"], width=41).gap == "  "
    assert Columns.of(rows, ["judge"], width=40).gap == " "
    assert Columns.fit(rows, width=38)
    assert not Columns.fit(rows, width=37)
