"""What becomes of the log probabilities in a chat reply, whatever their form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.completion import Token
from gavelkit.engines.logprobs import read_logprobs


def place(text: str = "B", logprob: object = -0.25, **more: object) -> dict[str, Any]:
    return {"token": text, "logprob": logprob, "bytes": [66], **more}


def listed(*pairs: tuple[str, object]) -> list[dict[str, object]]:
    return [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in pairs]


def test_every_token_comes_with_its_listed_alternatives() -> None:
    first = place("B", -0.25, top_logprobs=listed(("B", -0.25), ("A", -1.5)))
    second = place(".", 0, top_logprobs=listed((".", 0)))
    assert read_logprobs({"content": [first, second], "refusal": None}) == (
        Token("B", {"B": -0.25, "A": -1.5}),
        Token(".", {".": 0.0}),
    )


@pytest.mark.parametrize("top", [[], None, listed(("A", -0.1))])
def test_a_token_stands_among_its_alternatives_also_where_it_was_left_out(top: object) -> None:
    (token,) = read_logprobs({"content": [place("B", -9, top_logprobs=top)]})
    assert token.top["B"] == -9.0
    (bare,) = read_logprobs({"content": [place("B", -9)]})
    assert bare == Token("B", {"B": -9.0})


def test_of_alternatives_written_alike_the_first_counts() -> None:
    top = listed(("\ufffd", -0.5), ("\ufffd", -3.0))
    assert read_logprobs({"content": [place("\ufffd", -3.0, top_logprobs=top)]}) == (Token("\ufffd", {"\ufffd": -0.5}),)


def test_an_alternative_without_a_probability_is_left_out() -> None:
    top = listed(("B", -0.25), ("A", None), ("C", float("-inf")))
    assert read_logprobs({"content": [place(top_logprobs=top)]}) == (Token("B", {"B": -0.25}),)


@pytest.mark.parametrize(
    "sent",
    [
        None,
        {},
        {"content": None},
        {"content": []},
        {"content": "B"},
        {"content": ["B"]},
        {"content": [place(), place(logprob=None)]},
        {"content": [place(), place(logprob="-0.1")]},
        {"content": [place(), place(logprob=float("nan"))]},
        {"content": [place(), {"logprob": -0.1}]},
        {"content": [place(top_logprobs={"B": -0.25})]},
        {"content": [place(top_logprobs=[{"B": -0.25}])]},
        {"tokens": ["B"], "token_logprobs": [-0.25], "top_logprobs": [{"B": -0.25}]},
        [],
        [place()],
        "none",
        True,
        7,
    ],
)
def test_any_other_form_is_none_at_all(sent: object) -> None:
    assert read_logprobs(sent) == ()


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["content", "token", "logprob", "top_logprobs"]), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_nothing_that_is_sent_raises(sent: object) -> None:
    for token in read_logprobs(sent):
        assert token.text in token.top
