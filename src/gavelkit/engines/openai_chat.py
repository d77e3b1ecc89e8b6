"""The chat completions of an OpenAI-compatible endpoint. Knows the wire's shapes, and nothing of sockets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable
from dataclasses import replace
from time import perf_counter
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, EmptyReply
from gavelkit.core.event import Noticed, Observe, ignore
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines.http import HttpClient, HttpReply
from gavelkit.engines.logprobs import read_logprobs
from gavelkit.engines.per_loop import PerLoop
from gavelkit.engines.refusal import refusal

_OK = 200
_KEPT = 2000
_SECRET_LENGTH = 16
"""A shorter key is a placeholder such as `EMPTY`, and may be a word of an honest reply."""
_SECRET_LENGTH_IN_ERRORS = 4
_CHAT = "/chat/completions"
_LIST_SECONDS = 20.0
_RETRIES_WITHOUT_CHOICE = 2
_RETRIES_OF_SILENCE = 1
_NOTHING_TO_SAY = frozenset({"", "stop"})
"""Of these reasons an empty reply may well be an accident; of others, a tool call say, it is not."""


class HttpClients(PerLoop[HttpClient]):
    """Stands in the place of an `HttpClient`, which belongs to one event loop."""

    def request(self, *given: Any, **named: Any) -> Awaitable[HttpReply]:
        """What the running loop's client replies."""
        return self.get().request(*given, **named)


class OpenAIChat:
    """Posts to `{base}/chat/completions`. An empty path in `api_base` becomes `/v1`.

    `timeout` is the whole time of one request in seconds. `api_key` None sends no Authorization header. `account`
    differs where the URL or the key does, and holds neither.
    """

    def __init__(
        self,
        client: HttpClient | HttpClients,
        *,
        api_base: str,
        api_key: str | None = None,
        timeout: float = 600.0,
        observe: Observe = ignore,
    ) -> None:
        self._observe = observe
        self._told_choices = False
        self._client = client
        self._url = chat_url(api_base)
        self._timeout = timeout
        self._secret = (api_key or "").encode()
        self.account = hashlib.blake2b(f"{self._url}\0{api_key}".encode(), digest_size=16).hexdigest()
        self._headers = ["content-type: application/json", "user-agent: gavelkit"]
        if api_key is not None:
            self._headers.append(f"authorization: Bearer {api_key}")

    async def complete(self, request: Request) -> Completion:
        """The first choice of the reply. Raises CallError."""
        parameters = request.parameters.text
        body = parameters[:-1].encode() + b',"messages":' + _encode(request.messages) + b"}"
        began = perf_counter()
        reply = await self._client.request("POST", self._url, headers=self._headers, body=body, timeout=self._timeout)
        reply = self._without_key(reply)
        if reply.status != _OK:
            raise refusal(reply.status, reply.body, reply.header)
        completion, choices = _completion(reply, perf_counter() - began)
        if choices > 1 and not self._told_choices:
            self._told_choices = True
            self._observe(Noticed(f"{self._url} sends {choices} choices to a request; the first of them counts"))
        return completion

    async def models(self) -> tuple[str, ...]:
        """The names in the endpoint's list of models; none where there is no list to read."""
        url = f"{self._url.removesuffix(_CHAT)}/models"
        seconds = min(self._timeout, _LIST_SECONDS)
        try:
            reply = await self._client.request("GET", url, headers=self._headers, timeout=seconds)
            listed = _decode_models(self._without_key(reply).body)
        except (CallError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return ()
        return tuple(model.id for model in listed.data) if reply.status == _OK else ()

    def _without_key(self, reply: HttpReply) -> HttpReply:
        least = _SECRET_LENGTH if reply.status == _OK else _SECRET_LENGTH_IN_ERRORS
        if len(self._secret) >= least and self._secret in reply.body:
            return replace(reply, body=reply.body.replace(self._secret, b"(key)"))
        return reply


def chat_url(api_base: str) -> str:
    """Where chat completions are posted: an empty path becomes `/v1`, any other stays."""
    base = api_base.rstrip("/")
    if not urlsplit(base).path:
        base += "/v1"
    return base if base.endswith(_CHAT) else f"{base}{_CHAT}"


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]  # what a record can hold


