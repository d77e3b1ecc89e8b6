"""Standings from contests: what each figure rests on, and how a judge that looks at places alone is shown."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.makers import a_contest

from gavelkit.core.interval import Interval
from gavelkit.core.judgment import Judgment
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.stats.contests import ContestTally, contests, row_standings
from gavelkit.stats.interval import wilson

READINGS = st.sampled_from(["A", "B", "t", "AA", "BB", "AB", "BA", "tt", "At", ""])
ROUND = [("A", "B"), ("A", "C"), ("B", "C")]


def arena(*readings: str) -> list[Judgment]:
    """Contests of A and B, one an example."""
    return [a_contest(str(number), readings=each) for number, each in enumerate(readings)]


def test_a_figure_for_each_system_and_for_the_judge() -> None:
    found = contests(arena("AA", "AA", "AB", "BB", "tt", ""), "arena", seed=0)
    first, second = found.standings
    assert (first.system, first.contests, first.wins, first.ties, first.losses, first.failed) == ("A", 5, 2, 2, 1, 1)
    assert (second.system, second.wins, second.ties, second.losses, second.rank) == ("B", 1, 2, 2, 2)
    assert (first.win_rate.value, first.win_rate.n, first.average_win_rate) == (0.6, 5, 0.6)
    assert first.win_rate.interval is not None
    assert first.win_rate.interval.method == "BCa bootstrap"
    assert (first.worst, first.best) == (3 / 6, 4 / 6)
    assert (found.judge, found.examples, found.contests, found.failed) == ("arena", 6, 5, 1)
    assert (found.position_bias.value, found.consistency.value) == (0.2, 0.8)
    assert found.position_bias.interval == wilson(1, 5)
    assert found.consistency.interval == wilson(4, 5)
    assert (found.first_position.value, found.first_position.n) == (5 / 8, 8)
    assert found.standing("B") is second
    with pytest.raises(KeyError, match="'C' met nobody; there are A, B"):
        found.standing("C")


def test_a_judge_of_places_alone_finds_all_even_and_is_told_so() -> None:
    found = contests(arena(*["AB"] * 30), "arena", seed=0)
    assert [each.win_rate.value for each in found.standings] == [0.5, 0.5]
    assert [each.rank for each in found.standings] == [1, 1]
    assert (found.consistency.value, found.position_bias.value, found.first_position.value) == (0.0, 1.0, 1.0)
    assert contests(arena(*["BA"] * 30), "arena", seed=0).first_position.value == 0.0


def test_a_perfect_judge_is_consistent_and_its_winner_unbounded() -> None:
    found = contests(arena(*["AA"] * 30), "arena", seed=0)
    best = found.standing("A")
    assert (best.win_rate.value, found.consistency.value, found.first_position.value) == (1.0, 1.0, 0.5)
    assert best.win_rate.interval == wilson(30, 30)
    assert best.strength.value is None
    assert best.strength.reason == "no finite strength: A never lost and B never won"


def test_the_example_is_the_unit() -> None:
    """A met B in both examples and C in one: 1 and (1 + 0) / 2, not two of three contests."""
    judgments = [
        a_contest("1", ("A", "B"), "A"),
        a_contest("2", ("A", "B"), "A", repeat=0),
        a_contest("2", ("A", "B"), "A", repeat=1),
        a_contest("2", ("A", "C"), "B"),
    ]
    found = contests(judgments, "arena", seed=0).standing("A")
    assert (found.win_rate.value, found.win_rate.n, found.contests) == (0.75, 2, 4)
    assert found.average_win_rate == 0.5


def test_only_contests_with_a_verdict_enter_a_rate() -> None:
    judgments = [
        a_contest("1", ("A", "B"), "A"),
        a_contest("1", ("A", "C"), ""),
        Judgment(Slot("arena", "1", ("B", "D")), Status.PENDING),
        a_contest("2", ("A", "B"), "B"),
    ]
    found = contests(judgments, "arena", seed=0)
    assert (found.standing("A").win_rate.value, found.standing("A").worst, found.standing("A").best) == (0.5, 0.25, 0.5)
    lost = found.standing("C")
    assert (lost.win_rate.value, lost.worst, lost.best, lost.rank, lost.failed) == (None, 0.0, 1.0, None, 1)
    assert lost.win_rate.reason == lost.strength.reason == "no contest of this system has a verdict"
    unknown = found.standing("D")
    assert (unknown.contests, unknown.worst, unknown.elo, unknown.average_win_rate) == (0, None, None, None)
    assert [each.system for each in found.standings] == ["A", "B", "C", "D"]


def test_no_contest_gives_reasons_and_no_number() -> None:
    found = contests([], "arena", seed=0)
    assert (found.standings, found.examples) == ((), 0)
    assert found.consistency.reason == "no contest was read in both orders"
    assert found.first_position.reason == "no reading named a winner"
    one = contests(arena("A"), "arena", seed=0).standing("A")
    assert (one.win_rate.value, one.win_rate.interval) == (1.0, None)
    assert "one example" in one.win_rate.reason


def test_elo_follows_the_order_of_the_contests() -> None:
    found = contests(arena("A", "A"), "arena", seed=0)
    assert found.standing("A").elo == pytest.approx(1000 + 2 + 4 * (1 - 1 / (1 + 10 ** (-4 / 400))))


def test_strengths_come_with_an_interval_and_the_resamples_that_have_none() -> None:
    found = contests(arena(*"AB" * 20, *"A" * 10, "t"), "arena", seed=5, resamples=400)
    strength = found.standing("A").strength
    assert (found.seed, found.resamples, found.unsettled) == (5, 400, 0)
    assert strength.interval is not None
    assert strength.value is not None
    assert strength.interval.low < strength.value < strength.interval.high


@settings(max_examples=25)
@given(st.lists(READINGS, min_size=1, max_size=40))
def test_win_rates_of_two_systems_add_up_to_exactly_one(readings: list[str]) -> None:
    found = {each.system: each for each in contests(arena(*readings), "arena", seed=0, resamples=20).standings}
    one, other = found["A"], found["B"]
    if one.win_rate.value is not None and other.win_rate.value is not None:
        assert one.win_rate.value + other.win_rate.value == 1
    assert one.worst is not None
    assert other.best is not None
    assert one.worst + other.best == 1


@settings(max_examples=25)
@given(st.lists(READINGS, min_size=1, max_size=25))
def test_exchanging_the_names_exchanges_every_figure(readings: list[str]) -> None:
    found = contests(arena(*readings), "arena", seed=0, resamples=20)
    mirrored = contests(
        [replace(each, slot=replace(each.slot, systems=("B", "A"))) for each in arena(*readings)],
        "arena",
        seed=0,
        resamples=20,
    )
    for name, other in (("A", "B"), ("B", "A")):
        before, after = found.standing(name), mirrored.standing(other)
        assert replace(after, system=name, strength=before.strength, elo=before.elo) == before
        assert after.elo == (pytest.approx(before.elo) if before.elo else None)
        assert (after.strength.value is None) == (before.strength.value is None)
        if before.strength.value is not None:
            assert after.strength.value == pytest.approx(before.strength.value)
    assert (mirrored.consistency, mirrored.first_position) == (found.consistency, found.first_position)


@settings(max_examples=25)
@given(st.lists(st.tuples(READINGS, READINGS, READINGS), min_size=2, max_size=15), st.randoms())
def test_the_order_of_the_examples_moves_elo_alone(rows: list[tuple[str, str, str]], shuffler: random.Random) -> None:
    examples = [
        [a_contest(str(number), pair, each) for pair, each in zip(ROUND, row, strict=True)]
        for number, row in enumerate(rows)
    ]

    def conclude() -> object:
        found = contests([each for row in examples for each in row], "arena", seed=0, resamples=30)
        return replace(found, standings=tuple(replace(each, elo=None) for each in found.standings))

    before = conclude()
    shuffler.shuffle(examples)
    assert conclude() == before


@settings(max_examples=25)
@given(st.lists(READINGS, min_size=1, max_size=25))
def test_a_rate_lies_between_its_bounds(readings: list[str]) -> None:
    for each in contests(arena(*readings), "arena", seed=0, resamples=20).standings:
        assert each.worst is not None
        assert each.best is not None
        assert 0 <= each.worst <= each.best <= 1
        if each.win_rate.value is not None:
            assert each.worst <= each.win_rate.value <= each.best


def test_a_tally_can_be_fed_one_by_one() -> None:
    tally = ContestTally("arena")
    for judgment in arena("A", "B", "t"):
        tally.add(judgment)
    assert tally.conclude(seed=0) == contests(arena("A", "B", "t"), "arena", seed=0)
    assert tally.conclude(seed=0, level=0.5).standings[0].win_rate.interval != Interval(0, 1, 0.95, "")


def test_one_example_has_its_own_ranks() -> None:
    row = [a_contest("1", pair, each) for pair, each in zip([*ROUND, ("C", "D")], ["A", "t", "t", ""], strict=True)]
    assert [(each.system, each.win_rate, each.rank, each.contests, each.failed) for each in row_standings(row)] == [
        ("A", 0.75, 1, 2, 0),
        ("C", 0.5, 2, 2, 1),
        ("B", 0.25, 3, 2, 0),
        ("D", None, None, 0, 1),
    ]
    assert row_standings([]) == ()
