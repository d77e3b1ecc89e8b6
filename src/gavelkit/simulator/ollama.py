"""Ollama's own wire: what a request to `/api/generate` says, and the bytes of a reply, an error or `/api/tags`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from gavelkit.simulator.chat import NO_LLM, ChatMessage, ChatRequest, Dialect, tokens

_encode = msgspec.json.encode


class _Options(msgspec.Struct):
    num_predict: int | None = None


class _Generate(msgspec.Struct):
    model: str
    prompt: str = ""
    system: str = ""
    format: str | dict[str, Any] | None = None
    options: _Options | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None


_decode = msgspec.json.Decoder(_Generate).decode


def decode_generate(body: bytes) -> ChatRequest:
    """A request's body as the chat request that asks the same. Raises msgspec.DecodeError or its child ValidationError.

    Whether it is to be streamed does not matter: the reply is one line, which both kinds of client read.
    """
    read = _decode(body)
    if not read.prompt:
        message = "the simulator needs a prompt"
        raise msgspec.ValidationError(message)
    system = [ChatMessage("system", read.system)] if read.system else []
    limit = read.options.num_predict if read.options else None
    return ChatRequest(
        read.model,
        [*system, ChatMessage("user", read.prompt)],
        max_tokens=None if limit is None or limit < 0 else limit,  # below 0 Ollama knows no limit
        response_format=_response_format(read.format),
        logprobs=read.logprobs,
        top_logprobs=read.top_logprobs,
    )


def _response_format(asked: str | dict[str, Any] | None) -> dict[str, Any] | None:
    if isinstance(asked, dict):
        return {"type": "json_schema", "json_schema": {"schema": asked}}
    if asked not in {None, "", "json"}:
        message = f"format is the word json or a schema, not {asked!r}"
        raise msgspec.ValidationError(message)
    return {"type": "json_object"} if asked else None


def generated_bytes(
    _number: int,
    model: str,
    text: str,
    *,
    finish_reason: str,
    prompt_tokens: int,
    cached_tokens: int,  # noqa: ARG001 - every dialect is told, and Ollama tells nobody
    created: int,
    logprobs: Sequence[Mapping[str, Any]] | None = None,
) -> bytes:
    """The body of a reply, one line."""
    reply = {
        "model": NO_LLM + model,
        "created_at": datetime.fromtimestamp(created, UTC).isoformat(),
        "response": text,
        "done": True,
        "done_reason": finish_reason,
        "prompt_eval_count": prompt_tokens,
        "eval_count": tokens(len(text)),
        **({} if logprobs is None else {"logprobs": logprobs}),
    }
    return _encode(reply) + b"\n"


def failure_bytes(message: str, **_named: str | None) -> bytes:
    """The body of an error, in the shape Ollama gives it."""
    return _encode({"error": message})


def tags_bytes(names: tuple[str, ...]) -> bytes:
    """The body of the list of models."""
    return _encode({"models": [{"name": name, "model": name} for name in names]})


OLLAMA = Dialect("/api/generate", "/api/tags", decode_generate, generated_bytes, failure_bytes, tags_bytes)
