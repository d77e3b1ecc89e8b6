"""The reply word for word, and what it cost."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from gavelkit.core.completion import Completion, Token, Usage

WHOLE = Completion(
    "t",
    "r",
    "no",
    "stop",
    "served",
    Usage(1, 2, 3, 4),
    {"temperature": 1},
    2.5,
    3,
    4,
    replayed=True,
    logprobs=(Token("t", {"t": -0.1}),),
)


@pytest.mark.parametrize(("reason", "cut"), [("length", True), ("max_tokens", True), ("stop", False), ("", False)])
def test_a_reply_is_cut_where_it_met_its_token_limit(*, reason: str, cut: bool) -> None:
    assert Completion("t", finish_reason=reason).cut is cut


def test_a_stored_reply_differs_in_its_number_alone() -> None:
    assert all(getattr(WHOLE, each.name) for each in fields(Completion))  # so that a forgotten field shows
    assert WHOLE.stored(9) == replace(WHOLE, call=9)


def test_tokens_nobody_counted_are_not_zero() -> None:
    assert Completion("t").usage == Usage(None, None, None, None)
