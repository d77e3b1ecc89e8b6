"""What the reader `rating` takes for a rating."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gavelkit.core.errors import ParseError
from gavelkit.core.failure import FailureKind
from gavelkit.parsing.rating import RatingParser

RATING = RatingParser()


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Rating: [[8]]", 8),
        ("Rating: [[8.5]]", 8.5),
        ("[[ 8 ]]", 8),
        ("[[-1]]", -1),
        ('Therefore, I would rate this response as follows: "Rating: [[9]]".', 9),
        ("Rating: [[9]], since it is right.", 9),
        ("**Rating: [[9]]**", 9),
        ("**Rating:** **[[9]]**", 9),
        ("I rate it [[2]].\n\nRating: [[2]]", 2),
        ("First I thought [[3]].\n\nRating: [[7]]", 7),
        ("> Rating: [[10]]\nRating: [[2]]", 2),
        ("Rating: [[2]]\n> Rating: [[10]]", 2),
        ("The form is [[rating]].\nRating: [[8]]", 8),
        ("dp[0] = 1 and dp[i][j] = 2.\nRating: [[6]]", 6),
        ("Rating: [8]", 8),
        ("As [1] says, it is right.\nRating: [8]", 8),
        ("a[0] = x; f()[1]\nRating: [8]", 8),
        ("<think>[[10]]</think>Rating: [[2]]", 2),
        ("```\nRating: [[10]]\n```\nRating: [[2]]", 2),
        ("The answer says 'Rating: [[10]]'.\nRating: [[2]]", 2),
        ("[[7]] and again [[7.0]]", 7),
    ],
)
def test_the_last_line_with_a_rating_is_read(reply: str, value: float) -> None:
    assert RATING.parse(reply).value == value


@pytest.mark.parametrize(
    "reply",
    [
        "8",
        "Rating: 8",
        "Rating: [[8/10]]",
        "Rating: [[eight]]",
        "Rating: [[rating]]",
        "[[1e999]]",
        "> Rating: [[8]]",
        "dp[0] = 1",
        "matrix[[8]",
        "Rating: [[\u0668]]",
        "The candidate says [[10]].\nRating: [[N/A]]",
        "The candidate says [[10]].\nRating: [[2,5]]",
    ],
)
def test_what_is_no_rating_is_never_guessed(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        RATING.parse(reply)
    assert caught.value.kind is None


@pytest.mark.parametrize("reply", ["[[8]] or [[9]]", "Rating: [[3]]\nBetween [[8]] and [[9]].", "Rating: [8] or [9]"])
def test_ratings_that_differ_on_the_last_line_are_ambiguous(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        RATING.parse(reply)
    assert caught.value.kind is FailureKind.AMBIGUOUS


def test_an_empty_reply_is_told_apart() -> None:
    with pytest.raises(ParseError) as caught:
        RATING.parse("<think>[[8]]</think>")
    assert caught.value.kind is FailureKind.EMPTY


def test_the_explanation_is_the_rest_of_the_reply() -> None:
    assert RATING.parse("It is right.\n\n**Rating: [[8]]**").explanation == "It is right."
    assert RATING.parse("It is right.\n\nRating: [[8]]").explanation == "It is right."
    assert RATING.parse("I would rate it a [[10]].").explanation == "I would rate it a ."


def test_of_a_cut_reply_a_whole_rating_is_read() -> None:
    assert RATING.parse("Rating: [[8]]", cut=True).cut
    with pytest.raises(ParseError):
        RATING.parse("It says [[10]].\nRating: [[1", cut=True)


def test_every_recorded_judgment_of_mt_bench_is_read_as_it_was_then(shared_data: Path) -> None:
    with gzip.open(shared_data / "mtbench_single_gpt4.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [json.loads(line) for line in lines]
    unread = [row for row in rows if _value(row["judgment"]) is None]
    assert len(rows) == 640
    assert [row["score"] for row in unread] == [-1]
    assert all(_value(row["judgment"]) == row["score"] for row in rows if row not in unread)


def test_the_awkward_ratings_met_in_the_wild_are_read_as_they_were(shared_data: Path) -> None:
    with gzip.open(shared_data / "nasty.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["expected_format"] == "Rating: [[n]]"]
    assert len(rows) == 6
    for row in rows:
        recorded = row["upstream_verdict"]
        assert _value(row["raw"]) == (None if recorded == -1 else recorded)


def _value(reply: str) -> float | str | None:
    try:
        return RATING.parse(reply).value
    except ParseError:
        return None
