"""When two names of an option are the same."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.parsing.option_name import folded, name_start, plain, trimmed


@pytest.mark.parametrize(
    "text", ["good", " Good. ", "**Good**.", "**Good.**", '"Good"', "`Good`", "- Good", "### Good", "\u201eGood\u201c"]
)
def test_what_stands_round_a_name_does_not_matter(text: str) -> None:
    assert trimmed(text) == "good"
    assert text[name_start(text) :].startswith(("good", "Good"))


@pytest.mark.parametrize(("text", "name"), [("-1", "-1"), ("#1", "#1"), ("C#", "c#"), ("C++", "c++"), ("***", "***")])
def test_a_sign_that_belongs_to_a_name_stays(text: str, name: str) -> None:
    assert trimmed(text) == name


def test_only_one_point_is_final() -> None:
    assert trimmed("Good..") == "good."


@settings(max_examples=60)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_folded_text_knows_where_each_character_stood(text: str) -> None:
    found, places = folded(text)
    assert len(found) == len(places)
    assert list(places) == sorted(places)
    assert all(0 <= place < len(text) for place in places)


@settings(max_examples=60)
@given(st.text("aeo\u0301\u0308 stSTE\u00df\u00c9"))
def test_a_name_is_the_same_in_every_unicode_form(text: str) -> None:
    assert plain(normalize("NFD", text)) == plain(normalize("NFC", text)) == plain(text)
