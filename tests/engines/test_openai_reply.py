"""How a body is read whichever API sent it: fast where it is as it should be, and with care where it is not."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from gavelkit.core.completion import Usage
from gavelkit.core.errors import CallError, EmptyReply
from gavelkit.core.failure import FailureKind
from gavelkit.engines.http import HttpReply
from gavelkit.engines.openai_reply import SentUsage, no_choices, read_reply, used


class Said(msgspec.Struct):
    """A reply of one field."""

    words: str
    usage: SentUsage | None = None


def replied(body: object) -> HttpReply:
    return HttpReply(200, body if isinstance(body, bytes) else json.dumps(body).encode(), b"")


def read(body: object) -> Said:
    return read_reply(replied(body), Said, msgspec.json.Decoder(Said).decode)


def test_a_whole_body_is_read_as_it_stands() -> None:
    assert read({"words": "yes", "further": 1, "usage": {"prompt_tokens": 2}}) == Said("yes", SentUsage(2))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"words": "caf\xe9"}', "caf\ufffd"),
        (b'{"words": "a\\ud800"}', "a\ud800"),
        (b'{"words": "ok", "x": NaN}', "ok"),
        ({"words": "ok", "usage": "lots"}, "ok"),
        ({"words": "ok", "usage": {"prompt_tokens": -1}}, "ok"),
    ],
)
def test_what_is_odd_beside_the_words_costs_nobody_the_words(body: object, words: str) -> None:
    assert read(body) == Said(words)


@pytest.mark.parametrize(
    ("body", "words", "retries"),
    [
        (b"<html>", "the reply is an HTML page; api_base may lack /v1", 1),
        (b"{", "the reply is not JSON", None),
        (b"[" * 50_000, "the reply is not JSON", None),
        ({"other": 1}, "the reply has another shape: Object missing required field `words`", None),
        ([], "the reply has another shape", None),
    ],
)
def test_a_body_that_is_none_is_a_failed_call_that_keeps_it(body: object, words: str, retries: int | None) -> None:
    with pytest.raises(CallError) as caught:
        read(body)
    assert words in str(caught.value)
    assert (caught.value.kind, caught.value.most_retries) == (FailureKind.DECODE, retries)
    assert caught.value.failure.raw == replied(body).body[:2000].decode()


@pytest.mark.parametrize(("sent", "usage"), [(None, Usage()), (SentUsage(1, 2), Usage(1, 2))])
def test_tokens_that_nobody_told_are_unknown(sent: SentUsage | None, usage: Usage) -> None:
    assert used(sent) == usage


@pytest.mark.parametrize(
    ("error", "kind"),
    [(None, FailureKind.EMPTY), ({"code": 429, "message": "slow down"}, FailureKind.RATE_LIMIT)],
)
def test_a_reply_without_choices_is_its_error_or_an_empty_reply(error: Any, kind: FailureKind) -> None:
    found = no_choices(replied({"choices": [], "error": error}), error, Usage(3), 0.5)
    assert found.kind is kind
    if isinstance(found, EmptyReply):
        assert (found.completion.usage, found.most_retries) == (Usage(3), 2)
