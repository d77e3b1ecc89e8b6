"""How context-bench's evaluator holds a response against the answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.integrations.context_bench import AnswerQuality

KEYS = ["f1", "exact_match", "recall", "contains"]
TEXTS = st.text(alphabet="ab the.-L", max_size=12)


def quality(answer: object, response: object) -> list[float]:
    scores = AnswerQuality().score({"answer": answer}, {"response": response})
    assert list(scores) == KEYS
    return list(scores.values())


def test_it_is_called_answer_quality() -> None:
    assert AnswerQuality().name == "answer_quality"


@pytest.mark.parametrize("original", [{}, {"answer": ""}])
@pytest.mark.parametrize("processed", [{}, {"response": "x"}])
def test_without_an_answer_everything_is_right(original: dict[str, Any], processed: dict[str, Any]) -> None:
    assert AnswerQuality().score(original, processed) == dict.fromkeys(KEYS, 1.0)


@pytest.mark.parametrize("processed", [{}, {"response": ""}])
def test_no_response_to_an_answer_is_wrong(processed: dict[str, Any]) -> None:
    assert AnswerQuality().score({"answer": "x"}, processed) == dict.fromkeys(KEYS, 0.0)


@pytest.mark.parametrize(
    ("answer", "response", "expected"),
    [
        ("Lima", "Lima", [1, 1, 1, 1]),
        ("the Lima!", "a lima", [1, 1, 1, 0]),
        ("Lima", "It is Lima.", [0.5, 0, 1, 1]),
        ("red blue", "red green", [0.5, 0, 0.5, 0]),
        ("a b b", "b", [2 / 3, 0, 0.5, 0]),
        ("Lima", "Oslo", [0, 0, 0, 0]),
        ("im", "Lima", [0, 0, 0, 1]),
        ("the", "the", [0, 1, 0, 1]),
        ("?", "x", [0, 0, 0, 0]),
        (7, "7", [1, 1, 1, 1]),
        ("None", None, [1, 1, 1, 1]),
        ("a-b", "b", [1, 1, 1, 0]),
    ],
)
def test_words_are_counted_without_case_articles_and_punctuation(
    answer: object, response: object, expected: list[float]
) -> None:
    assert quality(answer, response) == pytest.approx(expected)


@given(TEXTS, TEXTS)
def test_every_score_lies_between_0_and_1_and_f1_does_not_mind_the_direction(one: str, other: str) -> None:
    scores = quality(one, other)
    assert all(0 <= score <= 1 for score in scores)
    if one and other:
        assert scores[:2] == quality(other, one)[:2]


@given(TEXTS.filter(lambda text: "L" in text))
def test_a_response_that_is_the_answer_is_right_in_every_way(text: str) -> None:
    assert quality(text, text) == [1, 1, 1, 1]
