"""How a reply's body of an OpenAI-compatible endpoint is read, whichever of its APIs sent it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import msgspec

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, EmptyReply
from gavelkit.core.failure import FailureKind
from gavelkit.engines.http import HttpReply
from gavelkit.engines.refusal import refusal

_RETRIES_OF_SILENCE = 1
_NOTHING_TO_SAY = frozenset({"", "stop"})
"""Of these reasons an empty reply may well be an accident; of others, a tool call say, it is not."""

_OK = 200
_KEPT = 2000
_RETRIES_WITHOUT_CHOICE = 2

Reply = TypeVar("Reply")


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]  # what a record can hold


class _PromptDetails(msgspec.Struct):
    cached_tokens: _Count | None = None


class _CompletionDetails(msgspec.Struct):
    reasoning_tokens: _Count | None = None


class SentUsage(msgspec.Struct):
    """The tokens of a request, as an endpoint counts them."""

    prompt_tokens: _Count | None = None
    completion_tokens: _Count | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


def read_reply(reply: HttpReply, kind: type[Reply], decode: Callable[[bytes], Reply]) -> Reply:
    """The body as `kind`, by its decoder or else with more care. Raises CallError where it is none."""
    try:
        return decode(reply.body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _slow_decode(reply, kind)


def no_choices(reply: HttpReply, error: object, usage: Usage, seconds: float) -> CallError:
    """What a reply without a choice is: the error that it holds, or an empty reply."""
    if error is not None:
        return refusal(_OK, reply.body, reply.header)
    message = "the reply has no choices"
    return EmptyReply(message, Completion("", usage=usage, seconds=seconds), most_retries=_RETRIES_WITHOUT_CHOICE)


def said(completion: Completion) -> Completion:
    """The reply, where somebody said something. Raises CallError where a filter stopped it, or where it is empty."""
    if completion.finish_reason == "content_filter":
        message = "the endpoint's content filter stopped the reply"
        raise CallError(FailureKind.FILTERED, message, raw=completion.text)
    empty = not (completion.text or completion.refusal or completion.reasoning)
    if empty and completion.finish_reason in _NOTHING_TO_SAY:
        message = "the reply is empty"
        raise EmptyReply(message, completion, most_retries=_RETRIES_OF_SILENCE)
    return completion


def used(usage: SentUsage | None) -> Usage:
    """The tokens in our own words."""
    if usage is None:
        return Usage()
    prompt, completion = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        usage.prompt_tokens,
        usage.completion_tokens,
        prompt.cached_tokens if prompt else None,
        completion.reasoning_tokens if completion else None,
    )


def _slow_decode(reply: HttpReply, kind: type[Reply]) -> Reply:
    """Reads what the fast decoder refuses and a careful person would not: lone surrogates, stray bytes, odd usage."""
    try:
        body = json.loads(reply.body.decode("utf-8", "replace"), parse_constant=lambda _word: None)
    except (ValueError, RecursionError) as error:
        page = reply.body.lstrip()[:1] == b"<"
        message = f"the reply is {'an HTML page; api_base may lack /v1' if page else f'not JSON ({error})'}"
        raise _unreadable(message, reply, most_retries=1 if page else None) from error
    try:
        return msgspec.convert(_without_odd_usage(body), kind, strict=False)
    except msgspec.ValidationError as error:
        message = f"the reply has another shape: {error}"
        raise _unreadable(message, reply) from error


def _without_odd_usage(body: Any) -> Any:
    """Token counts that are no numbers are unknown; they cost nobody the reply."""
    if not isinstance(body, dict):
        return body
    try:
        msgspec.convert(body.get("usage"), SentUsage | None, strict=False)
    except msgspec.ValidationError:
        return {**body, "usage": None}
    return body


def _unreadable(message: str, reply: HttpReply, *, most_retries: int | None = None) -> CallError:
    raw = reply.body[:_KEPT].decode("utf-8", "replace")
    return CallError(FailureKind.DECODE, message, raw=raw, most_retries=most_retries)
