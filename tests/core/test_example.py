"""One row of the data, and the parts of it that somebody reads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.example import Example, Uses

uses = st.builds(
    Uses,
    st.frozensets(st.sampled_from("abcd")),
    st.none() | st.frozensets(st.sampled_from("wxyz")),
)
ROW = Example("1", {"a": 1, "b": 2}, {"m": "out"}, ("r",), {"x": 3, "y": 4}, "f.jsonl", 7)


@given(uses, uses)
def test_two_uses_together_keep_what_either_keeps(one: Uses, other: Uses) -> None:
    both, kept = ROW.only(one | other), (ROW.only(one), ROW.only(other))
    assert both.fields == {**kept[0].fields, **kept[1].fields}
    assert set(both.doc) == set(kept[0].doc) | set(kept[1].doc)


@given(uses)
def test_a_row_cut_to_its_uses_keeps_all_but_fields_and_doc(each: Uses) -> None:
    kept = ROW.only(each)
    assert (kept.id, kept.responses, kept.references) == (ROW.id, ROW.responses, ROW.references)
    assert kept.place == ROW.place
    assert kept.only(each) == kept


def test_nothing_is_used_until_somebody_says_so() -> None:
    kept = ROW.only(Uses())
    assert (kept.fields, kept.doc) == ({}, {})


def test_the_whole_document_is_kept_where_its_fields_are_not_known() -> None:
    assert ROW.only(Uses(doc=None)).doc == ROW.doc


def test_a_reference_is_the_one_the_list_of_several_or_none() -> None:
    def of(*references: str) -> object:
        return Example("1", {}, {}, references).reference

    assert (of(), of("a"), of("a", "b")) == (None, "a", ["a", "b"])


def test_a_place_is_file_and_line_or_else_the_id() -> None:
    assert ROW.place == "f.jsonl:7"
    assert Example("x", {}, {}).place == "row 'x'"
