"""A judgment's line has exactly its keys, in their order, whatever failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gavelkit.core.completion import Completion
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.protocols import Entry
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.reports.page_lines import page_line

SLOT = Slot("accuracy", "1", ("",))
EXAMPLE = Example("1", {}, {"": "Lima"}, ("Lima",))
KEYS = ["idx", "score", "judgment_raw", "explanation", "formatted_prompt", "prediction", "reference", "error"]


def line(judgment: Judgment, example: Example = EXAMPLE, prompt: str | None = "Rate this.") -> dict[str, Any]:
    written = page_line(Entry(judgment, example), place=3, prompt=prompt)
    assert written.endswith(b"\n")
    found: dict[str, Any] = json.loads(written)
    return found


def steps(reply: str) -> tuple[Step, ...]:
    return (Step("judge", Completion(reply)),)


def test_a_judgment_has_the_documented_keys_in_their_order() -> None:
    found = line(Judgment(SLOT, Status.OK, 8.5, Grade(8.5, "Accurate."), steps=steps("Score: 8.5\n\nAccurate.")))
    assert list(found) == KEYS
    assert list(found.values()) == [3, 8.5, "Score: 8.5\n\nAccurate.", "Accurate.", "Rate this.", "Lima", "Lima", None]


def test_a_structured_reply_shows_what_was_read_in_place_of_the_explanation() -> None:
    grade = Grade(7.5, "Fine.", {"score": 7.5, "accuracy": 8.0})
    found = line(Judgment(SLOT, Status.OK, 7.5, grade, steps=steps("{...}")))
    assert list(found) == [key if key != "explanation" else "judgment_parsed" for key in KEYS]
    assert list(found["judgment_parsed"].items()) == [("score", 7.5), ("accuracy", 8.0)]


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.OK])
def test_an_error_stands_where_the_score_is_missing(status: Status) -> None:
    found = line(Judgment(SLOT, status, failure=Failure("no such luck")))
    assert list(found) == KEYS
    assert (found["score"], found["judgment_raw"], found["error"]) == (None, None, f"{status}: no such luck")


def test_a_structured_judge_has_the_same_keys_where_nothing_could_be_read() -> None:
    entry = Entry(Judgment(SLOT, Status.PARSE_ERROR, failure=Failure("no JSON object in the reply")), EXAMPLE)
    found = json.loads(page_line(entry, place=0, prompt=None, structured=True))
    assert list(found) == [key if key != "explanation" else "judgment_parsed" for key in KEYS]
    assert found["judgment_parsed"] is None


def test_a_failure_without_words_has_an_error_all_the_same() -> None:
    assert line(Judgment(SLOT, Status.PENDING))["error"] == "pending: no verdict"


def test_each_system_has_its_own_prediction() -> None:
    example = Example("1", {}, {"a": "Lima", "b": "Accra"}, ("Lima", "Ciudad de los Reyes"))
    found = line(Judgment(Slot("accuracy", "1", ("b",)), Status.OK, 1.0, Grade(1.0)), example)
    assert (found["prediction"], found["reference"]) == ("Accra", ["Lima", "Ciudad de los Reyes"])


def test_a_line_is_strict_json_in_valid_utf8_whatever_the_reply_held() -> None:
    hostile = "\ud800\u2028\x00"
    example = Example("1", {}, {"": hostile}, (float("nan"),))
    found = line(Judgment(SLOT, Status.PARSE_ERROR, failure=Failure(hostile), steps=steps(hostile)), example, hostile)
    assert found["prediction"] == "\ufffd\u2028\x00"
    assert found["reference"] is None
