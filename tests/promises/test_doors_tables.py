"""The tables of the doors' pages: each row is tested or says why not, and each test that is named exists."""

from __future__ import annotations

import pytest
from tests.promises.tables import NAMED_TEST, REASON, Table, written_tests

SIZES = [
    (Table("What NeMo Evaluator's judge page promises, and the test of each"), 40),
    (Table("What context-bench's judge page promises, and the test of each"), 60),
    (Table("What eval_harness's judge page promises, and the test of each"), 35),
    (Table("What unitxt's judge page promises, and the test of each"), 90),
]
TABLES = [table for table, _ in SIZES]
one_by_one = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.section.split("'")[0])


@pytest.mark.parametrize(("table", "least"), SIZES)
def test_the_rows_are_numbered_and_have_three_cells(table: Table, least: int) -> None:
    assert [int(row[0]) for row in table.rows] == list(range(1, len(table.rows) + 1))
    assert {len(row) for row in table.rows} == {3}
    assert len({row[1] for row in table.rows}) == len(table.rows) > least


@one_by_one
def test_every_promise_has_a_test_or_says_how_it_differs_and_why(table: Table) -> None:
    assert [row[0] for row in table.rows if not (NAMED_TEST.search(row[2]) or REASON.search(row[2]))] == []


@one_by_one
def test_a_cell_holds_nothing_but_tests_and_one_reason(table: Table) -> None:
    for number, _promise, cell in table.rows:
        rest = NAMED_TEST.sub("", cell).strip(", ;")
        assert not rest or REASON.match(rest), f"row {number}: {rest}"


@one_by_one
def test_every_test_that_is_named_exists(table: Table) -> None:
    named = {found for row in table.rows for found in NAMED_TEST.findall(row[-1])}
    assert [name for file, name in named if name not in written_tests(file)] == []
