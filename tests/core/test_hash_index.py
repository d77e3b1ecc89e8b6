"""The index does what a dict does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gavelkit.core.hash_index import HashIndex

ANY = st.integers(-(2**63), 2**63 - 1)
# Few keys, of which many meet in the same cell, so that runs form, wrap round the end and are taken apart.
KEYS = st.integers(-4, 40) | st.integers(0, 12).map(lambda n: n * 8) | st.integers(0, 6).map(lambda n: n << 32) | ANY


class Twin(RuleBasedStateMachine):
    """Every step is taken by the index and by a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.index = HashIndex()
        self.twin: dict[int, int] = {}

    @rule(key=KEYS, value=ANY)
    def put(self, key: int, value: int) -> None:
        self.index.put(key, value)
        self.twin[key] = value

    @rule(key=KEYS)
    def discard(self, key: int) -> None:
        self.index.discard(key)
        self.twin.pop(key, None)

    @rule(key=KEYS)
    def get(self, key: int) -> None:
        assert self.index.get(key) == self.twin.get(key)

    @invariant()
    def holds_the_same(self) -> None:
        assert len(self.index) == len(self.twin)
        assert dict(self.index.items()) == self.twin


Twin.TestCase.settings = settings(max_examples=100, stateful_step_count=60)
test_the_index_and_a_dict_agree_after_any_steps = Twin.TestCase


@given(st.dictionaries(ANY, ANY, max_size=200), st.integers(0, 300))
def test_what_is_put_is_found_whatever_room_was_made(pairs: dict[int, int], expected: int) -> None:
    index = HashIndex(expected=expected)
    for key, value in pairs.items():
        index.put(key, value)
    assert {key: index.get(key) for key in pairs} == pairs


def test_a_known_number_of_keys_never_grows_it() -> None:
    index = HashIndex(expected=1000)
    cells = len(index._keys)
    for key in range(1000):
        index.put(key, key)
    assert len(index._keys) == cells


@pytest.mark.parametrize("key", [0, 7])
def test_a_value_beyond_64_bits_changes_nothing(key: int) -> None:
    index = HashIndex()
    index.put(key, 1)
    with pytest.raises(OverflowError):
        index.put(key, 2**63)
    assert dict(index.items()) == {key: 1}


def test_a_key_beyond_64_bits_changes_nothing() -> None:
    index = HashIndex()
    with pytest.raises(OverflowError):
        index.put(2**63, 1)
    assert dict(index.items()) == {}
    assert index.get(2**63) is None
