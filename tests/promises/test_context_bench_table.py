"""The table of context-bench's page: no name of the judge, of `evaluate` or of the command is missing."""

from __future__ import annotations

import argparse
import inspect

import pytest
from tests.promises.tables import Table

from gavelkit.cli.context_bench import configure
from gavelkit.integrations.context_bench import LLMJudge, OpenAIProxy, evaluate

TABLE = Table("What context-bench's judge page promises, and the test of each")

NAMES = [
    "--judge-model",
    "--judge-url",
    "LLMJudge",
    "OPENAI_API_KEY",
    "alpaca-eval",
    "answer",
    "claude-3-5-sonnet-20241022",
    "context",
    "evaluate()",
    "evaluators",
    "gpt-4",
    "httpx",
    "judge_score",
    "max_tokens=16",
    "mt-bench",
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


ARGUMENTS = {name for called in (LLMJudge, OpenAIProxy, evaluate) for name in inspect.signature(called).parameters}
OF_OUR_OWN = {"--quiet", "--preflight-check", "--retry-errors", "retry_errors"}


def flags() -> list[str]:
    parser = argparse.ArgumentParser(add_help=False)
    configure(parser)
    return [flag for action in parser._actions for flag in action.option_strings]


@pytest.mark.parametrize("name", sorted({*NAMES, *ARGUMENTS, *flags()} - OF_OUR_OWN))
def test_every_name_of_the_page_occurs(name: str) -> None:
    assert name in TABLE.texts
