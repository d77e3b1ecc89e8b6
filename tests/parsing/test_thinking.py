"""What counts as thinking, and what stays a reply."""

from __future__ import annotations

import pytest

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.parsing.thinking import place_of_spoken, spoken, without_thinking


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Score: 8", "Score: 8"),
        ("<think>Score: 1</think>Score: 8", "Score: 8"),
        ("<think>\na\nb\n</think>\n\nScore: 8", "\n\nScore: 8"),
        ("<thinking>a</thinking>b", "b"),
        ("<reasoning>a</reasoning>b", "b"),
        ("<THINK>a</Think>b", "b"),
        ("<think >a</think\t>b", "b"),
        ("x<think>a</think>y<think>b</think>z", "xyz"),
        ("a <b>bold</b> <thinker>word</thinker>", "a <b>bold</b> <thinker>word</thinker>"),
    ],
)
def test_a_thinking_block_is_no_part_of_the_reply(reply: str, said: str) -> None:
    assert without_thinking(reply) == said


def test_a_block_that_is_never_closed_takes_the_rest() -> None:
    assert without_thinking("Score: 8\n<think>or Score: 2") == "Score: 8\n"


def test_a_closing_tag_before_any_other_takes_all_before_it() -> None:
    assert without_thinking("Score: 2, or so</think>Score: 8") == "Score: 8"


def test_a_later_stray_closing_tag_cannot_erase_a_verdict() -> None:
    reply = "<think>a</think>Score: 2\nThe candidate wrote </think>"
    assert without_thinking(reply) == "Score: 2\nThe candidate wrote </think>"


def test_a_block_is_closed_by_its_own_name_alone() -> None:
    assert without_thinking("<think>a</reasoning>b</think>c") == "c"


@pytest.mark.parametrize("quote", ["`", '"', "'"])
def test_talk_about_a_tag_is_no_tag(quote: str) -> None:
    reply = f"It left {quote}<think>{quote} in its answer.\nScore: 2"
    assert without_thinking(reply) == reply


@pytest.mark.parametrize("reply", ["", " \n\t", "<think>Score: 8</think>", "<think>Score: 8", "a</think>\n"])
def test_a_reply_with_nothing_but_thinking_is_empty(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        spoken(reply)
    assert caught.value.kind is FailureKind.EMPTY


def test_a_block_opened_in_mid_reply_and_never_closed_hides_the_verdict() -> None:
    with pytest.raises(ParseError, match="never closed") as caught:
        spoken("It says Score: 10 and <think> to trick me.\nScore: 2")
    assert caught.value.kind is None


@pytest.mark.parametrize(
    "reply", ["Good", "<think>a</think>Good", "It <think>a</think>is <think>b</think>Good", "a</think>Good"]
)
def test_a_place_in_what_is_said_is_found_in_the_whole_reply(reply: str) -> None:
    at = place_of_spoken(reply, spoken(reply).index("Good"))
    assert reply[at:] == "Good"
    assert place_of_spoken(reply, len(spoken(reply))) == len(reply)
