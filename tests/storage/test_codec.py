"""Records as rows and back, word for word."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.completion import Completion, Token, Usage
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.storage.codec import (
    call_row,
    example_row,
    from_json,
    from_text,
    judgment_row,
    read_completion,
    read_example,
    read_failure,
    read_grade,
    to_json,
    to_text,
)

ODD_TEXTS = ["", "plain", "Größe \U0001f642", "a\ud800b", "\udfff", "nul\0inside", "\0", "line\r\nbreak", "\x1b[31m"]
SLOT = Slot("j", "1", ("",))

texts = st.text(st.characters(exclude_categories=()), max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def through_sqlite(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """What SQLite gives back of a row."""
    connection = sqlite3.connect(":memory:")
    found: tuple[Any, ...] = connection.execute(f"SELECT {','.join('?' * len(row))}", row).fetchone()
    connection.close()
    return found


def regrade(grade: Grade, reply: str, **more: Any) -> Grade | None:
    steps = (Step("judge", Completion(reply, call=1)),)
    judgment = Judgment(SLOT, Status.OK, 1.0, grade, steps=steps, **more)
    row = through_sqlite(judgment_row(1, 0, judgment))
    return read_grade(row[4], row[5], row[6], (reply,))


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_any_text_passes_through_sqlite(text: str) -> None:
    (stored,) = through_sqlite((to_text(text),))
    assert from_text(stored) == text


def test_nothing_stored_is_an_empty_text() -> None:
    assert from_text(None) == ""


@pytest.mark.parametrize("value", [2**63, 2**64, 2**70, -(2**63) - 1, 10**400, {"a\ud800": ["\0", None, 1.5]}, []])
def test_json_keeps_numbers_beyond_sixty_four_bits_and_lone_surrogates(value: object) -> None:
    (stored,) = through_sqlite((to_json(value),))
    assert from_json(stored) == value


@given(values)
def test_json_comes_back_as_it_was(value: object) -> None:
    assert from_json(to_json(value)) == value


def test_what_json_lacks_becomes_null_or_its_text() -> None:
    assert from_json(to_json([math.nan, math.inf])) == [None, None]
    assert from_json(to_json({"at": Slot("j", "1", ("a",))})) == {
        "at": {"judge": "j", "example_id": "1", "systems": ["a"], "repeat": 0}
    }
    assert from_json(to_json([object, {1, 2}])) == [str(object), [1, 2]]
    assert from_json(to_json([2**70, object])) == [2**70, str(object)]


def test_an_example_comes_back_whole() -> None:
    example = Example(
        "7", {"question": "a\ud800\0", "meta": {"n": 2**63}}, {"a": "x", "b": None}, ("r", 2), {"k": [1]}, "f.jsonl", 3
    )
    assert read_example("7", example_row(example), line=3, source="f.jsonl") == example


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_a_completion_comes_back_whole_with_its_number(text: str) -> None:
    made = Completion(text, text, text, text, text, Usage(1, None, 0, 2**62), {"temperature": 1.0}, 0.25, 3)
    row = through_sqlite(call_row(5, b"k" * 16, 1, made))
    assert read_completion(row) == Completion(
        text, text, text, text, text, Usage(1, None, 0, 2**62), {"temperature": 1.0}, 0.25, 3, call=5, replayed=True
    )


def test_parameters_that_were_sent_as_asked_are_not_kept_twice() -> None:
    assert read_completion(call_row(1, b"", 1, Completion("x"))).effective is None


@pytest.mark.parametrize("value", [7.5, -0.0, 1e308, "C", "a\ud800", "nul\0", "12"])
def test_a_grade_comes_back_with_its_value(value: float | str) -> None:
    grade = Grade(value, "because", {"tone": 3, "tags": ["a"]}, ambiguous=True, cut=True)
    assert regrade(grade, "because of that") == grade


@pytest.mark.parametrize("reply", ["", "It is right.\nScore: 7", "Größe \U0001f642: It is right.", "x\0It is right."])
def test_an_explanation_comes_back_wherever_it_stands(reply: str) -> None:
    assert regrade(Grade(7.0, "It is right."), reply) == Grade(7.0, "It is right.")


def test_an_explanation_that_stands_in_the_reply_is_kept_as_its_place() -> None:
    steps = (Step("judge", Completion("x" * 9 + "because", call=1)),)
    row = judgment_row(1, 0, Judgment(SLOT, Status.OK, 1.0, Grade(1.0, "because"), steps=steps))
    assert row[5] == (9 << 32) + 7
    elsewhere = judgment_row(1, 0, Judgment(SLOT, Status.OK, 1.0, Grade(1.0, "because")))
    assert elsewhere[5] == "because"


def test_no_grade_is_none() -> None:
    assert read_grade(None, None, None, ()) is None


@pytest.mark.parametrize("kind", [None, FailureKind.TIMEOUT])
def test_a_failure_keeps_its_raw_reply_beside_it_or_in_the_call(kind: FailureKind | None) -> None:
    failure = Failure("odd \ud800", kind, raw="the raw\0 reply", fatal=True, steps=("judge", "judge (2)"))
    alone = judgment_row(1, 7, Judgment(SLOT, Status.CALL_ERROR, failure=failure))
    assert read_failure(through_sqlite(alone)[7], ()) == failure
    steps = (Step("judge", Completion("the raw\0 reply", call=4)),)
    beside = judgment_row(1, 7, Judgment(SLOT, Status.PARSE_ERROR, failure=failure, steps=steps))
    assert "the raw" not in beside[7]
    assert read_failure(beside[7], ("the raw\0 reply",)) == failure
    assert read_failure(None, ()) is None


def test_steps_are_listed_where_there_are_several_or_the_only_one_has_a_name_of_its_own() -> None:
    steps = (Step("ask", Completion("a", call=3)), Step("sum", Completion("b", call=4)))
    plain = judgment_row(1, 0, Judgment(SLOT, Status.OK, 1.0, steps=(Step("judge", steps[0].completion),)))
    one = judgment_row(1, 0, Judgment(SLOT, Status.OK, 1.0, steps=steps[:1]))
    two = judgment_row(1, 0, Judgment(SLOT, Status.OK, 1.0, steps=steps))
    assert (plain[8], plain[9]) == (3, None)
    assert (one[8], from_json(one[9])) == (3, [["ask", 3]])
    assert (two[8], from_json(two[9])) == (4, [["ask", 3], ["sum", 4]])


def steps_of(*replies: str) -> tuple[Step, ...]:
    return tuple(Step(f"step {n}", Completion(reply, call=n)) for n, reply in enumerate(replies, start=1))


@pytest.mark.parametrize(
    ("explanation", "place"),
    [
        ("Good.", (4 << 32) + 5),
        ("Long words.", ~((1 << 56) + (1 << 28) + 11)),
        ("Hm. Odd\ud800", ~((2 << 56) + 8)),
        ("Nowhere.", "Nowhere."),
        ("", None),
    ],
)
def test_an_explanation_is_kept_as_its_place_in_the_last_reply_that_holds_it(explanation: str, place: object) -> None:
    replies = ("Hm. Odd\ud800", " Long words. Good. Hm.", "Yes Good.")
    judgment = Judgment(SLOT, Status.OK, 1.0, Grade("Yes", explanation), steps=steps_of(*replies))
    row = through_sqlite(judgment_row(1, 0, judgment))
    assert row[5] == place
    assert read_grade(row[4], row[5], row[6], replies) == judgment.grade


@given(st.lists(texts, max_size=4), texts)
def test_an_explanation_comes_back_whatever_the_replies_hold(replies: list[str], words: str) -> None:
    judgment = Judgment(SLOT, Status.OK, 1.0, Grade("Yes", words), steps=steps_of(*replies))
    row = through_sqlite(judgment_row(1, 0, judgment))
    assert read_grade(row[4], row[5], row[6], replies) == judgment.grade


def test_a_place_too_far_on_for_its_bits_is_kept_as_the_text() -> None:
    replies = ("words", *[""] * 128)
    judgment = Judgment(SLOT, Status.OK, 1.0, Grade("Yes", "words"), steps=steps_of(*replies))
    assert judgment_row(1, 0, judgment)[5] == "words"
    nearer = Judgment(SLOT, Status.OK, 1.0, Grade("Yes", "words"), steps=steps_of(*replies[:-1]))
    row = through_sqlite(judgment_row(1, 0, nearer))
    assert read_grade(row[4], row[5], row[6], replies[:-1]) == nearer.grade


@pytest.mark.parametrize("raw", ["the assessment", "the choice", "", "of a call\ud800 that failed"])
def test_a_failure_after_a_good_step_keeps_what_was_not_read(raw: str) -> None:
    replies = ("the assessment", "the choice")
    failure = Failure("odd", FailureKind.DECODE, raw)
    row = judgment_row(1, 7, Judgment(SLOT, Status.CALL_ERROR, failure=failure, steps=steps_of(*replies)))
    assert "the " not in row[7]
    assert read_failure(through_sqlite(row)[7], replies) == failure
    without = read_failure(row[7], ())
    assert without is not None
    assert (without.kind, without.message) == (FailureKind.DECODE, "odd")


LOGPROBS = (Token("B\ud800", {"B\ud800": -0.1, "A": -2.5}), Token("", {}), Token(" x\0", {" x\0": -math.inf, "y": 0.0}))


def test_log_probabilities_come_back_with_their_reply() -> None:
    row = through_sqlite(call_row(5, b"k", 1, Completion("B", logprobs=LOGPROBS)))
    assert read_completion(row).logprobs == LOGPROBS


def test_a_reply_without_log_probabilities_keeps_no_text_of_them() -> None:
    row = through_sqlite(call_row(5, b"k", 1, Completion("B")))
    assert row[-1] is None
    assert read_completion(row).logprobs == ()


@given(st.dictionaries(texts, st.floats(-1e4, 0), max_size=4))
def test_every_probability_comes_back_to_its_last_digit(top: dict[str, float]) -> None:
    completion = Completion("B", logprobs=(Token("B", top),))
    assert read_completion(call_row(5, b"k", 1, completion)).logprobs == completion.logprobs


def test_parts_may_hold_lists_and_mappings_of_any_depth() -> None:
    parts = {"distribution": {"A": 0.9, "B": 0.1}, "orders": [{"choice": "A", "mass": None}, []], "flag": True}
    assert regrade(Grade("A", "why", parts), "why") == Grade("A", "why", parts)
