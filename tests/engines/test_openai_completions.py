"""What is sent to an endpoint of plain completions, and what becomes of each shape a reply can have."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.makers import a_request, chat_answer, chat_body

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, EmptyReply
from gavelkit.core.event import Event, Noticed, Observe, ignore
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.engines import HttpClient, OpenAIChat, OpenAICompletions
from gavelkit.simulator.server import HttpAnswer, HttpRequest, serving

KEY = "sk-0123456789abcdef"


class Exchange:
    """One request to a server that gives one answer."""

    def __init__(self, answer: HttpAnswer, *, request: Request | None = None, observe: Observe = ignore) -> None:
        self.seen: list[HttpRequest] = []
        self.models: tuple[str, ...] = ()
        self._answer = answer
        self._request = request or a_request()
        self._observe = observe

    def completion(self) -> Completion:
        return asyncio.run(asyncio.wait_for(self._exchange(), 20))

    async def _exchange(self) -> Completion:
        client = HttpClient(connections=1)
        try:
            async with serving(self._handle) as port:
                base = f"http://127.0.0.1:{port}"
                engine = OpenAICompletions(client, api_base=base, api_key=KEY, timeout=5, observe=self._observe)
                self.models = await engine.models()
                return await engine.complete(self._request)
        finally:
            await client.aclose()

    def _handle(self, request: HttpRequest) -> HttpAnswer:
        if request.method == "GET":
            assert request.path == "/v1/models"
            return chat_answer({"data": [{"id": "base"}]})
        self.seen.append(request)
        return self._answer


def body_of(text: str | None, **choice: object) -> dict[str, Any]:
    return {
        "model": "m-2026",
        "choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def reply_to(body: object, **more: Any) -> Completion:
    return Exchange(chat_answer(body, **more)).completion()


def error_of(body: object, **more: Any) -> CallError:
    with pytest.raises(CallError) as caught:
        reply_to(body, **more)
    return caught.value


def test_all_messages_make_one_prompt_behind_the_parameters_as_they_are() -> None:
    parameters = Parameters("base", {"temperature": 0.0, "max_tokens": 9}, '{"type":"json_object"}')
    messages = (Message("system", "Fair."), Message("user", 'Größe "q"'), Message("assistant", "7"))
    exchange = Exchange(chat_answer(body_of("ok")), request=Request(messages, parameters))
    exchange.completion()
    (seen,) = exchange.seen
    assert seen.body.decode() == (
        '{"max_tokens":9,"model":"base","temperature":0.0,"response_format":{"type":"json_object"},'
        '"prompt":"Fair.\\n\\nGröße \\"q\\"\\n\\n7"}'
    )
    assert (seen.method, seen.path) == ("POST", "/v1/completions")
    assert seen.headers["authorization"] == f"Bearer {KEY}"


def test_a_reply_comes_back_word_for_word_with_what_it_cost() -> None:
    reply = reply_to(body_of(" Score: 7\n", finish_reason="length"))
    assert (reply.text, reply.finish_reason, reply.served_model) == (" Score: 7\n", "length", "m-2026")
    assert (reply.usage, reply.cut, reply.logprobs, reply.reasoning) == (Usage(7, 3), True, (), "")
    assert reply.seconds > 0


def test_a_text_alone_is_a_reply() -> None:
    reply = reply_to({"choices": [{"text": "ok"}]})
    assert (reply.text, reply.finish_reason, reply.served_model, reply.usage) == ("ok", "", "", Usage())


@pytest.mark.parametrize("text", ["", None])
def test_a_reply_without_a_word_may_be_asked_for_once_more(text: str | None) -> None:
    error = error_of(body_of(text))
    assert isinstance(error, EmptyReply)
    assert (error.most_retries, error.completion.usage) == (1, Usage(7, 3))
    assert reply_to(body_of(text, finish_reason="length")).text == ""


@pytest.mark.parametrize(
    ("body", "status", "kind", "words"),
    [
        ({"detail": "Not Found"}, 404, FailureKind.MODEL_NOT_FOUND, "or takes no plain prompts at /completions"),
        ({"error": {"message": "bad key"}}, 401, FailureKind.AUTH, "refuses the key: bad key"),
        ({"error": {"message": "too fast"}}, 429, FailureKind.RATE_LIMIT, "too fast"),
        ({"error": {"message": "no"}}, 400, FailureKind.BAD_REQUEST, "HTTP 400: no"),
        ({"error": {"code": 503, "message": "busy"}}, 200, FailureKind.SERVER, "busy"),
        ({"choices": []}, 200, FailureKind.EMPTY, "no choices"),
        (chat_body("Score: 7"), 200, FailureKind.DECODE, "missing required field `text`"),
        ({"choices": [{"text": 7}]}, 200, FailureKind.DECODE, "another shape"),
        (b"<html>", 200, FailureKind.DECODE, "an HTML page"),
        (body_of("Half a", finish_reason="content_filter"), 200, FailureKind.FILTERED, "content filter"),
    ],
)
def test_what_is_no_reply_is_a_failed_call_of_its_kind(
    body: object, status: int, kind: FailureKind, words: str
) -> None:
    error = error_of(body, status=status)
    assert error.kind is kind
    assert words in str(error)


def test_the_key_is_taken_out_of_replies_and_errors() -> None:
    assert reply_to(body_of(f"Your key is {KEY}.")).text == "Your key is (key)."
    failed = error_of({"error": {"message": f"Bad key {KEY}"}}, status=401)
    assert KEY not in str(failed) + failed.failure.raw


def test_further_choices_are_remarked_upon() -> None:
    heard: list[Event] = []
    body = json.loads(json.dumps(body_of("first")))
    body["choices"].append({"text": "second"})
    assert Exchange(chat_answer(body), observe=heard.append).completion().text == "first"
    assert ["/v1/completions sends 2 choices" in event.message for event in heard if isinstance(event, Noticed)] == [
        True
    ]


def test_the_models_are_those_of_the_endpoint() -> None:
    exchange = Exchange(chat_answer(body_of("ok")))
    exchange.completion()
    assert exchange.models == ("base",)


def test_a_chat_at_the_same_endpoint_has_a_gate_of_its_own() -> None:
    client = HttpClient(connections=1)
    plain = [OpenAICompletions(client, api_base=base).account for base in ("http://h", "http://h/v1/completions/")]
    assert plain[0] == plain[1] != OpenAIChat(client, api_base="http://h").account
