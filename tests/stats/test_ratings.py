"""Ratings give the published numbers of real contests."""

from __future__ import annotations

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.stats.bradley_terry import strengths
from gavelkit.stats.ratings import (
    Contest,
    Elo,
    Meetings,
    average_win_rates,
    competition_ranks,
    counting,
    elo,
    win_rates,
)

SHARE = Fraction(3, 4)
SHARES = {"left": 1.0, "tie": 0.5, "right": 0.0}
RATINGS: dict[str, Callable[[list[Contest]], object]] = {
    "counting": counting,
    "average_win_rate": average_win_rates,
    "elo": elo,
    "bradley_terry": lambda contests: strengths(contests).values,
}


@pytest.mark.parametrize("name", ["simple", "food"])
@pytest.mark.parametrize("algorithm", RATINGS)
def test_the_published_ratings_come_out(name: str, algorithm: str, shared_data: Path) -> None:
    with (shared_data / f"evalica_{name}.csv").open(encoding="utf-8") as rows:
        contests = [(row["left"], row["right"], SHARES[row["winner"]]) for row in csv.DictReader(rows)]
    with (shared_data / f"evalica_{name}-golden.csv").open(encoding="utf-8") as rows:
        expected = {row["item"]: float(row["score"]) for row in csv.DictReader(rows) if row["algorithm"] == algorithm}
    assert expected
    assert RATINGS[algorithm](contests) == pytest.approx(expected, abs=1e-6)


def test_a_win_rate_counts_half_a_tie() -> None:
    contests = [("A", "B", 1.0), ("A", "B", 0.5), ("C", "A", 1.0)]
    assert win_rates(contests) == {"A": 0.5, "B": 0.25, "C": 1.0}
    assert average_win_rates(contests) == {"A": 0.375, "B": 0.25, "C": 1.0}
    assert counting(contests) == {"A": 1.5, "B": 0.5, "C": 1.0}


def test_a_published_leaderboard_row_comes_out() -> None:
    """AlpacaEval 2, gpt-4-turbo-2024-04-09: 370 wins, 426 losses, 9 draws."""
    contests = [
        ("model", "baseline", share) for share, times in ((1.0, 370), (0.0, 426), (0.5, 9)) for _ in range(times)
    ]
    assert 100 * win_rates(contests)["model"] == pytest.approx(46.52173913, abs=5e-9)


def test_contests_alike_can_be_added_at_once() -> None:
    one_by_one, at_once = Meetings(), Meetings()
    for _ in range(3):
        one_by_one.add("A", "B", share=SHARE)
    at_once.add("A", "B", share=SHARE, times=3)
    assert one_by_one.won == at_once.won
    assert at_once.average_win_rate("A") == 0.75


def test_elo_moves_what_was_not_expected() -> None:
    ratings = Elo(step=32)
    ratings.add("A", "B", share=1.0)
    assert ratings.ratings == {"A": 1016.0, "B": 984.0}
    ratings.add("A", "B", share=1.0)
    assert ratings.ratings["A"] - 1016 == pytest.approx(32 * (1 - 1 / (1 + 10 ** (-32 / 400))))


@given(st.lists(st.tuples(st.sampled_from("ABCD"), st.sampled_from("EFGH"), st.sampled_from([0.0, 0.5, 1.0]))))
def test_whatever_is_won_is_lost(contests: list[Contest]) -> None:
    assert sum(counting(contests).values()) == len(contests)
    ratings = elo(contests)
    assert sum(ratings.values()) == pytest.approx(1000 * len(ratings))


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        ([3, 2, 2, 1], [1, 2, 2, 4]),
        ([0.5, 0.5, 0.5], [1, 1, 1]),
        ([0.1, 0.9], [2, 1]),
        ([1, 3, 3, 2], [4, 1, 1, 3]),
        ([], []),
    ],
)
def test_equal_values_share_a_rank_and_leave_a_gap(values: list[float], ranks: list[int]) -> None:
    assert competition_ranks(values) == ranks


@given(st.lists(st.floats(0, 1), max_size=30))
def test_a_rank_is_one_more_than_the_number_above(values: list[float]) -> None:
    assert competition_ranks(values) == [1 + sum(other > each for other in values) for each in values]
