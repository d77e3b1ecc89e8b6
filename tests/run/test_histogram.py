"""Every score is counted once, in a place that says which scores are meant."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.reports.page import Bar
from gavelkit.run.histogram import MOST_BARS, bins_for

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def judged(score: float, grade: float | str | None = None) -> Judgment:
    return Judgment(Slot("j", "1", ("",)), Status.OK, score, grade=Grade(score if grade is None else grade))


def counted(scale: Range | Options | None, scores: Sequence[float]) -> list[Bar]:
    bins = bins_for(Criterion("j", scale))
    for score in scores:
        bins.add(judged(score))
    return list(bins.bars())


def labels(bars: Sequence[Bar]) -> list[str]:
    return [bar.label for bar in bars]


def test_a_short_whole_range_has_a_bar_for_each_whole_number() -> None:
    bars = counted(Range(0, 10), [0, 8, 8.5, 8.99, 9, 10])
    assert labels(bars) == [str(each) for each in range(11)]
    assert [bar.count for bar in bars] == [1, 0, 0, 0, 0, 0, 0, 0, 3, 1, 1]
    assert (bars[8].told, bars[10].told) == ("8 to below 9", "10")


def test_the_longest_whole_range_fills_all_bars() -> None:
    assert len(counted(Range(0, 20), [])) == MOST_BARS


def test_any_other_range_has_twenty_equal_bars_and_its_upper_end_lies_in_the_last() -> None:
    bars = counted(Range(0, 1), [0, 0.5, 0.99, 1])
    assert len(bars) == 20
    assert [(bar.told, bar.count) for bar in bars if bar.count] == [
        ("0 to below 0.05", 1),
        ("0.5 to below 0.55", 1),
        ("0.95 to 1", 2),
    ]
    assert len(counted(Range(0, 100), [])) == 20


def test_options_have_a_bar_each_in_the_order_of_their_scores() -> None:
    bins = bins_for(Criterion("j", Options({"good": 1, "bad": 0, "also good": 1})))
    for grade, score in (("good", 1), ("also good", 1), ("bad", 0), ("bad", 0)):
        bins.add(judged(score, grade))
    assert [(bar.label, bar.count) for bar in bins.bars()] == [("bad", 2), ("good", 1), ("also good", 1)]


def test_an_option_that_was_read_as_a_number_counts_for_its_name() -> None:
    bins = bins_for(Criterion("j", Options({"1": 0.25, "2": 0.5})))
    bins.add(judged(0.25, 1.0))
    bins.add(judged(0.5, "two"))
    assert [bar.count for bar in bins.bars()] == [1, 1]


def test_more_options_than_bars_are_counted_by_their_scores() -> None:
    scale = Options({f"o{each}": float(each) for each in range(40)})
    bars = counted(scale, [0, 39])
    assert len(bars) == 20
    assert [bars[0].count, bars[-1].count] == [1, 1]


def test_options_that_all_have_one_score_are_counted_too() -> None:
    assert sum(bar.count for bar in counted(Options({f"o{each}": 1.0 for each in range(40)}), [1.0])) == 1


def test_without_a_scale_near_whole_numbers_have_a_bar_each() -> None:
    assert [(bar.label, bar.count) for bar in counted(None, [3, 7, 7])] == [
        ("3", 1),
        ("4", 0),
        ("5", 0),
        ("6", 0),
        ("7", 2),
    ]


def test_without_a_scale_a_few_other_values_stand_for_themselves() -> None:
    assert labels(counted(None, [0.5, 100, 7])) == ["0.5", "7", "100"]


def test_without_a_scale_many_values_share_bars_as_wide_as_a_power_of_two() -> None:
    bars = counted(None, [each / 4 for each in range(41)])
    assert labels(bars)[:3] == ["0", "0.5", "1"]
    assert bars[0].told == "0 to below 0.5"
    assert len(bars) == MOST_BARS


def test_nothing_counted_has_no_bar_without_a_scale() -> None:
    assert counted(None, []) == []


def test_a_far_value_that_comes_late_is_counted_too() -> None:
    bars = counted(None, [*(each / 4 for each in range(41)), 1.7e308, -1.7e308])
    assert sum(bar.count for bar in bars) == 43
    assert len(bars) <= MOST_BARS


@given(st.lists(FINITE, max_size=60))
@pytest.mark.parametrize("scale", [None, Range(-1e308, 1e308), Range(0, 10), Range(0, 1e-300)])
def test_every_score_is_counted_once_in_few_bars(scale: Range | None, scores: list[float]) -> None:
    within = scores if scale is None else [scale.low + (scale.high - scale.low) * 0.3 for _ in scores]
    finite = [score for score in within if math.isfinite(score)]
    bars = counted(scale, finite)
    assert sum(bar.count for bar in bars) == len(finite)
    assert len(bars) <= MOST_BARS
