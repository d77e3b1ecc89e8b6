"""The table of eval_harness's page: each row is tested or says how it differs, and no name of the page is missing."""

from __future__ import annotations

import re

import pytest
from tests.promises.tables import Table

TABLE = Table("What eval_harness's judge page promises, and the test of each")

NAMES = [
    "DEFAULT_THRESHOLD",
    "DEFAULT_MODEL",
    "RUBRIC_PROMPT",
    "JudgeParseError",
    "_parse_judge_response",
    "LLMJudgeScorer",
    "Scorer",
    "ScoreResult",
    "OllamaProvider",
    "build_prompt",
    "score",
    "generate",
    "eval_harness.scorers.judge",
    "eval_harness.scorers.base",
    "eval_harness.providers.ollama",
    "procedural_001",
    "data/human_labels.yaml",
    "tests/test_calibration.py",
]
ARGUMENTS = [
    "threshold",
    "judge_fn",
    "model",
    "timeout",
    "temperature",
    "raw",
    "question",
    "output",
    "expected",
]
KEYS = ["reasoning", "correctness", "relevance", "passed", "reason", "name", "judge"]


@pytest.mark.parametrize("name", [*NAMES, *ARGUMENTS, *KEYS])
def test_every_name_of_the_page_occurs(name: str) -> None:
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", TABLE.quoted)
