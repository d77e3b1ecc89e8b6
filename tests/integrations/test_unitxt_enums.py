"""unitxt's enums: each member has its name and its value."""

from __future__ import annotations

import pytest

from gavelkit.catalog import names
from gavelkit.integrations.unitxt import (
    CriteriaWithOptions,
    DirectCriteriaCatalogEnum,
    EvaluatorNameEnum,
    LLMJudgeDirect,
    PairwiseCriteriaCatalogEnum,
)


def test_there_are_27_evaluators() -> None:
    assert len(EvaluatorNameEnum) == 27
    assert EvaluatorNameEnum.GPT4o.value == "GPT-4o"
    assert EvaluatorNameEnum("DeepSeek V3").name == "DEEPSEEK_V3"


@pytest.mark.parametrize(
    ("member", "name"),
    [
        ("ANSWER_RELEVANCE", "answer_relevance"),
        ("TEMPERATURE", "temperature_in_celsius_and_fahrenheit"),
        ("QUALITY", "question_answer_quality"),
        ("STEP_BY_STEP_NON_COHERENT", "step_by_step_reasoning_non_coherent"),
        ("STEP_BY_STEP_REASONING_NON_FACTUAL", "step_by_step_reasoning_non_factual"),
        ("GENERAL_HARM_USER_MESSAGE", "user_message_general_harm"),
        ("ANSWER_RELEVANCE_ASSISTANT_MESSAGE", "assistant_message_answer_relevance"),
        ("CONTEXT_RELEVANCE_CONTEXT", "context_context_relevance"),
    ],
)
def test_a_member_of_the_catalogue_is_its_criteria(member: str, name: str) -> None:
    criteria = DirectCriteriaCatalogEnum[member].value
    assert isinstance(criteria, CriteriaWithOptions)
    assert criteria.name == name


def test_all_shipped_criteria_but_three_are_members() -> None:
    assert len(DirectCriteriaCatalogEnum) == len(names("criteria")) - 3 == 63
    assert {each.name for each in PairwiseCriteriaCatalogEnum} == {name.upper() for name in SEVEN} | {"TEMPERATURE"}


SEVEN = [
    "funny_joke",
    "factually_consistent",
    "inclusivity",
    "reference_document_faithfulness",
    "summarization_preference",
    "email_inclusivity",
]


def test_a_judge_takes_a_member_as_it_is_and_its_value() -> None:
    member = DirectCriteriaCatalogEnum["FLUENCY"]
    for given in (member, member.value):
        assert LLMJudgeDirect(inference_engine=str, criteria=given).criteria.name == "fluency"
