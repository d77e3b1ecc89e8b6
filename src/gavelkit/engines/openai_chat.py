"""The chat completions of an OpenAI-compatible endpoint. Knows the wire's shapes, and nothing of sockets."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import msgspec

from gavelkit.core.completion import Completion
from gavelkit.core.event import Observe, ignore
from gavelkit.core.message import Request
from gavelkit.engines.http import HttpClient, HttpReply
from gavelkit.engines.logprobs import read_logprobs
from gavelkit.engines.openai_endpoint import HttpClients, OpenAIEndpoint, posted_to
from gavelkit.engines.openai_reply import SentUsage, no_choices, read_reply, said, used

_CHAT = "/chat/completions"


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
        self._endpoint = OpenAIEndpoint(
            client, chat_url(api_base), api_key=api_key, ending=_CHAT, timeout=timeout, observe=observe
        )
        self.account = self._endpoint.account

    async def complete(self, request: Request) -> Completion:
        """The first choice of the reply. Raises CallError."""
        parameters = request.parameters.text
        body = parameters[:-1].encode() + b',"messages":' + _encode(request.messages) + b"}"
        began = perf_counter()
        reply = await self._endpoint.post(body)
        completion, choices = _completion(reply, perf_counter() - began)
        self._endpoint.tell_choices(choices)
        return completion

    async def models(self) -> tuple[str, ...]:
        """The names in the endpoint's list of models; none where there is no list to read."""
        return await self._endpoint.models()


def chat_url(api_base: str) -> str:
    """Where chat completions are posted: an empty path becomes `/v1`, any other stays."""
    return posted_to(api_base, _CHAT)


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
    usage: SentUsage | None = None
    error: Any = None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Reply).decode


def _completion(reply: HttpReply, seconds: float) -> tuple[Completion, int]:
    """The reply's first choice, and how many it has. Raises CallError."""
    read = read_reply(reply, _Reply, _decode)
    usage = used(read.usage)
    if not read.choices:
        raise no_choices(reply, read.error, usage, seconds)
    choice = read.choices[0]
    completion = Completion(
        text=_text(choice.message.content),
        reasoning=choice.message.reasoning_content or choice.message.reasoning or "",
        refusal=choice.message.refusal or "",
        finish_reason=choice.finish_reason or "",
        served_model=read.model or "",
        usage=usage,
        seconds=seconds,
        logprobs=read_logprobs(choice.logprobs) if choice.logprobs else (),
    )
    return said(completion), len(read.choices)


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content)
    return content or ""
