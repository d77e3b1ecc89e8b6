"""The table of context-bench's page: each row is tested or says why not, and no name of the judge is missing."""

from __future__ import annotations

import inspect

import pytest
from tests.promises.tables import Table

from gavelkit.integrations.context_bench import LLMJudge

TABLE = Table("What context-bench's judge page promises, and the test of each")

NAMES = [
    "LLMJudge",
    "OPENAI_API_KEY",
    "answer",
    "claude-3-5-sonnet-20241022",
    "context",
    "gpt-4",
    "httpx",
    "judge_score",
    "max_tokens=16",
    "original",
    "processed",
    "question",
    "requests",
    "response",
    "temperature=0",
    "urllib.request",
    "{base_url}/v1/chat/completions",
    "(rating - 1) / 4.0",
]


@pytest.mark.parametrize("name", [*NAMES, *inspect.signature(LLMJudge).parameters])
def test_every_name_of_the_page_occurs(name: str) -> None:
    assert name in TABLE.texts