class _PromptDetails(msgspec.Struct):
    cached_tokens: _Count | None = None


class _CompletionDetails(msgspec.Struct):
    reasoning_tokens: _Count | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: _Count | None = None
    completion_tokens: _Count | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


class _Part(msgspec.Struct):
    text: str | None = None
    type: str = "text"


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: Any = None  # read apart, since its form must cost nobody the reply


class _Reply(msgspec.Struct):
    choices: list[_Choice] | None = None
    model: str | None = None
    usage: _Usage | None = None
    error: Any = None


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


_decode_models = msgspec.json.Decoder(_Models).decode
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Reply).decode


def _completion(reply: HttpReply, seconds: float) -> tuple[Completion, int]:
    """The reply's first choice, and how many it has. Raises CallError."""
    try:
        read = _decode(reply.body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        read = _slow_decode(reply)
    if read.error is not None and not read.choices:
        raise refusal(_OK, reply.body, reply.header)
    usage = _usage(read.usage)
    if not read.choices:
        message = "the reply has no choices"
        raise EmptyReply(message, Completion("", usage=usage, seconds=seconds), most_retries=_RETRIES_WITHOUT_CHOICE)
    choice = read.choices[0]
    text = _text(choice.message.content)
    if choice.finish_reason == "content_filter":
        message = "the endpoint's content filter stopped the reply"
        raise CallError(FailureKind.FILTERED, message, raw=text)
    completion = Completion(
        text=text,
        reasoning=choice.message.reasoning_content or choice.message.reasoning or "",
        refusal=choice.message.refusal or "",
        finish_reason=choice.finish_reason or "",
        served_model=read.model or "",
        usage=usage,
        seconds=seconds,
        logprobs=read_logprobs(choice.logprobs) if choice.logprobs else (),
    )
    if not (text or completion.refusal or completion.reasoning) and completion.finish_reason in _NOTHING_TO_SAY:
        message = "the reply is empty"
        raise EmptyReply(message, completion, most_retries=_RETRIES_OF_SILENCE)
    return completion, len(read.choices)


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content)
    return content or ""


def _usage(usage: _Usage | None) -> Usage:
    if usage is None:
        return Usage()
    prompt, completion = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        usage.prompt_tokens,
        usage.completion_tokens,
        prompt.cached_tokens if prompt else None,
        completion.reasoning_tokens if completion else None,
    )


def _slow_decode(reply: HttpReply) -> _Reply:
    """Reads what the fast decoder refuses and a careful person would not: lone surrogates, stray bytes, odd usage."""
    try:
        body = json.loads(reply.body.decode("utf-8", "replace"), parse_constant=lambda _word: None)
    except (ValueError, RecursionError) as error:
        page = reply.body.lstrip()[:1] == b"<"
        message = f"the reply is {'an HTML page; api_base may lack /v1' if page else f'not JSON ({error})'}"
        raise _unreadable(message, reply, most_retries=1 if page else None) from error
    try:
        return msgspec.convert(_without_odd_usage(body), _Reply, strict=False)
    except msgspec.ValidationError as error:
        message = f"the reply has another shape: {error}"
        raise _unreadable(message, reply) from error


def _without_odd_usage(body: Any) -> Any:
    """Token counts that are no numbers are unknown; they cost nobody the reply."""
    if not isinstance(body, dict):
        return body
    try:
        msgspec.convert(body.get("usage"), _Usage | None, strict=False)
    except msgspec.ValidationError:
        return {**body, "usage": None}
    return body


def _unreadable(message: str, reply: HttpReply, *, most_retries: int | None = None) -> CallError:
    raw = reply.body[:_KEPT].decode("utf-8", "replace")
    return CallError(FailureKind.DECODE, message, raw=raw, most_retries=most_retries)
