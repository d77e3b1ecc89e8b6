"""What the APIs of an OpenAI-compatible endpoint share: where it is posted to, the key, and the list of models."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import msgspec

from gavelkit.core.errors import CallError
from gavelkit.core.event import Noticed, Observe, ignore
from gavelkit.core.failure import FailureKind
from gavelkit.engines.http import HttpClient, HttpReply
from gavelkit.engines.per_loop import PerLoop
from gavelkit.engines.refusal import HINTS, refusal

_OK = 200
_SECRET_LENGTH = 16
"""A shorter key is a placeholder such as `EMPTY`, and may be a word of an honest reply."""
_SECRET_LENGTH_IN_ERRORS = 4
_LIST_SECONDS = 20.0


class HttpClients(PerLoop[HttpClient]):
    """Stands in the place of an `HttpClient`, which belongs to one event loop."""

    def request(self, *given: Any, **named: Any) -> Awaitable[HttpReply]:
        """What the running loop's client replies."""
        return self.get().request(*given, **named)


class OpenAIEndpoint:
    """Posts bodies to `url`, which ends in `ending`. The key is taken out of whatever comes back.

    `timeout` is the whole time of one request in seconds. `api_key` None sends no Authorization header. `account`
    differs where the URL or the key does, and holds neither. `hints` say what a failure means.
    """

    def __init__(
        self,
        client: HttpClient | HttpClients,
        url: str,
        *,
        ending: str,
        api_key: str | None = None,
        timeout: float = 600.0,
        observe: Observe = ignore,
        hints: Mapping[FailureKind, str] = HINTS,
    ) -> None:
        self._client = client
        self._url = url
        self._ending = ending
        self._timeout = timeout
        self._observe = observe
        self._hints = hints
        self._told_choices = False
        self._secret = (api_key or "").encode()
        self.account = hashlib.blake2b(f"{url}\0{api_key}".encode(), digest_size=16).hexdigest()
        self._headers = ["content-type: application/json", "user-agent: gavelkit"]
        if api_key is not None:
            self._headers.append(f"authorization: Bearer {api_key}")

    async def post(self, body: bytes) -> HttpReply:
        """The reply of status 200. Raises CallError for any other."""
        reply = await self._client.request("POST", self._url, headers=self._headers, body=body, timeout=self._timeout)
        reply = self._without_key(reply)
        if reply.status != _OK:
            raise refusal(reply.status, reply.body, reply.header, hints=self._hints)
        return reply

    async def models(self) -> tuple[str, ...]:
        """The names in the endpoint's list of models; none where there is no list to read."""
        url = f"{self._url.removesuffix(self._ending)}/models"
        seconds = min(self._timeout, _LIST_SECONDS)
        try:
            reply = await self._client.request("GET", url, headers=self._headers, timeout=seconds)
            listed = _decode_models(self._without_key(reply).body)
        except (CallError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return ()
        return tuple(model.id for model in listed.data) if reply.status == _OK else ()

    def tell_choices(self, choices: int) -> None:
        """Say once that replies have more choices than the one that counts."""
        if choices > 1 and not self._told_choices:
            self._told_choices = True
            self._observe(Noticed(f"{self._url} sends {choices} choices to a request; the first of them counts"))

    def _without_key(self, reply: HttpReply) -> HttpReply:
        least = _SECRET_LENGTH if reply.status == _OK else _SECRET_LENGTH_IN_ERRORS
        if len(self._secret) >= least and self._secret in reply.body:
            return replace(reply, body=reply.body.replace(self._secret, b"(key)"))
        return reply


def posted_to(api_base: str, ending: str) -> str:
    """The URL below a base that ends so, once: an empty path becomes `/v1`, any other stays."""
    base = api_base.rstrip("/")
    if not urlsplit(base).path:
        base += "/v1"
    return base if base.endswith(ending) else f"{base}{ending}"


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


_decode_models = msgspec.json.Decoder(_Models).decode
