"""Nothing that reaches a terminal can move, hide or reorder what stands there."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.reports.terminal import cells, printable, shortened, wrapped

ANY_TEXT = st.text(st.characters())
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]8;;http://evil\x07link", r"\x1b]8;;http://evil\x07link"),
        ("\x1b]52;c;ZXZpbA==\x07", r"\x1b]52;c;ZXZpbA==\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("ok\rfailed\n9", r"ok\x0dfailed\x0a9"),
        ("abc\u202edcba", r"abc\u202edcba"),
        ("nul\x00del\x7f", r"nul\x00del\x7f"),
        ("lone \ud800", r"lone \ud800"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("[bold]markup[/bold] \\x1b", "[bold]markup[/bold] \\x1b"),
        ("größe 日本語 e\u0301 👩\u200d👧", "größe 日本語 e\u0301 👩\u200d👧"),
    ],
)
def test_control_characters_are_shown_escaped_and_words_stay(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(ANY_TEXT)
def test_no_text_leaves_a_control_character_behind(text: str) -> None:
    for shown in (printable(text), printable(text, lines=True).replace("\n", "").replace("\t", "")):
        assert not any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} or c in BIDI for c in shown)
        shown.encode()
    assert printable(printable(text)) == printable(text)


def test_line_feeds_and_tabs_stay_where_asked_for_and_carriage_returns_never() -> None:
    assert printable("a\tb\nc\rd\x1b", lines=True) == "a\tb\nc\\x0dd\\x1b"


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    assert cells("日本") == 4
    assert cells("e\u0301") == 1


@given(ANY_TEXT, st.integers(2, 60))
def test_a_shortened_text_fits_and_a_fitting_one_stays(text: str, width: int) -> None:
    shown = printable(text)
    assert cells(shortened(shown, width)) <= width
    assert shortened(shown, max(width, cells(shown))) == shown


def test_both_ends_of_a_long_name_stay() -> None:
    assert shortened("meta-llama/Llama-3.1-70B-Instruct", 20) == "meta-llama…-Instruct"


@given(ANY_TEXT, st.integers(20, 60))
def test_wrapped_lines_fit(text: str, width: int) -> None:
    assert all(cells(line) <= width for line in wrapped(printable(text), width, indent="    "))
