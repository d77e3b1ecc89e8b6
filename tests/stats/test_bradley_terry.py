"""Strengths are the published ones, a slow plain twin's, or none with the reason."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gavelkit.stats.bradley_terry import bradley_terry, settled, shown, strengths, strengths_of, undetermined
from gavelkit.stats.ratings import Contest

TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
BASEBALL = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
"""The American League's Eastern Division in 1987 (Agresti): wins of the row over the column."""

SHARES = st.sampled_from([0.0, 0.5, 1.0])
CONTESTS = st.lists(
    st.tuples(st.sampled_from("ABCD"), st.sampled_from("ABCD"), SHARES).filter(lambda each: each[0] != each[1]),
    min_size=4,
    max_size=30,
)


def twin(names: list[str], wins: dict[tuple[str, str], float], rounds: int = 20_000) -> dict[str, float]:
    """The same by loops over the definition."""
    found = dict.fromkeys(names, 1.0)
    for _ in range(rounds):
        after = {}
        for one in names:
            games = {other: wins.get((one, other), 0) + wins.get((other, one), 0) for other in names if other != one}
            won = sum(wins.get((one, other), 0) for other in games)
            after[one] = won / sum(games[other] / (found[one] + found[other]) for other in games)
        whole = sum(after.values())
        after = {name: each / whole for name, each in after.items()}
        if max(abs(after[name] - found[name]) for name in names) < 1e-15:
            return after
        found = after
    return found


def test_the_published_strengths_of_baseball_teams_come_out() -> None:
    found = strengths_of(TEAMS, np.array(BASEBALL, float)).values
    logs = [math.log(found[team] / found["Baltimore"]) for team in TEAMS]
    assert [round(each, 3) for each in logs] == [1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0]


def test_a_tie_is_half_a_win_of_each() -> None:
    """W = 3, L = 1, T = 2: ln(4/2) = 0.693147, where Davidson's model for ties has ln 3."""
    contests = [("A", "B", 1.0)] * 3 + [("A", "B", 0.0)] + [("B", "A", 0.5)] * 2
    found = strengths(contests).values
    assert math.log(found["A"] / found["B"]) == pytest.approx(0.693147, abs=5e-7)


def test_a_hundred_points_are_0_64() -> None:
    found = strengths_of(["A", "B"], np.array([[0, 640065.0], [359935, 0]])).shown
    assert found["A"] - found["B"] == pytest.approx(100, abs=1e-3)
    assert found["A"] + found["B"] == pytest.approx(2000)
    assert shown(np.array([[0.1, 1.0]])).tolist()[0] == pytest.approx([800, 1200])


@settings(max_examples=30)
@given(CONTESTS)
def test_strengths_agree_with_the_slow_twin(contests: list[Contest]) -> None:
    found = strengths(contests)
    assume(not found.reason)
    wins: dict[tuple[str, str], float] = {}
    for one, other, share in contests:
        wins[one, other] = wins.get((one, other), 0) + share
        wins[other, one] = wins.get((other, one), 0) + 1 - share
    assert found.values == pytest.approx(twin(sorted(found.values), wins), rel=1e-8)
    assert sum(found.values.values()) == pytest.approx(1)


@settings(max_examples=30)
@given(CONTESTS, st.randoms())
def test_order_and_sides_change_nothing(contests: list[Contest], shuffler: object) -> None:
    turned = [(other, one, 1 - share) for one, other, share in reversed(contests)]
    assert strengths(contests).values == pytest.approx(strengths(turned).values)
    assert strengths(contests).reason == strengths(turned).reason


@settings(max_examples=60)
@given(CONTESTS)
def test_strengths_exist_just_where_no_group_wins_everything(contests: list[Contest]) -> None:
    """Ford's condition: however the systems are parted in two, each part won something from the other."""
    names = sorted({name for one, other, _ in contests for name in (one, other)})
    beats = {(one, other) for one, other, share in contests if share > 0}
    beats |= {(other, one) for one, other, share in contests if share < 1}
    parts = [set(part) for size in range(1, len(names)) for part in combinations(names, size)]
    ford = all(any(one in part and other not in part for one, other in beats) for part in parts)
    assert (not strengths(contests).reason) == ford


def test_many_tables_are_solved_as_each_alone() -> None:
    tables = np.random.default_rng(1).integers(1, 9, (20, 4, 4)).astype(float)
    tables[:, range(4), range(4)] = 0
    alone = [bradley_terry(table[np.newaxis])[0].tolist() for table in tables]
    assert bradley_terry(tables).tolist() == alone
    tables[3, 2] = 0
    assert settled(tables).tolist() == [place != 3 for place in range(20)]


@pytest.mark.parametrize(
    ("contests", "reason"),
    [
        ([("A", "B", 1.0), ("B", "C", 1.0), ("C", "B", 1.0)], "no finite strength: A never lost"),
        ([("A", "B", 1.0), ("B", "A", 1.0), ("B", "C", 1.0)], "no finite strength: C never won"),
        ([("A", "B", 1.0), ("B", "C", 1.0)], "no finite strength: A never lost and C never won"),
        (
            [("A", "D", 1.0), ("B", "D", 1.0), ("C", "D", 1.0)],
            "no finite strength: A never lost, B never lost, C never lost and D never won",
        ),
        (
            [("A", "B", 0.5), ("C", "D", 0.5), ("A", "C", 1.0), ("B", "D", 1.0)],
            "no finite strength: {A, B} never lost to another",
        ),
        ([("A", "B", 0.5), ("C", "D", 1.0)], "the contests fall into groups that never met: {A, B} and {C, D}"),
        ([], "there is no contest with a verdict"),
    ],
)
def test_where_there_are_no_strengths_the_reason_names_who(contests: list[Contest], reason: str) -> None:
    for order in permutations(contests):
        assert strengths(order).reason == reason
        assert strengths(order).values == {}


def test_ties_alone_make_all_equal() -> None:
    found = strengths([("A", "B", 0.5), ("B", "C", 0.5)])
    assert found.shown == pytest.approx({"A": 1000, "B": 1000, "C": 1000})
    assert undetermined(["A", "B"], np.array([[0, 0.5], [0.5, 0]])) == ""
