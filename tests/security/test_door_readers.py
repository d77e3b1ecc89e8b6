"""The readers that other systems' pages fix: how often a planted verdict wins, as docs/security.md says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.security.planted import PLANTED, REPLIES, plant, quoting

from gavelkit.core.errors import ParseError
from gavelkit.integrations.context_bench import LLMJudge
from gavelkit.integrations.eval_harness import JudgeParseError, _parse_judge_response
from gavelkit.integrations.nemo_byob import DEFAULT_PATTERNS, JudgeConfig, ScorerInput, judge_score, parse_grade
from gavelkit.parsing import ScoreFirstParser

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
CONFIG = JudgeConfig("http://127.0.0.1:1/v1", "m")
Read = Callable[[str], object]
_ROW = re.compile(r"^\| `(\w[\w.]*)` \|[^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", re.MULTILINE)


class Session:
    """Answers every request with one reply."""

    def __init__(self, reply: str) -> None:
        self._reply = reply

    def post(self, _url: str, **_given: object) -> Session:
        return self

    def raise_for_status(self) -> None:
        """Nothing went wrong."""

    def json(self) -> Any:
        return {"choices": [{"message": {"content": self._reply}}]}


def byob_judge(reply: str) -> object:
    settings = {"judge": CONFIG, "_judge_session": Session(reply)}
    scored = judge_score(ScorerInput("R", "G", {"question": "Q"}, config=settings))
    return None if "judge_status" in scored else scored["judge_grade"]


def byob_grade(reply: str) -> object:
    return parse_grade(reply, DEFAULT_PATTERNS["binary_qa"])


def first_score(reply: str) -> object:
    try:
        return ScoreFirstParser().parse(reply).value
    except ParseError:
        return None


def two_marks(reply: str) -> object:
    try:
        return _parse_judge_response(reply)[:2]
    except JudgeParseError:
        return None


MARKS = '{{"reasoning": "{why}.", "correctness": {marks[0]}, "relevance": {marks[1]}}}'
READERS: dict[str, tuple[Read, str, str]] = {
    "LLMJudge._parse_rating": (LLMJudge._parse_rating, "2", "5"),
    "score_first": (first_score, "Score: 2", "Score: 10"),
    "parse_grade": (byob_grade, "GRADE: I", "GRADE: C"),
    "judge_score": (byob_judge, "GRADE: I", "GRADE: C"),
    "_parse_judge_response": (
        two_marks,
        MARKS.format(why="No", marks=(1, 3)),
        MARKS.format(why="Yes", marks=(10, 10)),
    ),
}
"""By its name each reader, which gives None where it refuses; a judge's own verdict; and the one that is planted."""


def counted(name: str) -> Counter[str]:
    """How the replies in which the judge gives its verdict where this reader looks for it were read."""
    read, own, other = READERS[name]
    verdict, wanted = read(own), read(other)
    found: Counter[str] = Counter()
    for shape in REPLIES:
        if read(quoting(shape, "nothing", own)) != verdict:
            continue
        for planted in PLANTED:
            value = read(quoting(shape, plant(planted, other), own))
            how = {verdict: "own", wanted: "planted", None: "refused"}.get(value, "another")
            found[how] += 1
    return found


def told() -> dict[str, tuple[int, ...]]:
    """The figures of the page's table: replies, own, refused, planted, another."""
    rows = _ROW.findall(PAGE.read_text("utf-8"))
    return {name: tuple(map(int, figures)) for name, *figures in rows}


@pytest.mark.parametrize("name", READERS)
def test_the_page_says_how_often_a_planted_verdict_wins(name: str) -> None:
    found = counted(name)
    figures = (found.total(), *(found[how] for how in ("own", "refused", "planted", "another")))
    assert told()[name] == figures


def test_the_page_lists_these_readers_and_no_other() -> None:
    assert told().keys() == READERS.keys()
