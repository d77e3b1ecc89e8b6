"""An endpoint as a function from request to answer, OpenAI-compatible and Ollama's own; it knows no sockets."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO

import msgspec

from gavelkit.simulator.answers import options_for, reply_to
from gavelkit.simulator.chat import CHARACTERS_PER_TOKEN, CHAT, ChatRequest, Dialect, tokens
from gavelkit.simulator.completions import COMPLETIONS
from gavelkit.simulator.ledger import Ledger
from gavelkit.simulator.logprobs import logprobs_content
from gavelkit.simulator.ollama import OLLAMA
from gavelkit.simulator.prefix import PrefixCache
from gavelkit.simulator.script import Performance, Rule, Script
from gavelkit.simulator.throttle import Bucket
from gavelkit.simulator.wire import HttpAnswer, HttpRequest

_OK = 200
_ERROR_KINDS = {401: "invalid_request_error", 403: "invalid_request_error", 429: "rate_limit_error"}
_ERROR_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


class Refused(Exception):
    """The request cannot be answered; holds what the answer says."""

    def __init__(self, status: int, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code

    def answer(self, dialect: Dialect) -> HttpAnswer:
        """The answer that says so."""
        return HttpAnswer(self.status, dialect.error(str(self), param=self.param, code=self.code))


class App:
    """Answers `POST …/chat/completions`, `POST …/completions` and `GET …/models`, and Ollama's own API.

    `ledger` tells what came. With `api_key`, requests must carry it. `log` gets a JSON line for each request. `now`
    gives monotonic seconds.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        api_key: str | None = None,
        log: BinaryIO | None = None,
        models: tuple[str, ...] = ("simulated",),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._performance = Performance(script or Script())
        limit = self._performance.script.limit
        self._bucket = None if limit is None else Bucket(limit, now)
        self._api_key = api_key
        self._models = models
        self._prefixes = PrefixCache()
        self.ledger = Ledger(now, log=log)

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        """The answer to a request."""
        model = ""
        path = request.path.partition("?")[0]
        dialect = _dialect(path)
        try:
            chat = self._route(request, path, dialect)
            model = chat.model if chat else ""
            answer = self._answer(chat, dialect) if chat else HttpAnswer(body=dialect.models(self._models))
        except Refused as refused:
            answer = refused.answer(dialect)
        self.ledger.enter(request, answer, model=model)
        return answer

    def _route(self, request: HttpRequest, path: str, dialect: Dialect) -> ChatRequest | None:
        """The request for a reply; None where the list of models is asked for. Raises Refused."""
        chat, models = path.endswith(dialect.ask), path.endswith(dialect.list)
        if not (chat or models):
            message = f"Invalid URL ({request.method} {path})"
            raise Refused(404, message)
        if request.method != ("POST" if chat else "GET"):
            message = f"Not allowed to {request.method} on {path}"
            raise Refused(405, message, code="method_not_supported")
        if self._api_key is not None:
            self._check_key(request.headers.get("authorization", ""))
        return _read(request.body, dialect) if chat else None

    def _check_key(self, header: str) -> None:
        kind, _, key = header.partition(" ")
        if kind.lower() != "bearer" or not key:
            message = "You didn't provide an API key in an Authorization header (Bearer)."
            raise Refused(401, message)
        if not hmac.compare_digest(key.encode(), (self._api_key or "").encode()):
            message = "Incorrect API key provided."
            raise Refused(401, message, code="invalid_api_key")

    def _answer(self, chat: ChatRequest, dialect: Dialect) -> HttpAnswer:
        if self._bucket is not None and (refusal := self._bucket.refusal()) is not None:
            return refusal if dialect is not OLLAMA else replace(refusal, body=dialect.error("Rate limit reached."))
        rules, prompt = self._performance.script.rules, chat.text
        rule = self._performance.rule_for(prompt) if rules else None
        seconds = self._performance.latency()
        if rule is None:
            return HttpAnswer(body=self._reply(chat, prompt, None, dialect=dialect), delay_seconds=seconds)
        replies = rule.status == _OK and rule.body is None
        answer = HttpAnswer(body=self._reply(chat, prompt, rule, dialect=dialect)) if replies else _fault(rule, dialect)
        return replace(
            answer,
            headers=(*answer.headers, *rule.headers.items()),
            delay_seconds=seconds + rule.delay,
            fault=rule.fault,
            fault_seconds=rule.fault_seconds,
        )

    def _reply(self, chat: ChatRequest, prompt: str, rule: Rule | None, *, dialect: Dialect) -> bytes:
        script = self._performance.script
        reply = script.reply if rule is None or rule.reply is None else rule.reply
        if reply is None:
            reply = reply_to(chat.as_messages(), chat.response_format, pick=script.choose)
        finish_reason = (rule.finish_reason if rule else None) or "stop"
        return self._complete(chat, prompt, reply, finish_reason, dialect=dialect)

    def _complete(self, chat: ChatRequest, prompt: str, reply: str, finish_reason: str, *, dialect: Dialect) -> bytes:
        limit = chat.limit
        if limit is not None and tokens(len(reply)) > limit:
            reply, finish_reason = reply[: limit * CHARACTERS_PER_TOKEN], "length"
        return dialect.reply(
            self.ledger.requests,
            chat.model,
            reply,
            finish_reason=finish_reason,
            prompt_tokens=tokens(len(prompt)),
            cached_tokens=self._prefixes.cached_tokens(chat.model, prompt),
            created=int(time.time()),
            logprobs=_logprobs(chat, reply) if chat.logprobs else None,
        )


def _dialect(path: str) -> Dialect:
    if path.endswith((OLLAMA.ask, OLLAMA.list)):
        return OLLAMA
    return COMPLETIONS if path.endswith(COMPLETIONS.ask) and not path.endswith(CHAT.ask) else CHAT


def _logprobs(chat: ChatRequest, reply: str) -> list[dict[str, Any]]:
    options = options_for(chat.as_messages(), chat.response_format)
    return logprobs_content(reply, options, top=chat.top_logprobs or 0)


def _read(body: bytes, dialect: Dialect) -> ChatRequest:
    try:
        chat = dialect.read(body)
    except msgspec.ValidationError as error:
        message = f"Invalid request: {error}"
        raise Refused(400, message, code="invalid_type") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"The body of the request is not valid JSON: {error}"
        raise Refused(400, message) from error
    if not chat.messages:
        message = "Invalid 'messages': empty array."
        raise Refused(400, message, param="messages", code="empty_array")
    if chat.stream:
        message = "Unsupported value: the simulator does not stream."
        raise Refused(400, message, param="stream", code="unsupported_value")
    if chat.n not in {None, 1}:
        message = "Unsupported value: the simulator gives one choice."
        raise Refused(400, message, param="n", code="unsupported_value")
    return chat


def _fault(rule: Rule, dialect: Dialect) -> HttpAnswer:
    headers = () if rule.retry_after is None else (("retry-after", f"{rule.retry_after:g}"),)
    if rule.body is not None:
        body = rule.body.encode("utf-8", "surrogatepass")
    else:
        kind = _ERROR_KINDS.get(rule.status, "server_error" if rule.status >= 500 else "invalid_request_error")  # noqa: PLR2004 - the 5xx
        body = dialect.error(rule.message, kind=kind, code=_ERROR_CODES.get(rule.status))
    return HttpAnswer(rule.status, body, headers)
