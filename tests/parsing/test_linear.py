"""A long reply takes time in proportion to its length, whatever it holds."""

from __future__ import annotations

import contextlib
from time import thread_time

import pytest

from gavelkit.core.errors import ParseError
from gavelkit.core.protocols import Parser
from gavelkit.parsing import (
    GradeParser,
    JsonOptionParser,
    JsonParser,
    OptionParser,
    RatingParser,
    ScoreFirstParser,
    ScoreParser,
)

SMALL = 32_768
TIMES_LARGER = 32
PIECES = [
    "Score: ",
    "Score: 8\n",
    "Score:\n",
    "\n",
    "*",
    "[[",
    "[[8]] ",
    "[[8]]\n",
    "> [[8]]",
    "[8] ",
    "Rating: ",
    "<think>",
    "<think></think>",
    "GRADE: C ",
    "GRADE:C",
    "GRADE: C\n",
    "> GRADE: C\n",
    "1",
    '{"score": 8}',
    '{"score": 8, ',
    '[{"',
    '\\"',
    "{ ",
    " ",
    "\u0301",
    "Very ",
    "Good ",
    "not Good\n",
    "no ",
    "4 out of ",
    "---\n",
]
PARSERS: list[Parser] = [
    ScoreParser(),
    ScoreFirstParser(),
    RatingParser(),
    GradeParser(),
    JsonParser(),
    OptionParser(("Very Good", "Good", "No", "4", "5")),
    JsonOptionParser(("Good", "Bad")),
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_megabyte_takes_nowhere_near_the_square_of_its_32nd_part(piece: str) -> None:
    for parser in PARSERS:
        small = min(_seconds(parser, piece, SMALL) for _ in range(3))
        large = _seconds(parser, piece, SMALL * TIMES_LARGER)
        # The square would be 1024 times; a reply too quick to measure is no worry.
        assert large < max(small, 0.001) * TIMES_LARGER * 8, (parser, small, large)


def _seconds(parser: Parser, piece: str, length: int) -> float:
    reply = f"Score: 8 [[8]] GRADE: {piece * (length // len(piece))}"
    begin = thread_time()
    with contextlib.suppress(ParseError):
        parser.parse(reply)
    return thread_time() - begin
