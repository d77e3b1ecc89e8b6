"""Every writer's promise: what it writes reads back, and what would not is refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gavelkit.core.grade import Grade
from gavelkit.core.protocols import Parser
from gavelkit.parsing import (
    GradeParser,
    GradePatternParser,
    JsonOptionParser,
    JsonParser,
    OptionParser,
    RatingParser,
    ScoreFirstParser,
    ScoreParser,
)

OF_NUMBERS: list[Parser] = [ScoreParser(), ScoreFirstParser(), RatingParser()]
OF_WORDS: list[Parser] = [
    GradeParser(),
    GradeParser(("PASS", "FAIL", "Could be Improved")),
    GradePatternParser(r"GRADE:\s*(PASS|FAIL)"),
    GradePatternParser(r"(?m)^\*\*Verdict\*\* is (\w+)\.?$", ("PASS", "FAIL")),
    GradePatternParser(r"(?P<grade>PASS|FAIL)$"),
    OptionParser(("PASS", "FAIL", "Could be Improved"), {"P": "PASS"}),
]
OF_JSON: list[Parser] = [JsonParser(), JsonOptionParser(("PASS", "8"))]

# No verdict and no tag can stand in these explanations, so that every writer must be able to carry them.
plain_words = (
    st.text(alphabet=st.characters(exclude_characters=":[]<>", exclude_categories=["Cs"]))
    .map(lambda text: f"It says {text}".strip())
    .filter(lambda text: "PASS" not in text)
) | st.just("")


@pytest.mark.parametrize("parser", OF_NUMBERS, ids=lambda parser: parser.name)
@given(value=st.floats(allow_nan=False, allow_infinity=False), explanation=plain_words)
def test_a_number_and_plain_words_read_back(parser: Parser, value: float, explanation: str) -> None:
    grade = Grade(value, explanation)
    assert parser.parse(parser.write(grade)) == grade


@pytest.mark.parametrize("parser", OF_WORDS, ids=repr)
@given(value=st.sampled_from(["PASS", "FAIL"]), explanation=plain_words)
def test_a_grade_and_plain_words_read_back(parser: Parser, value: str, explanation: str) -> None:
    grade = Grade(value, explanation)
    assert parser.parse(parser.write(grade)) == grade


@pytest.mark.parametrize("parser", [*OF_NUMBERS, *OF_WORDS, *OF_JSON], ids=repr)
@given(value=st.floats() | st.text() | st.sampled_from(["PASS", "8"]), explanation=st.text())
@example(value=8.0, explanation="Score: 9")
@example(value=8.0, explanation="[[9]]")
@example(value=8.0, explanation="<think>")
@example(value=float("nan"), explanation="")
@example(value="FAIL", explanation="GRADE: PASS")
@example(value="C\nD", explanation="")
def test_what_would_not_read_back_is_never_written(parser: Parser, value: float | str, explanation: str) -> None:
    grade = Grade(value, explanation)
    try:
        reply = parser.write(grade)
    except ValueError:
        return
    assert parser.parse(reply) == grade


@pytest.mark.parametrize("parser", [*OF_NUMBERS, *OF_WORDS, *OF_JSON], ids=repr)
def test_a_writer_says_what_it_cannot_carry(parser: Parser) -> None:
    value = "PASS" if parser in OF_WORDS else 8.0
    with pytest.raises(ValueError, match="cannot carry"):
        parser.write(Grade(value, " not stripped "))


@pytest.mark.parametrize("parser", [ScoreParser(), RatingParser(), GradeParser()], ids=lambda parser: parser.name)
def test_reasoning_comes_before_the_verdict(parser: Parser) -> None:
    value = "C" if isinstance(parser, GradeParser) else 8.0
    assert parser.write(Grade(value, "It is right.")).startswith("It is right.\n\n")


def test_score_first_puts_the_verdict_first() -> None:
    assert ScoreFirstParser().write(Grade(8.5, "It is right.")) == "Score: 8.5\n\nIt is right."
