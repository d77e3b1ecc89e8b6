"""The chat completions wire: what a request says, and the bytes of a reply or an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from gavelkit.core.message import Message

CHARACTERS_PER_TOKEN = 4
NO_LLM = "simulated-not-an-llm/"
"""Stands before the model's name in every reply, so that nobody takes one for a model's."""

_encode = msgspec.json.encode


class Part(msgspec.Struct):
    """One part of a message's content; only text is read."""

    text: str = ""


class ChatMessage(msgspec.Struct):
    """One message as sent."""

    role: str
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """All its text."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text for part in self.content or ())


class ChatRequest(msgspec.Struct):
    """What the simulator reads of a request; everything else is ignored."""

    model: str
    messages: list[ChatMessage]
    stream: bool | None = None
    n: int | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    response_format: dict[str, Any] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None

    @property
    def limit(self) -> int | None:
        """The most tokens the reply may have."""
        return self.max_tokens if self.max_completion_tokens is None else self.max_completion_tokens

    @property
    def text(self) -> str:
        """The text of all messages."""
        return self.messages[0].text if len(self.messages) == 1 else "\n".join(each.text for each in self.messages)

    def as_messages(self) -> list[Message]:
        """The messages in our own words."""
        return [Message(message.role, message.text) for message in self.messages]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One API: the ends of its two paths, how a request is read, and how replies, errors and models are written."""

    ask: str
    list: str
    read: Callable[[bytes], ChatRequest]
    reply: Callable[..., bytes]
    error: Callable[..., bytes]
    models: Callable[[tuple[str, ...]], bytes]


decode_request = msgspec.json.Decoder(ChatRequest).decode
"""Read a request's body. Raises msgspec.DecodeError, or its child ValidationError where it is JSON of another kind."""


def tokens(characters: int) -> int:
    """About how many tokens so many characters make."""
    return (characters + CHARACTERS_PER_TOKEN - 1) // CHARACTERS_PER_TOKEN


def completion_bytes(
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
    # One format and no dictionaries: this is where a fixed reply spends its time.
    return (
        b'{"id":"chatcmpl-simulated-%d","object":"chat.completion","created":%d,"model":%b,"choices":[{"index":0,'
        b'"message":{"role":"assistant","content":%b,"refusal":null},"logprobs":%b,"finish_reason":%b}],'
        b'"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,'
        b'"prompt_tokens_details":{"cached_tokens":%d}}}'
    ) % (
        number,
        created,
        _encode(NO_LLM + model),
        _encode(text),
        b"null" if logprobs is None else _encode({"content": logprobs, "refusal": None}),
        _encode(finish_reason),
        prompt_tokens,
        used,
        prompt_tokens + used,
        cached_tokens,
    )


def error_bytes(
    message: str, *, kind: str = "invalid_request_error", param: str | None = None, code: str | None = None
) -> bytes:
    """The body of an error, in the shape OpenAI's servers give it."""
    return _encode({"error": {"message": message, "type": kind, "param": param, "code": code}})


def models_bytes(names: tuple[str, ...]) -> bytes:
    """The body of the list of models."""
    models = [{"id": name, "object": "model", "created": 0, "owned_by": "gavelkit-simulator"} for name in names]
    return _encode({"object": "list", "data": models})


CHAT = Dialect("/chat/completions", "/models", decode_request, completion_bytes, error_bytes, models_bytes)
