"""A response given in the run itself stands in its own step."""

from __future__ import annotations

from gavelkit.core.answer import answer_step, is_answer, with_answers
from gavelkit.core.completion import Completion
from gavelkit.core.example import Example
from gavelkit.core.judgment import Step

EXAMPLE = Example("1", {"question": "?"}, {"old": "said before"})


def test_an_answer_is_put_beside_the_responses_that_the_row_has() -> None:
    steps = [Step(answer_step("new"), Completion("said now")), Step("judge", Completion("Score: 3"))]
    assert with_answers(EXAMPLE, steps).responses == {"old": "said before", "new": "said now"}


def test_a_row_without_answers_is_the_same_row() -> None:
    assert with_answers(EXAMPLE, [Step("judge", Completion("Score: 3"))]) is EXAMPLE


def test_a_judges_step_is_no_answer() -> None:
    assert is_answer(answer_step(""))
    assert is_answer(answer_step("m"))
    assert not is_answer("judge")
