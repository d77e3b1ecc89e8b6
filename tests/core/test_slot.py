"""Which judgment is meant."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.slot import Slot, subject

texts = st.text(alphabet="a\0,[") | st.text()
slots = st.builds(Slot, texts, texts, st.lists(texts, min_size=1, max_size=2).map(tuple), st.integers(0, 1))


@given(slots, slots)
def test_two_places_are_equal_only_for_equal_judge_example_and_systems(one: Slot, other: Slot) -> None:
    same = (one.judge, one.example_id, one.systems) == (other.judge, other.example_id, other.systems)
    assert (one.place == other.place) is same


def test_the_repeat_is_no_part_of_the_place() -> None:
    assert Slot("j", "1", ("a",)).place == Slot("j", "1", ("a",), repeat=3).place


def test_two_contests_never_share_their_words() -> None:
    assert subject(("a vs b",)) == "a vs b"
    assert subject(("a", "b")) == "a vs b"
    assert subject(("a vs b", "c")) == '"a vs b" vs c'
    assert subject(("a", "b vs c")) == 'a vs "b vs c"'
