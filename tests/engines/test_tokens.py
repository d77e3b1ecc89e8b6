"""Tokens that nobody has counted yet."""

from __future__ import annotations

import pytest
from tests.makers import a_request

from gavelkit.core.message import Message, Parameters, Request
from gavelkit.engines.tokens import prompt_tokens, token_limits


@pytest.mark.parametrize(("characters", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (400, 100)])
def test_four_characters_are_a_token_and_a_part_of_one_counts_whole(characters: int, tokens: int) -> None:
    assert prompt_tokens(a_request("x" * characters)) == tokens


def test_all_messages_are_counted_together() -> None:
    request = Request((Message("system", "xx"), Message("user", "xx")), Parameters("m"))
    assert prompt_tokens(request) == 1


def test_a_limit_goes_by_either_name_and_is_a_number() -> None:
    assert token_limits(Parameters("m")) == {}
    assert token_limits(Parameters("m", {"max_tokens": 5, "n": 2})) == {"max_tokens": 5}
    assert token_limits(Parameters("m", {"max_tokens": 5, "max_completion_tokens": 7})) == {
        "max_tokens": 5, "max_completion_tokens": 7
    }  # fmt: skip
    assert token_limits(Parameters("m", {"max_tokens": None, "max_completion_tokens": True})) == {}
