"""Which judgment is meant."""

from __future__ import annotations

from gavelkit.core.slot import Slot


def test_a_slots_place_tells_examples_and_systems_apart() -> None:
    slots = [Slot("j", "1", ("",)), Slot("j", "1", ("a",)), Slot("j", "1a", ("",)), Slot("j", "1", ("a", "b"))]
    assert len({slot.place for slot in slots}) == 4


def test_judge_and_repeat_are_no_part_of_the_place() -> None:
    assert Slot("j", "1", ("a",)).place == Slot("k", "1", ("a",), repeat=3).place
