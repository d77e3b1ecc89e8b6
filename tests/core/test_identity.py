"""Names by content: the same content gives the same name, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.identity import KEY_BYTES, Identity, canonical, differences, digest, short_hash

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
# Short parts of digits and marks, the letters that a digest's own head is written with.
parts = st.lists(st.text(alphabet="01:,;a", max_size=4) | texts, max_size=6)


@given(parts, parts, st.integers(0, 3), st.integers(0, 3))
def test_two_digests_are_equal_only_for_equal_parts(
    one: list[str], other: list[str], repeat: int, another: int
) -> None:
    same = one == other and repeat == another
    assert (digest(one, repeat=repeat) == digest(other, repeat=another)) is same


@given(texts, st.data())
def test_the_same_text_split_elsewhere_is_another_digest(text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text)))
    second = data.draw(st.integers(0, len(text)).filter(lambda at: at != first) if text else st.just(0))
    if first != second:
        assert digest([text[:first], text[first:]]) != digest([text[:second], text[second:]])


def test_a_digest_has_16_bytes() -> None:
    assert len(digest(["a"])) == KEY_BYTES == 16


def test_a_lone_surrogate_has_no_digest() -> None:
    with pytest.raises(UnicodeEncodeError):
        digest(["a\ud800"])


def test_a_mapping_is_canonical_in_any_order() -> None:
    assert canonical({"b": [1, 2.5], "a": None}) == canonical({"a": None, "b": [1, 2.5]}) == '{"a":null,"b":[1,2.5]}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": float("-inf")}])
def test_no_number_without_end_is_canonical(value: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(value)


def test_what_json_does_not_know_is_not_canonical() -> None:
    with pytest.raises(TypeError):
        canonical({"a": object()})


@given(st.text() | st.binary())
def test_a_short_hash_fits_64_bits_and_is_never_zero(text: str | bytes) -> None:
    assert -(2**63) <= short_hash(text) < 2**63
    assert short_hash(text) != 0
    assert short_hash(text) == short_hash(text)


def test_a_text_and_its_bytes_have_one_short_hash() -> None:
    assert short_hash("é") == short_hash("é".encode())


def test_equal_material_is_one_identity() -> None:
    assert Identity({"a": 1, "b": 2}).hash == Identity({"b": 2, "a": 1}).hash
    assert Identity({"a": 1}).hash != Identity({"a": 2}).hash


def test_differences_name_what_changed_and_skip_what_did_not() -> None:
    before = {"model": "m1", "same": 1, "gone": 2}
    after = {"model": "m2", "same": 1, "new": [3]}
    assert list(differences(before, after)) == [
        "gone: recorded 2, now null",
        'model: recorded "m1", now "m2"',
        "new: recorded null, now [3]",
    ]


def test_a_changed_text_of_lines_is_shown_as_a_diff() -> None:
    shown = list(differences({"prompt": "a\nb\nc"}, {"prompt": "a\nB\nc"}))
    assert shown == ["prompt:", "  --- recorded", "  +++ now", "  @@ -1,3 +1,3 @@", "   a", "  -b", "  +B", "   c"]
