"""The plain completions of an OpenAI-compatible endpoint, for base models: a prompt in, the words that follow it out.

Knows the wire's shapes, and nothing of sockets.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import msgspec

from gavelkit.core.completion import Completion
from gavelkit.core.event import Observe, ignore
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines.http import HttpClient, HttpReply
from gavelkit.engines.openai_endpoint import HttpClients, OpenAIEndpoint, posted_to
from gavelkit.engines.openai_reply import SentUsage, no_choices, read_reply, said, used
from gavelkit.engines.refusal import HINTS

_COMPLETIONS = "/completions"
_HINTS = {
    **HINTS,
    FailureKind.MODEL_NOT_FOUND: "the endpoint has no such model, or takes no plain prompts at /completions "
    "(a base URL usually ends in /v1)",
}


class OpenAICompletions:
    """Posts to `{base}/completions`. An empty path in `api_base` becomes `/v1`.

    The contents of all messages make one prompt, with a blank line between them; roles are not sent. `timeout` is the
    whole time of one request in seconds. `api_key` None sends no Authorization header. `account` differs where the URL
    or the key does, and holds neither.
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
        url = posted_to(api_base, _COMPLETIONS)
        self._endpoint = OpenAIEndpoint(
            client, url, ending=_COMPLETIONS, api_key=api_key, timeout=timeout, observe=observe, hints=_HINTS
        )
        self.account = self._endpoint.account

    async def complete(self, request: Request) -> Completion:
        """The first choice of the reply. Raises CallError."""
        prompt = "\n\n".join(message.content for message in request.messages)
        body = request.parameters.text[:-1].encode() + b',"prompt":' + _encode(prompt) + b"}"
        began = perf_counter()
        reply = await self._endpoint.post(body)
        completion, choices = _completion(reply, perf_counter() - began)
        self._endpoint.tell_choices(choices)
        return completion

    async def models(self) -> tuple[str, ...]:
        """The names in the endpoint's list of models; none where there is no list to read."""
        return await self._endpoint.models()


class _Choice(msgspec.Struct):
    text: str | None  # needed, so that the reply of a chat is not taken for an empty one
    finish_reason: str | None = None


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
        text=choice.text or "",
        finish_reason=choice.finish_reason or "",
        served_model=read.model or "",
        usage=usage,
        seconds=seconds,
    )
    return said(completion), len(read.choices)
