"""What is sent to a chat endpoint, and what becomes of each shape a reply can have."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.makers import a_request, chat_answer, chat_body

from gavelkit.core.completion import Completion, Token, Usage
from gavelkit.core.errors import CallError, EmptyReply
from gavelkit.core.event import Event, Noticed, Observe, ignore
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.engines import HttpClient, OpenAIChat
from gavelkit.engines.openai_chat import chat_url
from gavelkit.simulator.server import HttpAnswer, HttpRequest, serving

KEY = "sk-0123456789abcdef"


class Exchange:
    """One request to a server that gives one answer."""

    def __init__(
        self,
        answer: HttpAnswer,
        *,
        request: Request | None = None,
        api_key: str | None = None,
        observe: Observe = ignore,
    ) -> None:
        self.seen: list[HttpRequest] = []
        self._observe = observe
        self._answer = answer
        self._request = request or a_request()
        self._api_key = api_key

    def completion(self) -> Completion:
        return asyncio.run(asyncio.wait_for(self._exchange(), 20))

    def error(self) -> CallError:
        with pytest.raises(CallError) as caught:
            self.completion()
        return caught.value

    async def _exchange(self) -> Completion:
        client = HttpClient(connections=1)
        try:
            async with serving(self._handle) as port:
                engine = OpenAIChat(
                    client,
                    api_base=f"http://127.0.0.1:{port}",
                    api_key=self._api_key,
                    timeout=5,
                    observe=self._observe,
                )
                return await engine.complete(self._request)
        finally:
            await client.aclose()

    def _handle(self, request: HttpRequest) -> HttpAnswer:
        self.seen.append(request)
        return self._answer


def reply_to(body: object, **more: Any) -> Completion:
    return Exchange(chat_answer(body, **more)).completion()


def error_of(body: object, **more: Any) -> CallError:
    return Exchange(chat_answer(body, **more)).error()


def with_usage(usage: object) -> dict[str, Any]:
    return {**chat_body("ok"), "usage": usage}


@pytest.mark.parametrize(
    ("api_base", "url"),
    [
        ("https://api.openai.com", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com/", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
        ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("http://[::1]:8000", "http://[::1]:8000/v1/chat/completions"),
        ("https://host/openai/deployments/x", "https://host/openai/deployments/x/chat/completions"),
        ("https://host/v1/chat/completions", "https://host/v1/chat/completions"),
        ("https://host/v1/chat/completions/", "https://host/v1/chat/completions"),
    ],
)
def test_an_empty_path_becomes_v1_and_the_rest_is_appended_once(api_base: str, url: str) -> None:
    assert chat_url(api_base) == url


def test_the_body_holds_the_parameters_in_canonical_order_and_the_messages_last() -> None:
    parameters = Parameters("gpt-4", {"temperature": 0.0, "max_tokens": 9})
    messages = (Message("system", "Fair."), Message("user", 'Größe "q"\n\U0001f642'))
    exchange = Exchange(chat_answer(chat_body("ok")), request=Request(messages, parameters))
    exchange.completion()
    (seen,) = exchange.seen
    assert (
        seen.body
        == (
            '{"max_tokens":9,"model":"gpt-4","temperature":0.0,"messages":['
            '{"role":"system","content":"Fair."},{"role":"user","content":"Größe \\"q\\"\\n\U0001f642"}]}'
        ).encode()
    )
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["user-agent"] == "gavelkit"


@pytest.mark.parametrize(("key", "header"), [(None, None), (KEY, f"Bearer {KEY}"), ("EMPTY", "Bearer EMPTY")])
def test_the_authorization_header_is_sent_only_with_a_key(key: str | None, header: str | None) -> None:
    exchange = Exchange(chat_answer(chat_body("ok")), api_key=key)
    exchange.completion()
    assert exchange.seen[0].headers.get("authorization") == header


def test_a_reply_comes_back_word_for_word_with_what_it_cost() -> None:
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 5,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 8, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    reply = reply_to({**chat_body("  Score: 7\r\n"), "usage": usage})
    assert reply.text == "  Score: 7\r\n"
    assert (reply.finish_reason, reply.served_model) == ("stop", "m-2026")
    assert reply.usage == Usage(11, 5, 8, 2)
    assert reply.seconds > 0
    assert (reply.attempts, reply.call, reply.replayed) == (1, 0, False)


def with_logprobs(logprobs: object) -> dict[str, Any]:
    body = chat_body("B")
    body["choices"][0]["logprobs"] = logprobs
    return body


def test_log_probabilities_come_along() -> None:
    place = {"token": "B", "logprob": -0.25, "bytes": [66], "top_logprobs": [{"token": "A", "logprob": -1.5}]}
    assert reply_to(with_logprobs({"content": [place]})).logprobs == (Token("B", {"A": -1.5, "B": -0.25}),)


@pytest.mark.parametrize("logprobs", [None, "none", [], {"content": [{"token": 1}]}, {"tokens": ["B"]}])
def test_log_probabilities_of_another_form_cost_nobody_the_reply(logprobs: object) -> None:
    reply = reply_to(with_logprobs(logprobs))
    assert (reply.text, reply.logprobs) == ("B", ())


def test_log_probabilities_that_are_no_json_numbers_cost_nobody_the_reply() -> None:
    body = json.dumps(with_logprobs({"content": [{"token": "B", "logprob": -0.5, "top_logprobs": []}]}))
    odd = body.replace('"top_logprobs": []', '"top_logprobs": [{"token": "\\ud800", "logprob": -Infinity}]')
    reply = reply_to(odd.encode())
    assert (reply.text, reply.logprobs) == ("B", (Token("B", {"B": -0.5}),))


def test_a_zipped_reply_is_read() -> None:
    data = gzip.compress(json.dumps(chat_body("zipped")).encode())
    assert reply_to(data, headers={"content-encoding": "gzip"}).text == "zipped"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "Score: "}, {"type": "text", "text": "7"}], "Score: 7"),
        ([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "x"}}], "a"),
    ],
)
def test_content_is_a_text_or_the_texts_among_its_parts(content: object, text: str) -> None:
    assert reply_to(chat_body(content)).text == text  # type: ignore[arg-type] # what endpoints really send


@pytest.mark.parametrize("content", [None, "", []])
def test_a_reply_without_a_word_may_be_asked_for_once_more_and_is_a_reply_all_the_same(content: object) -> None:
    error = error_of(chat_body(content))  # type: ignore[arg-type] # as above
    assert isinstance(error, EmptyReply)
    assert (error.retryable, error.most_retries) == (True, 1)
    assert (error.completion.text, error.completion.usage) == ("", Usage(7, 3))


@pytest.mark.parametrize("body", [{"choices": []}, {"choices": None}, {"object": "x"}])
def test_a_reply_without_a_choice_may_be_asked_for_twice_more(body: object) -> None:
    error = error_of(body)
    assert isinstance(error, EmptyReply)
    assert (error.retryable, error.most_retries, str(error)) == (True, 2, "the reply has no choices")


@pytest.mark.parametrize("reason", ["length", "tool_calls", "function_call"])
def test_an_empty_reply_with_a_reason_is_no_accident(reason: str) -> None:
    body = chat_body("")
    body["choices"][0]["finish_reason"] = reason
    assert reply_to(body).text == ""


def test_further_choices_are_remarked_upon_once() -> None:
    body = chat_body("first")
    body["choices"] *= 2
    heard: list[Event] = []
    exchange = Exchange(chat_answer(body), observe=heard.append)
    assert exchange.completion().text == "first"
    assert ["2 choices" in event.message for event in heard if isinstance(event, Noticed)] == [True]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_sent_apart_stays_apart(field: str) -> None:
    reply = reply_to(chat_body("Score: 2", **{field: "Score: 10"}))
    assert (reply.text, reply.reasoning) == ("Score: 2", "Score: 10")


def test_a_refusal_is_kept_as_one() -> None:
    reply = reply_to(chat_body(None, refusal="I cannot help."))
    assert (reply.text, reply.refusal) == ("", "I cannot help.")


def test_tool_calls_instead_of_words_are_an_empty_reply() -> None:
    body = chat_body(None, tool_calls=[{"id": "1", "function": {"name": "f", "arguments": "{}"}}])
    body["choices"][0]["finish_reason"] = "tool_calls"
    assert (reply_to(body).text, reply_to(body).finish_reason) == ("", "tool_calls")


def test_a_reply_that_the_filter_stopped_is_a_failed_call_that_keeps_the_words() -> None:
    body = chat_body("Half a")
    body["choices"][0]["finish_reason"] = "content_filter"
    error = error_of(body)
    assert (error.failure.kind, error.failure.raw, error.retryable) == (FailureKind.FILTERED, "Half a", False)


@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_a_reply_at_its_limit_says_that_it_was_cut(reason: str) -> None:
    body = chat_body("Sco")
    body["choices"][0]["finish_reason"] = reason
    assert reply_to(body).cut


def test_a_missing_finish_reason_and_model_are_empty() -> None:
    reply = reply_to({"choices": [{"message": {"content": "ok"}}]})
    assert (reply.finish_reason, reply.served_model, reply.cut) == ("", "", False)


def test_of_several_choices_the_first_counts() -> None:
    body = chat_body("first")
    body["choices"].append({"message": {"content": "second"}})
    assert reply_to(body).text == "first"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({}, Usage()),
        ({"prompt_tokens": 3}, Usage(3)),
        ({"prompt_tokens": None, "completion_tokens": 2}, Usage(None, 2)),
        ({"prompt_tokens": "12", "completion_tokens": 2}, Usage(12, 2)),
        ({"prompt_tokens": 3, "prompt_tokens_details": None}, Usage(3)),
        ({"prompt_tokens": "many"}, Usage()),
        ({"prompt_tokens": 1.5}, Usage()),
        ({"prompt_tokens": -1}, Usage()),
        ({"prompt_tokens": 2**63}, Usage()),
        ({"prompt_tokens": 2**70}, Usage()),
        ({"prompt_tokens": 1, "completion_tokens_details": {"reasoning_tokens": -4}}, Usage()),
        ("lots", Usage()),
        ([], Usage()),
    ],
)
def test_token_counts_that_are_odd_are_unknown_and_cost_nobody_the_reply(usage: object, expected: Usage) -> None:
    reply = reply_to(with_usage(usage))
    assert (reply.text, reply.usage) == ("ok", expected)


def test_a_reply_without_usage_says_nothing_of_tokens() -> None:
    body = chat_body("ok")
    del body["usage"]
    assert reply_to(body).usage == Usage()


def test_lone_surrogates_come_through() -> None:
    assert reply_to(b'{"choices":[{"message":{"content":"a\\ud800b"}}]}').text == "a\ud800b"


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    assert reply_to(b'{"choices":[{"message":{"content":"caf\xe9"}}]}').text == "caf\ufffd"


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_constants_that_json_lacks_spoil_no_reply(constant: str) -> None:
    body = f'{{"choices":[{{"message":{{"content":"ok"}},"logprobs":{constant}}}],"x":{constant}}}'
    assert reply_to(body.encode()).text == "ok"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b'{"choices": [', "not JSON"),
        (b"[" * 50_000, "not JSON"),
        (b"  <!DOCTYPE html><html>Log in</html>", "an HTML page; api_base may lack /v1"),
        ([1], "another shape"),
        ("text", "another shape"),
        ({"choices": [{"message": None}]}, "another shape"),
        ({"choices": [{"text": "old"}]}, "another shape"),
        ({"choices": [{"message": {"content": 7}}]}, "another shape"),
        ({"choices": [{"message": {"content": ["words"]}}]}, "another shape"),
    ],
)
def test_a_body_that_is_no_reply_may_be_asked_for_again_and_is_kept(body: object, words: str) -> None:
    error = error_of(body)
    assert error.failure.kind is FailureKind.DECODE
    assert error.retryable
    assert words in str(error)
    sent = chat_answer(body).body
    assert error.failure.raw == sent[:2000].decode()


def test_an_error_inside_a_200_is_classified_like_a_status() -> None:
    error = error_of({"error": {"code": 429, "message": "slow down"}}, headers={"retry-after": "3"})
    assert (error.failure.kind, error.retry_after) == (FailureKind.RATE_LIMIT, 3)


def test_an_error_beside_a_whole_reply_is_no_error() -> None:
    assert reply_to({**chat_body("ok"), "error": {"message": "a warning"}}).text == "ok"


@pytest.mark.parametrize("headers", [{}, {"location": "http://127.0.0.1:1/elsewhere"}])
def test_a_redirect_is_a_failed_call_and_nothing_goes_there(headers: Mapping[str, str]) -> None:
    assert error_of(b"", status=307, headers=headers).failure.kind is FailureKind.REDIRECT


def test_a_status_is_read_with_its_body_and_its_hint() -> None:
    error = error_of({"error": {"code": "insufficient_quota"}}, status=429, headers={"Retry-After": "9"})
    assert (error.failure.kind, error.failure.fatal, error.retry_after) == (FailureKind.QUOTA, True, 9)


def test_a_key_that_the_endpoint_repeats_is_taken_out_of_replies_and_errors() -> None:
    said = Exchange(chat_answer(chat_body(f"Your key is {KEY}.")), api_key=KEY).completion()
    assert said.text == "Your key is (key)."
    failed = Exchange(chat_answer({"error": {"message": f"Bad key {KEY}"}}, status=401), api_key=KEY).error()
    assert KEY not in str(failed) + failed.failure.raw


def test_a_placeholder_key_is_a_word_like_any_other() -> None:
    assert Exchange(chat_answer(chat_body("there are none")), api_key="none").completion().text == "there are none"


def listed(body: object, *, status: int = 200, key: str | None = None) -> tuple[str, ...]:
    async def ask() -> tuple[str, ...]:
        def answer(request: HttpRequest) -> HttpAnswer:
            assert (request.method, request.path) == ("GET", "/v1/models")
            assert request.headers.get("authorization") == (key and f"Bearer {key}")
            return chat_answer(body, status=status)

        async with serving(answer) as port:
            client = HttpClient(connections=1)
            try:
                return await OpenAIChat(client, api_base=f"http://127.0.0.1:{port}", api_key=key).models()
            finally:
                await client.aclose()

    return asyncio.run(ask())


def test_the_models_of_an_endpoint_are_named_without_the_key() -> None:
    assert listed({"object": "list", "data": [{"id": "a", "object": "model"}, {"id": "b"}]}) == ("a", "b")
    key = "sk-0123456789abcdef"
    assert listed({"data": [{"id": f"{key}-tuned"}]}, key=key) == ("(key)-tuned",)


@pytest.mark.parametrize("body", [b"<html>", {"data": None}, {"data": [{"name": "a"}]}, [], {"error": "no"}])
def test_a_list_of_models_that_cannot_be_read_names_none(body: object) -> None:
    assert listed(body) == ()


def test_a_list_of_models_that_is_refused_names_none() -> None:
    assert listed({"data": [{"id": "a"}]}, status=401) == ()
