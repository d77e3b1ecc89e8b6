"""Ways to nested fields, and what is said where they lead nowhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.path import Path, did_you_mean

names = st.text(alphabet=st.characters(exclude_characters=".[]", exclude_categories=["Cs"]), min_size=1, max_size=8)


def text_of(parts: list[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).removeprefix(".")


def refusal(text: str, row: dict[str, Any]) -> str:
    with pytest.raises(LookupError) as caught:
        Path.parse(text).get(row)
    return str(caught.value.args[0])


@given(first=names, rest=st.lists(names | st.integers(-99, 99), max_size=5))
def test_a_path_reads_back_as_its_parts(first: str, rest: list[str | int]) -> None:
    parts = [first, *rest]
    assert Path.parse(text_of(parts)).parts == tuple(parts)


@given(first=names, rest=st.lists(names | st.integers(0, 3), max_size=5), value=st.text() | st.none() | st.integers())
def test_a_path_finds_what_was_put_at_its_end(first: str, rest: list[str | int], value: object) -> None:
    row: Any = value
    for part in reversed([first, *rest]):
        row = {part: row} if isinstance(part, str) else [None] * part + [row]
    assert Path.parse(text_of([first, *rest])).get(row) == value


@pytest.mark.parametrize("text", ["", ".", ".a", "a.", "a..b", "[0]a", "a[0]b", "a[x]", "a[]", "a[0", "a]", "a[1.5]"])
def test_what_is_no_path_is_refused_with_an_example_of_one(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a path such as doc\.question or resps\[0\]") as caught:
        Path.parse(text)
    assert repr(text) in str(caught.value)


def test_a_column_of_the_whole_name_comes_before_the_nested_field() -> None:
    assert Path.parse("doc.question").get({"doc.question": "flat", "doc": {"question": "nested"}}) == "flat"


def test_a_negative_index_counts_from_the_end() -> None:
    assert Path.parse("resps[-1]").get({"resps": ["a", "b"]}) == "b"


def test_a_missing_field_is_named_with_its_nearest() -> None:
    assert refusal("doc.questoin", {"doc": {"question": "q"}}) == (
        "no field 'doc.questoin': 'questoin' is not there; did you mean doc.question?"
    )


def test_the_nearest_field_inside_a_list_is_written_as_a_path() -> None:
    assert refusal("a[0].questoin", {"a": [{"question": "q"}]}).endswith("did you mean a[0].question?")


def test_where_nothing_is_near_the_fields_are_listed() -> None:
    assert refusal("zzz", {"b": 1, "a": 2}) == "no field 'zzz': 'zzz' is not there; there are a, b"


@pytest.mark.parametrize(
    ("text", "row", "reason"),
    [
        ("a[2]", {"a": [1, 2]}, "[2] is beyond the 2 items there"),
        ("a[-3]", {"a": [1, 2]}, "[-3] is beyond the 2 items there"),
        ("a[0]", {"a": {"b": 1}}, "[0] needs a list, and there is a dict"),
        ("a[0]", {"a": None}, "[0] needs a list, and there is null"),
        ("a.b", {"a": [1]}, "'b' needs a mapping, and there is a list"),
        ("a.b", {"a": None}, "'b' needs a mapping, and there is null"),
        ("a.b", {"a": "text"}, "'b' needs a mapping, and there is a str"),
    ],
)
def test_a_step_that_does_not_fit_says_what_it_needs(text: str, row: dict[str, Any], reason: str) -> None:
    assert refusal(text, row) == f"no field {text!r}: {reason}"


def test_an_empty_mapping_has_nothing_to_suggest() -> None:
    assert did_you_mean("a", {}) == ""


def test_at_most_twelve_names_are_listed() -> None:
    assert did_you_mean("zzz", [f"n{n:02}" for n in range(20)]).count(",") == 11
