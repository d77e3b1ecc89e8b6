"""How likely each option is, read from the probabilities of a reply's tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.core.completion import Token
from gavelkit.core.errors import ConfigError, ParseError
from gavelkit.parsing import expectation, read_distribution
from gavelkit.parsing.distribution import Distribution

ONE_TO_FIVE = {each: each for each in "12345"}
SCORES = {each: float(each) for each in "12345"}
GRADES = {"A": "Good", "B": "Fair", "C": "Bad"}
EXAMPLE = {"1": -5.0, "2": -3.0, "3": -1.5, "4": -0.5, "5": -2.0, "The": -6.0}
"""Hand-made numbers whose probabilities add up to 1.024, those of the labels to 1.0215."""


def likely(**probabilities: float) -> dict[str, float]:
    return {text: math.log(each) for text, each in probabilities.items()}


def said(*words: str, top: Mapping[str, float], at: int = -1) -> list[Token]:
    """Tokens of which one has listed alternatives and the others are certain."""
    tokens = [Token(word, {word: 0.0}) for word in words]
    tokens[at] = Token(words[at], top)
    return tokens


def test_probabilities_that_add_up_to_more_than_1_are_refused() -> None:
    with pytest.raises(ParseError, match=r"add up to 1\.0240"):
        read_distribution([Token("4", EXAMPLE)], ONE_TO_FIVE)
    labels_alone = {text: each for text, each in EXAMPLE.items() if text != "The"}
    with pytest.raises(ParseError, match=r"add up to 1\.0215"):
        read_distribution([Token("4", labels_alone)], ONE_TO_FIVE)


def test_the_expectation_of_the_known_example() -> None:
    smaller = {text: each - 0.1 for text, each in EXAMPLE.items()}
    found = read_distribution([Token("4", smaller)], ONE_TO_FIVE)
    assert found.value == "4"
    assert found.mass == pytest.approx(1.0214833 * math.exp(-0.1), abs=1e-4)
    assert expectation(found, SCORES) == pytest.approx(3.7967904, abs=5e-8)


def test_a_thousandth_above_1_is_rounding() -> None:
    assert read_distribution([Token("A", {"A": math.log(1.0009)})], GRADES).value == "Good"
    with pytest.raises(ParseError, match="more than 1"):
        read_distribution([Token("A", {"A": math.log(1.0011)})], GRADES)


def test_all_ways_to_write_a_label_are_added_up() -> None:
    top = {
        "A": math.log(0.3),
        " A": math.log(0.1),
        "\uff21": math.log(0.1),
        "a": math.log(0.1),
        "\u2581B": math.log(0.2),
    }
    found = read_distribution([Token("A", top)], GRADES)
    assert found.mass == pytest.approx(0.8)
    assert found.shares == pytest.approx({"Good": 0.75, "Fair": 0.25, "Bad": 0.0})


def test_the_place_is_found_by_the_text_and_not_by_its_number() -> None:
    early = Token("A", likely(A=1.0))
    tokens = [early, *said(" looks", " better", ".\n", "Choice", ":", " B", ".", top=likely(A=0.2, B=0.8), at=-2)]
    assert read_distribution(tokens, GRADES).shares == pytest.approx({"Good": 0.2, "Fair": 0.8, "Bad": 0.0})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((), ("\n",)),
        (("<th", "ink>A", " or B?</", "think>", "\n"), ()),
        (("It is", " fine.\n\n", "**"), ("**",)),
        (("Caf", "e\u0301", ": "), (".",)),
        (("\u00df \ufb01", " so "), ()),
        (("I choose option (",), (")", ", since it is a good one")),
    ],
)
def test_the_label_is_found_wherever_the_reply_gives_it(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    tokens = said(*before, "B", *after, top=likely(A=0.3, B=0.6), at=len(before))
    found = read_distribution(tokens, GRADES)
    assert found.value == "Fair"
    assert found.mass == pytest.approx(0.9)


def test_a_fullwidth_label_is_found() -> None:
    assert read_distribution([Token("\uff22", {"\uff22": -0.1})], GRADES).value == "Fair"


def test_the_most_likely_option_wins_even_where_another_was_drawn() -> None:
    found = read_distribution([Token("B", likely(A=0.7, B=0.2))], GRADES)
    assert found.value == "Good"


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        ([], "sent no log probabilities"),
        ([Token("A", {})], "sent no log probabilities"),
        ([Token("So ", {"So ": 0.0}), Token("A", {})], "listed no log probabilities for the label's token 'A'"),
        ([Token("Good", likely(Good=1.0))], "names none of the options"),
        ([Token("A", likely(A=0.5)), Token(" or B", likely(B=0.5))], "several options"),
        ([Token("A.", {"A.": 0.0})], "not a token of its own: it stands in 'A.'"),
        ([Token("A", likely(A=0.3, The=0.6))], r"have 0\.300 of all probability"),
        ([Token("A", {"A": -0.1, "B": float("-inf")})], "'B' is not finite: -inf"),
        ([Token("A", {"A": float("nan")})], "not finite"),
        ([Token("A", {"A": 1e6})], "more than 1"),
        ([Token("<think>A", likely(A=1.0))], "nothing but thinking"),
    ],
)
def test_what_cannot_be_a_distribution_is_refused_with_the_reason(tokens: list[Token], reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        read_distribution(tokens, GRADES)


def test_a_label_of_several_tokens_is_refused() -> None:
    labels = {str(each): str(each) for each in range(1, 11)}
    ten = [Token("1", {"1": -0.1}), Token("0", {"0": -0.1})]
    with pytest.raises(ParseError, match="'10' is not a token of its own"):
        read_distribution(ten, labels)
    with pytest.raises(ParseError, match="'1' may be the beginning of '10'"):
        read_distribution([Token("1", {"1": -0.1})], labels)
    assert read_distribution([Token("10", {"10": -0.2, "1": -3.0})], labels).value == "10"


def test_of_a_number_that_is_no_label_no_part_is_taken() -> None:
    for words in (("4", ".5"), ("1", "0"), ("-", "4")):
        with pytest.raises(ParseError):
            read_distribution([Token(word, {word: -0.1}) for word in words], ONE_TO_FIVE)


@pytest.mark.parametrize("labels", [{}, {"A.": "x"}, {"": "x"}, {"\uff21": "x"}, {"A": "x", "a": "y"}])
def test_labels_that_cannot_be_told_apart_are_refused(labels: dict[str, str]) -> None:
    with pytest.raises(ConfigError):
        read_distribution([Token("A", {"A": 0.0})], labels)


def test_an_expectation_needs_every_score() -> None:
    with pytest.raises(ValueError, match="no score for the options Bad"):
        expectation(Distribution({"Good": 0.5, "Bad": 0.5}, 1.0, "Good"), {"Good": 1.0})


@settings(max_examples=50)
@given(st.lists(st.floats(0.001, 1), min_size=6, max_size=6))
def test_shares_add_up_to_1_and_the_expectation_lies_within_the_scores(weights: list[float]) -> None:
    total = sum(weights)
    top = {text: math.log(each / total) for text, each in zip([*"12345", "The"], weights, strict=True)}
    if sum(weights[:5]) < total * 0.501:
        return
    found = read_distribution([Token("4", top)], ONE_TO_FIVE)
    assert math.fsum(found.shares.values()) == pytest.approx(1.0)
    assert 1 <= expectation(found, SCORES) <= 5
