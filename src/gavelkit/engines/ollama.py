"""Ollama's own `/api/generate`. Knows the wire's shapes, and nothing of sockets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import Any

import msgspec

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, EmptyReply
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.engines.effective import FORMAT, everything
from gavelkit.engines.http import HttpClient, HttpReply
from gavelkit.engines.logprobs import read_logprobs
from gavelkit.engines.openai_endpoint import HttpClients
from gavelkit.engines.refusal import HINTS, refusal

LOCAL = "http://localhost:11434"
"""Where Ollama listens unless told otherwise."""
MODEL = "llama3.2"
"""The model that is asked where nobody names one."""
OPTIONS = "options"
"""The body's field that holds the model's options, by the names that Ollama gives them."""

_OK = 200
_KEPT = 2000
_MOST_TOKENS = 2**63 - 1  # what a record can hold
_GENERATE, _TAGS = "/api/generate", "/api/tags"
_LIST_SECONDS = 20.0
_RETRIES_OF_SILENCE = 1
_NOTHING_TO_SAY = frozenset({"", "stop", "load"})
"""Of these reasons an empty reply may well be an accident; `load` says that the model was loaded and not asked."""

_TOP = frozenset({"format", "keep_alive", "logprobs", "raw", "suffix", "template", "think", "top_logprobs"})
"""What stands beside the prompt; everything else is one of the model's `options`."""
_RENAMED = {"max_tokens": "num_predict", "max_completion_tokens": "num_predict"}
_HEADERS = ("content-type: application/json", "user-agent: gavelkit")
_ENDINGS = (_GENERATE, "/api", "/v1")
"""What people paste behind the address. Below `/v1` Ollama speaks as OpenAI does, and never in its own way."""
_HINTS = {
    **HINTS,
    FailureKind.AUTH: "a key is asked for, and none is sent to Ollama",
    FailureKind.MODEL_NOT_FOUND: f"no such model is there, or nothing there answers {_GENERATE}",
}


class Ollama:
    """Posts to `{base}/api/generate` and takes the reply whole. No key is sent.

    System messages become `system`, all others `prompt`, each with a blank line between them. Parameters become the
    model's `options`, where `max_tokens` is called `num_predict`, and a response format becomes `format`. A `/v1` or
    `/api` at the end of `api_base` is left out. `timeout` is the whole time of one request in seconds. `account`
    differs where the URL does, and does not hold it.
    """

    def __init__(self, client: HttpClient | HttpClients, *, api_base: str = LOCAL, timeout: float = 600.0) -> None:
        self._client = client
        self._base = _root(api_base)
        self._timeout = timeout
        self.account = hashlib.blake2b(f"{self._base}{_GENERATE}".encode(), digest_size=16).hexdigest()

    async def complete(self, request: Request) -> Completion:
        """The reply. Raises CallError."""
        began = perf_counter()
        reply = await self._client.request(
            "POST", f"{self._base}{_GENERATE}", headers=_HEADERS, body=_encode(_asked(request)), timeout=self._timeout
        )
        if reply.status != _OK:
            raise refusal(reply.status, reply.body, reply.header, hints=_HINTS)
        return _completion(reply, perf_counter() - began)

    async def models(self) -> tuple[str, ...]:
        """The names of the models that are there; none where there is no list to read."""
        seconds = min(self._timeout, _LIST_SECONDS)
        try:
            reply = await self._client.request("GET", f"{self._base}{_TAGS}", headers=_HEADERS, timeout=seconds)
            listed = _decode_tags(reply.body)
        except (CallError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return ()
        return tuple(model.name for model in listed.models) if reply.status == _OK else ()


def _root(api_base: str) -> str:
    base = api_base.rstrip("/")
    return next((base.removesuffix(ending).rstrip("/") for ending in _ENDINGS if base.endswith(ending)), base)


def _asked(request: Request) -> dict[str, object]:
    parameters = request.parameters
    asked = {name: value for name, value in parameters.values.items() if name != FORMAT}
    further = asked.pop(OPTIONS, None)
    beside = {name: value for name, value in asked.items() if name in _TOP}
    options = {_RENAMED.get(name, name): value for name, value in asked.items() if name not in _TOP}
    if isinstance(further, Mapping):
        options |= further
    return {
        "model": parameters.model,
        "prompt": _joined(each for each in request.messages if each.role != "system"),
        **_given(system=_joined(each for each in request.messages if each.role == "system")),
        "stream": False,
        **_given(format=_format(parameters)),
        **beside,
        **_given(options=options),
    }


def _given(**values: object) -> dict[str, object]:
    return {name: value for name, value in values.items() if value}


def _joined(messages: Iterable[Message]) -> str:
    return "\n\n".join(each.content for each in messages)


def _format(parameters: Parameters) -> object:
    """A schema as it stands, the word `json` for any JSON object, None for text. Raises CallError."""
    asked: Any = everything(parameters).get(FORMAT)
    kind = asked.get("type") if isinstance(asked, Mapping) else None
    if kind == "json_schema":
        try:
            return asked["json_schema"]["schema"]
        except (KeyError, TypeError):
            message = "response_format: a json_schema needs {json_schema: {schema: {...}}}"
            raise CallError(FailureKind.BAD_REQUEST, message) from None
    return "json" if kind == "json_object" else None


class _Reply(msgspec.Struct):
    response: str | None = None
    thinking: str | None = None
    model: str | None = None
    done: bool = True
    done_reason: str | None = None
    prompt_eval_count: Any = None  # read apart, since a count of another form must cost nobody the reply
    eval_count: Any = None
    logprobs: Any = None
    error: Any = None


class _Model(msgspec.Struct):
    name: str


class _Tags(msgspec.Struct):
    models: list[_Model]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Reply).decode
