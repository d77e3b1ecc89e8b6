"""How a slot becomes one integer, and that the tables take only what a judgment can be."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.status import Status
from gavelkit.storage.schema import INSERTS, STATUS_CODES, STATUSES, TABLES, slot_number, slot_parts

slots = st.tuples(st.integers(0, 2**33 - 1), st.integers(0, 255), st.integers(0, 2**14 - 1), st.integers(0, 255))


@given(slots)
def test_a_slot_comes_back_from_its_number_and_the_number_fits_sqlite(parts: tuple[int, int, int, int]) -> None:
    number = slot_number(*parts)
    assert slot_parts(number) == parts
    assert 0 <= number < 2**63


@given(slots, slots)
def test_numbers_are_in_the_order_of_their_slots(
    one: tuple[int, int, int, int], two: tuple[int, int, int, int]
) -> None:
    assert (slot_number(*one) < slot_number(*two)) == (one < two)


def test_the_codes_of_the_statuses_never_move() -> None:
    assert [STATUSES[code].value for code in range(10)] == [
        "ok",
        "abstained",
        "parse_error",
        "out_of_range",
        "truncated",
        "refused",
        "invalid_input",
        "call_error",
        "skipped",
        "pending",
    ]
    assert STATUS_CODES[Status.OK] == 0


@pytest.mark.parametrize(("status", "score"), [(0, None), (2, 1.0), (0, float("nan"))])
def test_only_an_ok_judgment_can_have_a_score_and_it_must(status: int, score: float | None) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        connection.execute(INSERTS["judgment"], (1, status, score, *[None] * 7))
    connection.close()
