"""A limit that drops make smaller and clean time larger."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gavelkit.engines.aimd import AdaptiveLimit


def a_limit(most: int = 100, *, auto: bool = False) -> AdaptiveLimit:
    limit = AdaptiveLimit()
    limit.widen(most, auto=auto)
    return limit


def test_it_begins_at_the_sum_of_those_who_join_and_never_exceeds_it() -> None:
    limit = a_limit(32)
    limit.widen(8)
    assert (limit.now, limit.most) == (40, 40)
    limit.clean(10)
    assert limit.now == 40


def test_a_drop_takes_three_tenths_once_in_a_window() -> None:
    limit = a_limit(100)
    assert [limit.cut(now) for now in (5, 5.1, 6.9)] == [True, False, False]
    assert (limit.now, limit.cuts) == (70, 1)
    assert limit.cut(7)
    assert limit.now == 49


def test_a_long_wait_is_one_window() -> None:
    limit = a_limit(100)
    limit.cut(0, wait=30)
    assert not limit.cut(29)
    assert limit.cut(30)


def test_it_never_falls_below_one() -> None:
    limit = a_limit(4)
    for window in range(20):
        limit.cut(window * 2)
    assert limit.now == 1


def climbed(limit: AdaptiveLimit, windows: int) -> list[int]:
    found = [limit.now]
    for window in range(windows):
        limit.clean(100 + window * 2)
        found.append(limit.now)
    return found


def test_it_climbs_half_the_way_back_and_then_by_a_twentieth() -> None:
    limit = a_limit(1000)
    for now in (0, 2, 4):
        limit.cut(now)
        limit.clean(now + 0.5)
    assert climbed(limit, 8) == [342, 416, 453, 475, 499, 524, 550, 578, 607]


def test_drops_with_no_reply_between_them_say_nothing_of_the_height() -> None:
    limit = a_limit(100)
    for now in (0, 2, 4, 6, 8):
        limit.cut(now)
    assert climbed(limit, 5) == [16, 58, 79, 89, 94, 99]


def test_a_small_limit_climbs_by_one_at_least() -> None:
    limit = a_limit(9)
    for now in (0, 2, 4, 6, 8, 10, 12, 14):
        limit.cut(now)
        limit.clean(now + 0.5)
    assert climbed(limit, 9) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 9]


def test_it_climbs_once_in_a_window_and_not_at_once_after_a_drop() -> None:
    limit = a_limit(100)
    limit.cut(0)
    limit.clean(0.9)
    assert limit.now == 70
    for now in (1, 1.5, 2.9):
        limit.clean(now)
    assert limit.now == 85
    limit.cut(1.5)  # too soon to lower it, yet a drop
    limit.clean(2.4)
    assert limit.now == 85


def test_auto_doubles_until_the_first_drop() -> None:
    limit = a_limit(256, auto=True)
    found = [limit.now]
    for window in range(3):
        limit.clean(window * 2)
        found.append(limit.now)
    assert found == [32, 64, 128, 256]
    limit = a_limit(256, auto=True)
    limit.clean(0)
    limit.cut(1)
    limit.clean(10)
    assert limit.now == 54


def test_auto_begins_no_higher_than_it_may_go() -> None:
    assert a_limit(8, auto=True).now == 8


@given(most=st.integers(1, 500), auto=st.booleans(), moves=st.lists(st.tuples(st.booleans(), st.floats(0, 5))))
def test_it_stays_within_its_bounds_whatever_comes(most: int, moves: list[tuple[bool, float]], *, auto: bool) -> None:
    limit, now = a_limit(most, auto=auto), 0.0
    for drop, seconds in moves:
        now += seconds
        if drop:
            limit.cut(now)
        else:
            limit.clean(now)
        assert 1 <= limit.now <= most
