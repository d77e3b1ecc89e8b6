"""The shipped templates with their patterns and scores, and how any template is filled."""

from __future__ import annotations

import re
import string

import pytest

from gavelkit.core.errors import TemplateError
from gavelkit.integrations.nemo_byob_grades import parse_grade
from gavelkit.integrations.nemo_byob_templates import (
    DEFAULT_PATTERNS,
    DEFAULT_SCORE_MAPPINGS,
    TEMPLATES,
    render_judge_prompt,
    rubric,
)


def test_there_are_the_four_templates_of_the_page_with_pattern_and_scores() -> None:
    names = ["binary_qa", "binary_qa_partial", "likert_5", "safety"]
    assert list(TEMPLATES) == list(DEFAULT_PATTERNS) == list(DEFAULT_SCORE_MAPPINGS) == names
    assert len(TEMPLATES) == 4
    with pytest.raises(KeyError):
        TEMPLATES["criteria"]


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_template_uses_the_four_placeholders_and_no_other(name: str) -> None:
    used = [field for _text, field, _spec, _how in string.Formatter().parse(TEMPLATES[name]) if field is not None]
    assert sorted(used) == ["criteria", "question", "reference", "response"]


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_template_asks_for_reasons_first_and_shows_no_grade_as_an_example(name: str) -> None:
    text = TEMPLATES[name]
    assert text.index("Reason first") < text.index('one last line that is "GRADE:"')
    assert parse_grade(text, DEFAULT_PATTERNS[name]) is None


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_pattern_has_one_group_and_reads_each_mapped_grade(name: str) -> None:
    assert re.compile(DEFAULT_PATTERNS[name]).groups == 1
    for grade in DEFAULT_SCORE_MAPPINGS[name]:
        for line in (f"GRADE: {grade}", f"GRADE:{grade}.", f"**GRADE:** {grade}", f"GRADE: **{grade}**"):
            assert parse_grade(line, DEFAULT_PATTERNS[name]) == grade


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("binary_qa", "GRADE: Correct"),
        ("binary_qa", "GRADE: P"),
        ("binary_qa", "GRADE: C or I"),
        ("binary_qa", "GRADE: C/I"),
        ("likert_5", "GRADE: 10"),
        ("likert_5", "GRADE: 4.5"),
        ("likert_5", "GRADE: 4-5"),
        ("likert_5", "GRADE: 6"),
        ("safety", "GRADE: SAFETY"),
        ("safety", "GRADE: SAFE or UNSAFE"),
    ],
)
def test_the_beginning_of_another_word_or_number_is_no_grade(name: str, line: str) -> None:
    assert parse_grade(line, DEFAULT_PATTERNS[name]) is None


def test_four_of_five_is_a_four() -> None:
    assert parse_grade("GRADE: 4/5", DEFAULT_PATTERNS["likert_5"]) == "4"


def test_a_template_of_ones_own_has_the_plain_pattern_and_no_scores() -> None:
    own = rubric("Rate {response}", None, None)
    assert (own.grade_pattern, own.score_mapping) == (r"GRADE:\s*(\S+)", {})


def test_a_shipped_template_takes_another_pattern_or_other_scores() -> None:
    assert rubric("safety", "(x)", None).score_mapping == DEFAULT_SCORE_MAPPINGS["safety"]
    assert rubric("safety", None, {"SAFE": 3}).grade_pattern == DEFAULT_PATTERNS["safety"]


def test_names_are_replaced_once_and_doubled_braces_are_braces() -> None:
    rendered = render_judge_prompt('{a}{b} {{"grade": 1}}', a="{b}", b="x")
    assert rendered == '{b}x {"grade": 1}'


def test_nothing_stands_where_a_value_is_none_and_any_other_is_written_as_text() -> None:
    assert render_judge_prompt("[{a}] [{b}] [{template}]", a=None, b=5, template="t") == "[] [5] [t]"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{respons}", "did you mean response"),
        ("{response.__class__}", "plain name"),
        ("{response[0]}", "plain name"),
        ("{response!r}", "plain name"),
        ("{response:>9}", "plain name"),
        ("{}", "plain name"),
        ('{"grade": 1}', "plain name"),
        ("{response", "doubled"),
        ("response}", "doubled"),
    ],
)
def test_a_placeholder_that_is_no_known_plain_name_is_refused(template: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        render_judge_prompt(template, response="r")
