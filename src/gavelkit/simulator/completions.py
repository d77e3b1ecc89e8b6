"""The plain completions wire: what a request with a prompt says, and the bytes of a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gavelkit.simulator.chat import NO_LLM, ChatMessage, ChatRequest, Dialect, error_bytes, models_bytes, tokens


class _Asked(msgspec.Struct):
    model: str
    prompt: str | list[str]
    stream: bool | None = None
    n: int | None = None
    max_tokens: int | None = None
    response_format: dict[str, Any] | None = None


_encode = msgspec.json.encode
_decode = msgspec.json.Decoder(_Asked).decode


def decode_asked(body: bytes) -> ChatRequest:
    """A request's body as the chat request that asks the same. Raises msgspec.DecodeError or its child ValidationError.

    `logprobs` are ignored: the reply has none.
    """
    read = _decode(body)
    prompts = [read.prompt] if isinstance(read.prompt, str) else read.prompt
    if len(prompts) != 1 or not prompts[0]:
        message = "the simulator needs one prompt that is not empty"
        raise msgspec.ValidationError(message)
    return ChatRequest(
        read.model,
        [ChatMessage("user", prompts[0])],
        stream=read.stream,
        n=read.n,
        max_tokens=read.max_tokens,
        response_format=read.response_format,
    )


def continued_bytes(
    number: int,
    model: str,
    text: str,
    *,
    finish_reason: str,
    prompt_tokens: int,
    cached_tokens: int,
    created: int,
    logprobs: Sequence[Mapping[str, Any]] | None = None,
) -> bytes:
    """The body of a reply."""
    used = tokens(len(text))
    return _encode(
        {
            "id": f"cmpl-simulated-{number}",
            "object": "text_completion",
            "created": created,
            "model": NO_LLM + model,
            "choices": [{"index": 0, "text": text, "logprobs": logprobs, "finish_reason": finish_reason}],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": used,
                "total_tokens": prompt_tokens + used,
                "prompt_tokens_details": {"cached_tokens": cached_tokens},
            },
        }
    )


COMPLETIONS = Dialect("/completions", "/models", decode_asked, continued_bytes, error_bytes, models_bytes)
