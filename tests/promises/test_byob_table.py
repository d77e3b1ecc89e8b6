"""The table of NeMo Evaluator's judge page: each row is tested or says why not, and no name of the page is missing."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest
from tests.promises.tables import Table

from gavelkit.integrations.nemo_byob import DEFAULT_SCORE_MAPPINGS, TEMPLATES, JudgeConfig

TABLE = Table("What NeMo Evaluator's judge page promises, and the test of each")

NAMES = [
    "benchmark",
    "scorer",
    "ScorerInput",
    "judge_score",
    "parse_grade",
    "nemo_evaluator.contrib.byob",
    "nemo_evaluator.contrib.byob.judge",
]
ARGUMENTS = [
    "name",
    "dataset",
    "prompt",
    "extra",
    "sample",
    "template",
    "criteria",
    "grade_pattern",
    "score_mapping",
    "judge_key",
    "response_format",
    "template_kwargs",
    "my_criteria",
    "sample.config",
    "sample.metadata",
    "sample.response",
    "sample.target",
    "metadata",
]
OTHERS = [
    "judge_grade",
    "judge",
    "judge_1",
    "judge_2",
    "quality",
    "CALL_ERROR",
    "PARSE_ERROR",
    "GRADE",
    "NVIDIA_API_KEY",
    "os.environ",
    "json_object",
    "qa.jsonl",
    "{question}",
    "{response}",
    "{reference}",
    "{criteria}",
]


@pytest.mark.parametrize("name", [*(each.name for each in fields(JudgeConfig)), *TEMPLATES])
def test_every_setting_and_every_template_has_a_row_of_its_own(name: str) -> None:
    assert [row for row in TABLE.rows if row[1].startswith(f"`{name}`")]


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_row_of_a_template_names_its_grades(name: str) -> None:
    (row,) = (row for row in TABLE.rows if row[1].startswith(f"`{name}` "))
    first, *_between, last = DEFAULT_SCORE_MAPPINGS[name]
    assert f"`{first}`" in row[1]
    assert f"`{last}`" in row[1]


@pytest.mark.parametrize("name", [*NAMES, *ARGUMENTS, *OTHERS])
def test_every_name_of_the_page_occurs(name: str) -> None:
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", TABLE.quoted)
