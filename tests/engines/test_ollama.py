"""What is sent to Ollama's `/api/generate`, and what becomes of each shape its reply can have."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.fake_clock import FakeClock
from tests.makers import a_request, chat_answer, direct, endpoint

import gavelkit
from gavelkit.core.completion import Completion, Token, Usage
from gavelkit.core.errors import CallError, EmptyReply
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.engines import HttpClient, HttpClients, Ollama, Retrying, RetryPolicy
from gavelkit.engines.ollama import LOCAL
from gavelkit.simulator.server import HttpAnswer, HttpRequest, serving


class Peer:
    """A server that gives the answers in turn, the last again and again."""

    def __init__(self, *answers: HttpAnswer) -> None:
        self.seen: list[HttpRequest] = []
        self._answers = answers

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        self.seen.append(request)
        return self._answers[min(len(self.seen), len(self._answers)) - 1]


def generated(text: object = "Score: 8", **more: object) -> dict[str, Any]:
    return {
        "model": "llama3.2:latest",
        "created_at": "2026-01-01T00:00:00Z",
        "response": text,
        "done": True,
        "done_reason": "stop",
        "context": [1, 2],
        "total_duration": 5,
        "prompt_eval_count": 26,
        "eval_count": 4,
        **more,
    }


def asked(peer: Peer, request: Request | None = None, *, path: str = "", retries: int = 0) -> Completion:
    async def exchange() -> Completion:
        client = HttpClient(connections=1)
        try:
            async with serving(peer) as port:
                engine = Ollama(client, api_base=f"http://127.0.0.1:{port}{path}", timeout=5)
                retrying = Retrying(engine, RetryPolicy(retries), clock=FakeClock())
                return await (retrying if retries else engine).complete(request or a_request())
        finally:
            await client.aclose()

    return asyncio.run(asyncio.wait_for(exchange(), 20))


def reply_to(body: object, **more: Any) -> Completion:
    return asked(Peer(chat_answer(body, **more)))


def error_of(body: object, **more: Any) -> CallError:
    with pytest.raises(CallError) as caught:
        reply_to(body, **more)
    return caught.value


def sent_for(request: Request) -> dict[str, Any]:
    peer = Peer(chat_answer(generated()))
    asked(peer, request)
    sent: dict[str, Any] = json.loads(peer.seen[0].body)
    return sent


@pytest.mark.parametrize("path", ["", "/", "/api/generate", "/api/generate/", "/api", "/v1", "/v1/"])
def test_it_posts_to_api_generate_below_the_base_without_a_key(path: str) -> None:
    peer = Peer(chat_answer(generated()))
    asked(peer, path=path)
    (seen,) = peer.seen
    assert (seen.method, seen.path) == ("POST", "/api/generate")
    assert seen.headers["content-type"] == "application/json"
    assert "authorization" not in seen.headers


def test_a_path_before_it_stays() -> None:
    peer = Peer(chat_answer(generated()))
    asked(peer, path="/team/")
    assert peer.seen[0].path == "/team/api/generate"


def test_one_message_is_the_prompt_and_the_reply_is_asked_for_whole() -> None:
    request = Request((Message("user", 'Größe "q"\n\U0001f642'),), Parameters("llama3.2", {"temperature": 0.0}))
    assert sent_for(request) == {
        "model": "llama3.2",
        "prompt": 'Größe "q"\n\U0001f642',
        "stream": False,
        "options": {"temperature": 0.0},
    }


def test_system_messages_go_apart_and_turns_are_joined_by_blank_lines() -> None:
    messages = (
        Message("system", "Fair."),
        Message("system", "Brief."),
        Message("user", "Assess."),
        Message("assistant", "It is fine."),
        Message("user", "Choose."),
    )
    sent = sent_for(Request(messages, Parameters("m")))
    assert (sent["system"], sent["prompt"]) == ("Fair.\n\nBrief.", "Assess.\n\nIt is fine.\n\nChoose.")
    assert "options" not in sent


def test_parameters_are_options_but_for_those_that_stand_beside_the_prompt() -> None:
    values: dict[str, Any] = {
        "max_tokens": 9,
        "seed": 3,
        "stop": ["END"],
        "num_ctx": 8192,
        "think": False,
        "keep_alive": "5m",
    }
    sent = sent_for(a_request(**values))
    assert sent["options"] == {"num_predict": 9, "seed": 3, "stop": ["END"], "num_ctx": 8192}
    assert (sent["think"], sent["keep_alive"]) == (False, "5m")


def test_options_of_ollamas_own_stand_among_the_others_and_come_before_them() -> None:
    sent = sent_for(a_request(seed=3, temperature=0.0, options={"num_ctx": 8192, "seed": 4}))
    assert sent["options"] == {"seed": 4, "temperature": 0.0, "num_ctx": 8192}


SCHEMA = {"type": "object", "properties": {"reasoning": {"type": "string"}, "score": {"type": "number"}}}


@pytest.mark.parametrize(
    ("response_format", "form"),
    [
        ({"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA}}, SCHEMA),
        ({"type": "json_object"}, "json"),
        ({"type": "text"}, None),
    ],
)
def test_a_response_format_is_ollamas_format(response_format: object, form: object) -> None:
    parameters = Parameters("m", response_format=json.dumps(response_format))
    assert sent_for(Request((Message("user", "?"),), parameters)).get("format") == form


def test_a_response_format_among_the_parameters_is_ollamas_format_too() -> None:
    sent = sent_for(a_request(response_format={"type": "json_object"}))
    assert sent["format"] == "json"
    assert "options" not in sent


def test_a_json_schema_without_one_is_a_bad_request_and_nothing_is_sent() -> None:
    parameters = Parameters("m", response_format='{"type": "json_schema"}')
    with pytest.raises(CallError, match=r"a json_schema needs \{json_schema: \{schema:") as caught:
        sent_for(Request((Message("user", "?"),), parameters))
    assert caught.value.kind is FailureKind.BAD_REQUEST


def test_a_schemas_properties_keep_their_order() -> None:
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA}}
    parameters = Parameters("m", response_format=json.dumps(form))
    sent = sent_for(Request((Message("user", "?"),), parameters))
    assert list(sent["format"]["properties"]) == ["reasoning", "score"]


def test_a_reply_tells_text_model_reason_and_tokens() -> None:
    completion = reply_to(generated("Fine.\nScore: 8", thinking="Hm."))
    assert completion.text == "Fine.\nScore: 8"
    assert completion.reasoning == "Hm."
    assert completion.finish_reason == "stop"
    assert completion.served_model == "llama3.2:latest"
    assert completion.usage == Usage(26, 4)
    assert completion.seconds > 0
    assert not completion.cut


def test_a_reply_that_ended_at_its_limit_is_cut() -> None:
    assert reply_to(generated("Sco", done_reason="length")).cut


def test_the_bare_reply_of_an_old_server_is_one() -> None:
    assert reply_to({"response": "8"}).text == "8"


@pytest.mark.parametrize("count", [None, -1, 1.5, True, "many", 2**63])
def test_a_count_that_is_none_is_unknown_and_costs_nobody_the_reply(count: object) -> None:
    completion = reply_to(generated(prompt_eval_count=count, eval_count=count))
    assert (completion.text, completion.usage) == ("Score: 8", Usage())


def test_log_probabilities_are_read_where_they_were_asked_for() -> None:
    place = {"token": "8", "logprob": -0.5, "top_logprobs": [{"token": "8", "logprob": -0.5}]}
    assert reply_to(generated("8", logprobs=[place])).logprobs == (Token("8", {"8": -0.5}),)
    assert reply_to(generated("8", logprobs="odd")).logprobs == ()
    sent = sent_for(a_request(logprobs=True, top_logprobs=5))
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 5)


@pytest.mark.parametrize("reason", ["stop", "load", ""])
def test_silence_is_an_empty_reply_that_may_be_asked_for_again(reason: str) -> None:
    error = error_of(generated("", done_reason=reason))
    assert isinstance(error, EmptyReply)
    assert error.retryable
    assert error.completion.usage == Usage(26, 4)


def test_thoughts_without_an_answer_are_a_reply() -> None:
    assert reply_to(generated("", thinking="Hm.")).reasoning == "Hm."


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "the reply has no 'response'"),
        (generated(None), "the reply has no 'response'"),
        (generated("Sc", done=False), "the reply is only the first part of one"),
        (generated(8), "not what Ollama sends"),
        ([], "not what Ollama sends"),
        (b'{"response": "a"}\n{"response": "b"}', "not what Ollama sends"),
        (b"", "not what Ollama sends"),
        (b"[" * 100_000, "not what Ollama sends"),
        (b"<html>", "an HTML page"),
    ],
)
def test_a_reply_of_another_shape_is_a_failed_call(body: object, words: str) -> None:
    error = error_of(body)
    assert words in str(error)
    assert (error.kind, error.retryable) == (FailureKind.DECODE, True)


def test_stray_bytes_and_lone_surrogates_are_replaced_or_kept() -> None:
    assert reply_to(b'{"response": "a\xffb"}').text == "a�b"
    assert reply_to(b'{"response": "a\\ud800b"}').text == "a\ud800b"


@pytest.mark.parametrize(
    ("status", "body", "kind", "fatal"),
    [
        (404, {"error": "model 'llama9' not found"}, FailureKind.MODEL_NOT_FOUND, True),
        (400, {"error": "invalid options"}, FailureKind.BAD_REQUEST, False),
        (401, {"error": "unauthorized"}, FailureKind.AUTH, True),
        (429, {"error": "too many"}, FailureKind.RATE_LIMIT, False),
        (500, {"error": "llama runner has terminated"}, FailureKind.SERVER, False),
        (503, {"error": "server busy, please try again"}, FailureKind.SERVER, False),
        (200, {"error": "unexpected EOF"}, FailureKind.SERVER, False),
    ],
)
def test_an_error_is_read_by_its_status_and_its_body(
    status: int, body: dict[str, str], kind: FailureKind, *, fatal: bool
) -> None:
    error = error_of(body, status=status)
    assert (error.kind, error.failure.fatal) == (kind, fatal)
    assert body["error"] in str(error)
    assert "/v1" not in str(error)


def test_a_passing_error_is_tried_again_by_what_is_wrapped_round_it() -> None:
    peer = Peer(chat_answer({"error": "busy"}, status=503), chat_answer(generated()))
    assert asked(peer, retries=3).attempts == 2
    assert len(peer.seen) == 2


def test_where_nobody_listens_the_call_fails() -> None:
    async def ask() -> None:
        client = HttpClient(connections=1)
        try:
            await Ollama(client, api_base="http://127.0.0.1:9").complete(a_request())
        finally:
            await client.aclose()

    with pytest.raises(CallError) as caught:
        asyncio.run(ask())
    assert caught.value.kind is FailureKind.CONNECT


def test_any_judge_can_be_asked_through_it() -> None:
    peer = Peer(chat_answer(generated("Fine.\nScore: 8")))
    with endpoint(peer) as url:
        engine = Ollama(HttpClients(lambda: HttpClient(connections=4)), api_base=url.removesuffix("/v1"))
        judge = direct("score_0_10", function=engine, model="llama3.2", max_tokens=300)
        report = gavelkit.evaluate([{"question": "How many?", "response": "Eight."}], [judge])
    assert report.metrics[0].value == 8
    sent = json.loads(peer.seen[0].body)
    assert (sent["model"], sent["options"]["num_predict"]) == ("llama3.2", 300)


def models_of(answer: HttpAnswer) -> tuple[tuple[str, ...], str]:
    peer = Peer(answer)

    async def ask() -> tuple[str, ...]:
        client = HttpClient(connections=1)
        try:
            async with serving(peer) as port:
                return await Ollama(client, api_base=f"http://127.0.0.1:{port}").models()
        finally:
            await client.aclose()

    return asyncio.run(ask()), peer.seen[0].path


def test_the_models_that_are_there_are_listed() -> None:
    listed = {"models": [{"name": "llama3.2:latest"}, {"name": "qwen3:8b"}]}
    assert models_of(chat_answer(listed)) == (("llama3.2:latest", "qwen3:8b"), "/api/tags")


@pytest.mark.parametrize("answer", [chat_answer(b"<html>"), chat_answer({"models": []}, status=500)])
def test_no_list_of_models_is_an_empty_one(answer: HttpAnswer) -> None:
    assert models_of(answer)[0] == ()


def test_an_account_tells_addresses_apart_and_does_not_hold_them() -> None:
    client = HttpClient(connections=1)
    here, there = Ollama(client).account, Ollama(client, api_base="http://127.0.0.2:11434").account
    assert here != there
    assert here == Ollama(client, api_base=f"{LOCAL}/api/generate").account
    assert "localhost" not in here