_decode_tags = msgspec.json.Decoder(_Tags).decode


def _completion(reply: HttpReply, seconds: float) -> Completion:
    """The reply as it was read. Raises CallError."""
    try:
        read = _decode(reply.body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        read = _slow_decode(reply)
    if read.error is not None and read.response is None:
        raise refusal(_OK, reply.body, reply.header, hints=_HINTS)
    if read.response is None or not read.done:
        message = "the reply has no 'response'" if read.response is None else "the reply is only the first part of one"
        raise _unreadable(message, reply)
    completion = Completion(
        text=read.response,
        reasoning=read.thinking or "",
        finish_reason=read.done_reason or "",
        served_model=read.model or "",
        usage=Usage(_count(read.prompt_eval_count), _count(read.eval_count)),
        seconds=seconds,
        logprobs=read_logprobs({"content": read.logprobs}) if read.logprobs else (),
    )
    if not (completion.text or completion.reasoning) and completion.finish_reason in _NOTHING_TO_SAY:
        message = "the reply is empty"
        raise EmptyReply(message, completion, most_retries=_RETRIES_OF_SILENCE)
    return completion


def _count(sent: object) -> int | None:
    """Tokens; unknown where they are no whole number."""
    return sent if type(sent) is int and 0 <= sent <= _MOST_TOKENS else None


def _slow_decode(reply: HttpReply) -> _Reply:
    """Reads what the fast decoder refuses and a careful person would not: lone surrogates, stray bytes."""
    try:
        body = json.loads(reply.body.decode("utf-8", "replace"))
        return msgspec.convert(body, _Reply)
    except (ValueError, RecursionError) as error:
        page = reply.body.lstrip()[:1] == b"<"
        message = f"the reply is {'an HTML page' if page else f'not what Ollama sends ({error})'}"
        raise _unreadable(message, reply) from error


def _unreadable(message: str, reply: HttpReply) -> CallError:
    return CallError(FailureKind.DECODE, message, raw=reply.body[:_KEPT].decode("utf-8", "replace"))
