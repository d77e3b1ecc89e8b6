"""Log probabilities beside simulated replies, as a client reads them and as a chooser of options does."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.engines.logprobs import read_logprobs
from gavelkit.simulator.logprobs import logprobs_content

SCALE = ("Excellent", "Acceptable", "Could be Improved", "Bad")
LETTERS = ("A", "B", "C", "D")


def at(content: list[dict[str, Any]], token: str) -> dict[str, float]:
    """The probabilities listed where the token stands."""
    (found,) = [each for each in content if each["token"] == token]
    return {each["token"]: math.exp(each["logprob"]) for each in found["top_logprobs"]}


def test_the_options_share_the_probability_and_the_reply_is_the_most_likely() -> None:
    shares = at(logprobs_content("B", LETTERS, top=20), "B")
    assert list(shares) == ["B", "A", "C", "D"]
    assert math.fsum(shares.values()) == pytest.approx(1)
    assert shares["B"] > shares["A"] == shares["C"] == shares["D"] > 0


def test_of_an_option_of_several_words_the_first_word_counts() -> None:
    content = logprobs_content("Could be Improved", SCALE, top=20)
    assert [each["token"] for each in content] == ["Could", " be", " Improved"]
    assert at(content, "Could").keys() == {"Excellent", "Acceptable", "Could", "Bad"}
    assert at(content, " be").keys() == {" be", " BE"}


def test_options_that_begin_alike_are_one_alternative() -> None:
    shares = at(logprobs_content("Good", ("Very Good", "Good", "Very Bad"), top=20), "Good")
    assert list(shares) == ["Good", "Very"]


@pytest.mark.parametrize(
    ("reply", "token"),
    [
        ('{"choice": "B"}', "B"),
        ("A is better than D, so I choose B.", " B"),
        ("Not BAD, but B", " B"),
        ("BB or\nB", "\nB"),
    ],
)
def test_the_last_option_in_the_reply_is_the_one_chosen(reply: str, token: str) -> None:
    shares = at(logprobs_content(reply, LETTERS, top=20), token)
    assert next(iter(shares)) == token
    assert len(shares) == 4


@pytest.mark.parametrize("top", [0, 1, 2])
def test_no_more_alternatives_are_listed_than_asked_for(top: int) -> None:
    assert [len(each["top_logprobs"]) for each in logprobs_content("so B", LETTERS, top=top)] == [top, top]


def test_a_reply_without_an_option_is_certain_of_every_word() -> None:
    content = logprobs_content("Nothing. ", ("A", ""), top=5)
    assert [each["token"] for each in content] == ["Nothing", ".", " "]
    assert all(each["logprob"] > math.log(0.9) for each in content)
    assert logprobs_content("", LETTERS, top=5) == []


words = st.text(st.sampled_from(' \n\tABab_.-"é\ud800'), max_size=12)


@given(words, st.lists(words, max_size=4), st.integers(0, 5))
def test_the_tokens_make_up_the_reply_and_are_read_as_they_were_meant(reply: str, options: list[str], top: int) -> None:
    content = logprobs_content(reply, options, top=top)
    assert "".join(each["token"] for each in content) == reply
    tokens = read_logprobs({"content": content})
    assert "".join(token.text for token in tokens) == reply
    for token in tokens:
        assert max(token.top, key=lambda text: token.top[text]) == token.text
