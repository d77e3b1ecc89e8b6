"""The table of unitxt's page: each row is tested or says why not, and no name of the page is missing."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest
from tests.promises.tables import Table

from gavelkit.integrations.unitxt import LLMJudge

TABLE = Table("What unitxt's judge page promises, and the test of each")

NAMES = ["LLMJudge", "LLMJudgeDirect", "LLMJudgePairwise", "BulkInstanceMetric", "Criteria", "CriteriaWithOptions"]
METHODS = [
    "before_process_multi_stream",
    "clean_results",
    "compute",
    "get_contexts",
    "get_criteria",
    "perform_evaluation_step",
    "prepare",
]
ARGUMENTS = [
    "references",
    "predictions",
    "task_data",
    "eval_count",
    "instances",
    "task",
    "template",
    "previous_messages",
]
DIRECT_KEYS = [
    "score",
    "positional_bias",
    "selected_option",
    "positional_bias_selected_option",
    "assessment",
    "positional_bias_assessment",
    "summary",
    "positional_bias_summary",
    "prompts",
    "summarization",
    "option_selection",
    "positional_bias_option_selection",
    "posional_bias_option_selection",
    "option_selection_completion",
    "positional_bias_option_selection_completion",
    "role",
    "content",
    "__type__",
    "answer_relevance_using_granite3.0-2b_litellm",
]
EXAMPLE_KEYS = [
    "positional_bias",
    "selected_option",
    "positional_bias_selected_option",
    "assessment",
    "positional_bias_assessment",
    "summary",
    "positional_bias_summary",
    "prompts",
    "option_selection_completion",
    "positional_bias_option_selection_completion",
    "criteria",
]
CONTEST_KEYS = [
    "summaries",
    "contest_results",
    "selections",
    "compared_to",
    "assessments",
    "positional_bias_assessments",
    "option_selection_outputs",
    "positional_bias_selection",
    "winrate",
    "llm_as_judge",
    "ranking",
    "response_name",
    "system1",
    "system2",
    "system3",
]


@pytest.mark.parametrize("name", [each.name for each in fields(LLMJudge)])
def test_every_keyword_of_the_page_has_a_row_of_its_own(name: str) -> None:
    assert [row for row in TABLE.rows if row[1].startswith(f"`{name}`")]


@pytest.mark.parametrize("name", [*NAMES, *METHODS, *ARGUMENTS, *DIRECT_KEYS, *CONTEST_KEYS])
def test_every_name_of_the_page_occurs(name: str) -> None:
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", TABLE.quoted)


@pytest.mark.parametrize("name", EXAMPLE_KEYS)
def test_every_key_of_the_pages_example_occurs(name: str) -> None:
    assert f" answer_relevance_{name} " in TABLE.quoted
