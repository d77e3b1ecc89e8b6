"""How a grade becomes a score: never moved, rounded or guessed unless the scale says so."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.criterion import Criterion, Options, Range
from gavelkit.core.errors import OutOfRange

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite)
def test_a_range_gives_back_what_lies_inside_and_refuses_the_rest(value: float) -> None:
    scale = Range(0, 10)
    if 0 <= value <= 10:
        assert scale.score(value) == value
    else:
        with pytest.raises(OutOfRange, match="lies outside the scale 0 to 10"):
            scale.score(value)


@given(finite)
def test_a_clamping_range_moves_to_the_nearer_end(value: float) -> None:
    assert Range(-1, 1, clamp=True).score(value) == max(-1, min(1, value))


def test_the_value_in_a_message_is_never_rounded_into_the_scale() -> None:
    with pytest.raises(OutOfRange, match=r"10\.0000000001 lies outside the scale 0 to 10"):
        Range(0, 10).score(10.0000000001)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "nan", "1e999"])
@pytest.mark.parametrize("scale", [None, Range(0, 10), Range(0, 10, clamp=True)])
def test_no_scale_takes_a_number_without_end(scale: Range | None, value: float | str) -> None:
    with pytest.raises(OutOfRange, match="is not a finite number"):
        Criterion("c", scale).score(value)


@pytest.mark.parametrize("scale", [None, Range(0, 10)])
def test_a_word_is_no_number(scale: Range | None) -> None:
    with pytest.raises(OutOfRange, match="'good' is not a number"):
        Criterion("c", scale).score("good")


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (math.nan, 1), (0, math.inf)])
def test_a_scale_runs_upwards_between_finite_ends(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="a scale runs from a lower to a higher number"):
        Range(low, high)


def test_an_option_is_found_by_its_name_or_its_number() -> None:
    scale = Options({"C": 1, "I": 0, "5": 0.5})
    assert (scale.score("C"), scale.score("I"), scale.score(5.0)) == (1.0, 0.0, 0.5)


@pytest.mark.parametrize("value", ["c", "X", "", 10.0000000001])
def test_what_is_no_option_is_out_of_range_and_the_options_are_named(value: float | str) -> None:
    with pytest.raises(OutOfRange, match="is none of the options C, 10"):
        Options({"C": 1, "10": 0}).score(value)


def test_options_have_the_ends_of_their_scores() -> None:
    scale = Options({"a": 0.5, "b": -2, "c": 3})
    assert (scale.low, scale.high) == (-2, 3)


@pytest.mark.parametrize("scale", [Range(0, 10), Options({"a": 0, "b": 10})])
def test_the_worst_is_the_low_end_or_the_high_one_where_lower_is_better(scale: Range | Options) -> None:
    assert Criterion("c", scale).worst == 0
    assert Criterion("c", scale, higher_is_better=False).worst == 10


@pytest.mark.parametrize("scale", [Range(0, 10), Options({"a": 0, "b": 10})])
def test_the_best_is_the_other_end(scale: Range | Options) -> None:
    assert Criterion("c", scale).best == 10
    assert Criterion("c", scale, higher_is_better=False).best == 0
    assert Criterion("c").best is None


def test_without_a_scale_there_is_no_worst() -> None:
    assert Criterion("c").worst is None


@pytest.mark.parametrize(
    ("higher", "score", "passes"), [(True, 7, True), (True, 6.9, False), (False, 7, True), (False, 7.1, False)]
)
def test_a_threshold_is_reached_from_the_better_side(*, higher: bool, score: float, passes: bool) -> None:
    assert Criterion("c", Range(0, 10), higher_is_better=higher).passes(score, 7) is passes


@pytest.mark.parametrize(
    ("scale", "binary"),
    [(Options({"C": 1, "I": 0}), True), (Options({"C": 1, "P": 0.5}), False), (Range(0, 1), False), (None, None)],
)
def test_only_options_of_0_and_1_are_binary(*, scale: Range | Options | None, binary: bool | None) -> None:
    assert Criterion("c", scale).binary is binary


def test_shares_from_0_to_1_are_a_proportion_where_none_lies_between() -> None:
    assert Criterion("contest", Options({"A": 1, "tie": 0.5, "B": 0})).binary is None
    assert Criterion("grade", Options({"good": 2, "bad": 0})).binary is False
