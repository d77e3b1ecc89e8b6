"""Intervals of strengths: resamples of examples, each solved, and what becomes of those that determine nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gavelkit.stats import strength_intervals
from gavelkit.stats.bradley_terry import strengths
from gavelkit.stats.row_patterns import Meeting, counted, meetings
from gavelkit.stats.strength_intervals import strength_figures

AB, BA, TIE = meetings([("A", "B", 1.0)]), meetings([("A", "B", 0.0)]), meetings([("A", "B", 0.5)])


def test_two_systems_have_the_interval_of_their_log_odds() -> None:
    """With 600 of 1000 won the log odds have the standard error 1 / sqrt(1000 x 0.6 x 0.4)."""
    found = strength_figures(counted([(BA, 400), (AB, 600)]), seed=0, resamples=4000)
    figure = found.figures["A"]
    points = 400 / np.log(10)
    assert figure.value == pytest.approx(1000 + points * np.log(1.5) / 2)
    assert figure.interval is not None
    reach = 1.959964 * points / 2 / np.sqrt(1000 * 0.6 * 0.4)
    assert figure.interval.high - figure.interval.low == pytest.approx(2 * reach, rel=0.05)
    assert (figure.n, figure.interval.method, found.unsettled) == (1000, "percentile bootstrap", 0)


def test_each_resample_is_solved_from_its_examples() -> None:
    """The slow twin: draw the counts, write out the contests, solve them one table at a time."""
    cycle = meetings([("A", "B", 1.0), ("B", "C", 1.0), ("A", "C", 0.0)])
    other = meetings([("A", "B", 0.5), ("B", "C", 0.0), ("A", "C", 0.5)])
    rows: list[tuple[tuple[Meeting, ...], int]] = [(cycle, 8), (other, 12)]
    found = strength_figures(counted(rows), seed=4, resamples=60)
    drawn = np.random.default_rng(4).multinomial(20, [0.4, 0.6], 60)
    twins = []
    for counts in drawn:
        contests = [
            (each.one, each.other, float(each.share or 0))
            for (row, _), times in zip(rows, counts, strict=True)
            for each in row
            for _ in range(times)
        ]
        solved = strengths(contests)
        if not solved.reason:
            twins.append(solved.shown["A"])
    interval = found.figures["A"].interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(twins, [0.025, 0.975])), rel=1e-9)
    assert found.unsettled == 60 - len(twins)


def test_an_example_counts_once_however_often_it_was_repeated() -> None:
    thrice = meetings([("A", "B", 1.0), ("A", "B", 1.0), ("A", "B", 0.0)])
    found = strength_figures(counted([(thrice, 1), (BA, 1)]), seed=0, resamples=10)
    assert thrice[0].share == Fraction(2, 3)
    assert found.figures["A"].value == pytest.approx(1000 - 200 * np.log10(2))


def test_where_too_many_resamples_determine_nothing_there_is_no_interval() -> None:
    found = strength_figures(counted([(BA, 1), (AB, 20)]), seed=0, resamples=1000)
    figure = found.figures["A"]
    assert figure.value is not None
    assert figure.interval is None
    assert found.unsettled == pytest.approx(1000 * (20 / 21) ** 21, abs=60)
    assert figure.reason == f"{found.unsettled} of 1000 resamples have no finite strengths, so there is no interval"


def test_a_few_resamples_that_determine_nothing_are_left_out() -> None:
    found = strength_figures(counted([(BA, 5), (AB, 40)]), seed=0, resamples=1000)
    assert 0 < found.unsettled <= 50
    assert found.figures["A"].interval is not None


def test_one_example_or_none_has_no_interval() -> None:
    found = strength_figures(counted([(TIE, 1)]), seed=0, resamples=10)
    assert found.figures["A"].value == 1000
    assert "one example" in found.figures["A"].reason
    assert strength_figures(counted([]), seed=0, resamples=10).reason == "there is no contest with a verdict"
    assert strength_figures(counted([(AB, 9)]), seed=0, resamples=10).reason == (
        "no finite strength: A never lost and B never won"
    )


def test_a_failed_contest_moves_nothing() -> None:
    failed = meetings([("A", "C", None)])
    both = meetings([("A", "B", 1.0), ("A", "C", None)])
    found = strength_figures(counted([(failed, 3), (both, 1), (BA, 1)]), seed=0, resamples=10)
    assert list(found.figures) == ["A", "B"]
    assert found.figures["A"].n == 2


def test_a_few_resamples_at_a_time_are_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[tuple[tuple[Meeting, ...], int]] = [(BA, 5), (TIE, 7), (AB, 9)]
    whole = strength_figures(counted(rows), seed=1, resamples=100)
    monkeypatch.setattr(strength_intervals, "_AT_ONCE", 40)
    assert strength_figures(counted(rows), seed=1, resamples=100) == whole
