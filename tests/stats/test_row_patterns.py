"""Examples that came out alike are counted, whatever their order."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.makers import a_contest

from gavelkit.core.errors import GavelError
from gavelkit.core.judgment import Judgment
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.stats.row_patterns import Meeting, RowPatterns, counted, meetings, outcome


def test_examples_alike_are_one_pattern() -> None:
    patterns = RowPatterns()
    for number, readings in enumerate(["A", "B", "A", ""]):
        patterns.add(a_contest(str(number), readings=readings))
    found = patterns.patterns()
    assert found.meetings == [
        Meeting("A", "B", None, 0, 1),
        Meeting("A", "B", Fraction(0), 1, 0),
        Meeting("A", "B", Fraction(1), 1, 0),
    ]
    assert (found.rows, found.examples) == ([((0,), 1), ((1,), 1), ((2,), 2)], 4)


def test_a_meeting_is_the_same_whoever_is_named_first() -> None:
    assert meetings([("B", "A", 1.0)]) == meetings([("A", "B", 0.0)]) == (Meeting("A", "B", Fraction(0), 1, 0),)


def test_repeats_are_averaged_and_the_failed_among_them_bounded() -> None:
    (met,) = meetings([("A", "B", 1.0), ("A", "B", 0.5), ("A", "B", None), ("A", "B", 1.0)])
    assert met == Meeting("A", "B", Fraction(5, 6), 3, 1)
    assert met.shares("A") == (Fraction(5, 6), Fraction(5, 8), Fraction(7, 8))
    assert met.shares("B") == (Fraction(1, 6), Fraction(1, 8), Fraction(3, 8))
    assert Meeting("A", "B", None, 0, 2).shares("B") == (None, Fraction(0), Fraction(1))


def test_counted_rows_are_those_that_were_seen() -> None:
    patterns = RowPatterns()
    for number in range(3):
        patterns.add(a_contest(str(number), ("B", "A"), "A"))
        patterns.add(a_contest(str(number), ("A", "C"), "t"))
    row = meetings([("A", "C", 0.5), ("A", "B", 0.0)])
    assert patterns.patterns() == counted([(row, 1), (row, 2)])


@pytest.mark.parametrize("status", [Status.ABSTAINED, Status.SKIPPED, Status.PENDING])
def test_what_was_not_decided_counts_for_nothing(status: Status) -> None:
    patterns = RowPatterns()
    patterns.add(Judgment(Slot("arena", "1", ("A", "B")), status))
    assert patterns.patterns().rows == []


@pytest.mark.parametrize("systems", [(), ("A",), ("A", "A"), ("A", "B", "C")])
def test_what_is_no_contest_is_refused(systems: tuple[str, ...]) -> None:
    with pytest.raises(GavelError, match=r"between two systems, not .*\(row r1\)"):
        outcome(Judgment(Slot("arena", "r1", systems), Status.PENDING))


def test_a_score_that_is_no_share_is_refused() -> None:
    with pytest.raises(GavelError, match="from 0 to 1, not 7"):
        outcome(Judgment(Slot("arena", "r1", ("A", "B")), Status.OK, 7.0))


@settings(max_examples=30)
@given(
    st.lists(st.dictionaries(st.sampled_from(["AB", "AC", "CB"]), st.sampled_from(["A", "B", "t", ""])), max_size=12),
    st.randoms(),
)
def test_neither_the_order_of_examples_nor_within_one_matters(
    rows: list[dict[str, str]], shuffler: random.Random
) -> None:
    def patterns(*, shuffled: bool) -> object:
        found, examples = RowPatterns(), list(enumerate(rows))
        if shuffled:
            shuffler.shuffle(examples)
        for number, row in examples:
            contests = list(row.items())
            if shuffled:
                shuffler.shuffle(contests)
            for pair, readings in contests:
                found.add(a_contest(str(number), (pair[0], pair[1]), readings))
        return found.patterns()

    assert patterns(shuffled=False) == patterns(shuffled=True)
