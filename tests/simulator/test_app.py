"""What a simulated endpoint answers over HTTP, and what it remembers."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from gavelkit.simulator import Rule, Script, Simulator, running_simulator, serve_forever
from gavelkit.simulator.app import App
from gavelkit.simulator.wire import HttpRequest

HELLO = {"model": "judge-1", "messages": [{"role": "user", "content": "Rate it from 1 to 5. Score:"}]}


def send(
    url: str, body: object = None, *, key: str | None = None, raw: bytes | None = None
) -> tuple[int, Any, dict[str, str]]:
    """POST a body (GET where there is none) and give status, JSON (or text) and headers."""
    data = raw if raw is not None else None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(url, data=data, headers=headers)  # noqa: S310 - loopback
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - loopback
            return answer.status, json.loads(answer.read()), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read()), dict(error.headers)


def test_a_reply_has_all_that_a_client_reads() -> None:
    with running_simulator(Script(reply="Score: 4")) as simulator:
        status, body, _ = send(f"{simulator.url}/chat/completions", HELLO)
    assert status == 200
    assert body["model"] == "simulated-not-an-llm/judge-1"
    assert body["object"] == "chat.completion"
    assert body["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Score: 4", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]
    assert body["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 2,
        "total_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def test_the_official_client_reads_replies_errors_and_models() -> None:
    with (
        running_simulator(Script(rules=(Rule(match="fail", status=429),)), api_key="key") as simulator,
        openai.OpenAI(base_url=simulator.url, api_key="key", max_retries=0) as client,
    ):
        reply = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Reply with OK"}])
        assert reply.choices[0].message.content == "OK"
        assert reply.usage is not None
        assert reply.usage.total_tokens == 5
        assert [model.id for model in client.models.list()] == ["simulated"]
        with pytest.raises(openai.RateLimitError, match="simulated"):
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": "fail"}])
        with pytest.raises(openai.AuthenticationError, match="Incorrect API key"):
            client.with_options(api_key="other").models.list()


CHOOSE = (
    'Choose one of the options:\n- "A" for "Good"\n- "B" for "Bad"\n\nAnswer with it as between the quotation marks.'
)


def test_the_official_client_reads_log_probabilities_of_the_options() -> None:
    with (
        running_simulator(Script(choose="last")) as simulator,
        openai.OpenAI(base_url=simulator.url, api_key="key", max_retries=0) as client,
    ):
        reply = client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": CHOOSE}], logprobs=True, top_logprobs=5
        )
    (choice,) = reply.choices
    assert choice.message.content == "B"
    assert choice.logprobs is not None
    assert choice.logprobs.content is not None
    (place,) = choice.logprobs.content
    assert [each.token for each in place.top_logprobs] == ["B", "A"]
    assert place.logprob == place.top_logprobs[0].logprob < 0


def test_a_fixed_reply_that_is_cut_has_log_probabilities_of_what_is_left() -> None:
    with running_simulator(Script(reply="B because of everything")) as simulator:
        _, body, _ = send(f"{simulator.url}/chat/completions", HELLO | {"logprobs": True, "max_tokens": 1})
    places = body["choices"][0]["logprobs"]["content"]
    assert [each["token"] for each in places] == ["B", " be"]
    assert [each["top_logprobs"] for each in places] == [[], []]


def test_the_reply_is_in_the_form_asked_for() -> None:
    with running_simulator() as simulator:
        _, body, _ = send(f"{simulator.url}/chat/completions", HELLO)
        parts = [{"type": "text", "text": "Reply with "}, {"type": "text", "text": "YES"}]
        as_parts = {"model": "m", "messages": [{"role": "user", "content": parts}]}
        _, other, _ = send(f"{simulator.url}/chat/completions", as_parts)
    assert body["choices"][0]["message"]["content"].startswith("Score: ")
    assert other["choices"][0]["message"]["content"] == "YES"


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_a_reply_is_cut_at_its_limit(limit: str) -> None:
    with running_simulator(Script(reply="abcdefghij")) as simulator:
        _, body, _ = send(f"{simulator.url}/chat/completions", HELLO | {limit: 2})
        _, whole, _ = send(f"{simulator.url}/chat/completions", HELLO | {limit: 3})
    assert body["choices"][0]["message"]["content"] == "abcdefgh"
    assert body["choices"][0]["finish_reason"] == "length"
    assert body["usage"]["completion_tokens"] == 2
    assert whole["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    ("path", "raw", "status", "code"),
    [
        ("/v1/chat/completions", b'{"model": ', 400, None),
        ("/v1/chat/completions", b"\xff", 400, None),
        ("/v1/chat/completions", b'{"model": "m"}', 400, "invalid_type"),
        ("/v1/chat/completions", b'{"model": 1, "messages": []}', 400, "invalid_type"),
        ("/v1/chat/completions", b'{"model": "m", "messages": []}', 400, "empty_array"),
        ("/v1/chat/completions", json.dumps(HELLO | {"stream": True}).encode(), 400, "unsupported_value"),
        ("/v1/chat/completions", json.dumps(HELLO | {"n": 2}).encode(), 400, "unsupported_value"),
        ("/v1/embeddings", b"{}", 404, None),
        ("/v1/models", b"{}", 405, "method_not_supported"),
        ("/v1/chat/completions", None, 405, "method_not_supported"),
        ("/", None, 404, None),
    ],
)
def test_what_cannot_be_answered_is_refused_in_the_usual_shape(
    path: str, raw: bytes | None, status: int, code: str | None
) -> None:
    with running_simulator() as simulator:
        found, body, _ = send(simulator.url.removesuffix("/v1") + path, raw=raw)
        assert simulator.statuses == {status: 1}
    assert found == status
    assert body["error"].keys() == {"message", "type", "param", "code"}
    assert body["error"]["type"] == "invalid_request_error"
    assert body["error"]["code"] == code


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/any/where/chat/completions?api-version=1", "/chat/completions"]
)
def test_any_path_before_chat_completions_is_answered(path: str) -> None:
    with running_simulator() as simulator:
        assert send(simulator.url.removesuffix("/v1") + path, HELLO)[0] == 200


def test_a_key_is_asked_for_where_one_is_set() -> None:
    with running_simulator(api_key="right") as simulator:
        url = f"{simulator.url}/chat/completions"
        assert send(url, HELLO, key="right")[0] == 200
        assert send(url, HELLO, key="wrong")[1]["error"]["code"] == "invalid_api_key"
        status, body, _ = send(url, HELLO)
        assert (status, body["error"]["code"]) == (401, None)
        assert "right" not in json.dumps(body)


def test_rules_make_faults() -> None:
    script = Script(
        reply="Score: 8",
        rules=(
            Rule(match="busy", status=503, retry_after=2, message="Come back."),
            Rule(match="cut", reply="Sco", finish_reason="length"),
            Rule(match="odd", body="[1]"),
        ),
    )
    with running_simulator(script) as simulator:
        url = f"{simulator.url}/chat/completions"
        status, body, headers = send(url, {"model": "m", "messages": [{"role": "user", "content": "busy"}]})
        assert (status, headers["retry-after"]) == (503, "2")
        assert body["error"]["message"] == "Come back."
        assert body["error"]["type"] == "server_error"
        cut = send(url, {"model": "m", "messages": [{"role": "user", "content": "cut"}]})[1]
        assert cut["choices"][0]["finish_reason"] == "length"
        assert send(url, {"model": "m", "messages": [{"role": "user", "content": "odd"}]})[1] == [1]
        assert send(url, HELLO)[1]["choices"][0]["message"]["content"] == "Score: 8"


def test_the_log_has_a_line_for_each_request(tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    with running_simulator(Script(reply="Score: 8"), log=log) as simulator:
        for _ in range(2):
            send(f"{simulator.url}/chat/completions", HELLO)
        send(f"{simulator.url}/nowhere")
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [line["status"] for line in lines] == [200, 200, 404]
    assert [line["repeat"] for line in lines] == [0, 1, 0]
    assert [line["model"] for line in lines] == ["judge-1", "judge-1", ""]
    assert [line["path"] for line in lines] == ["/v1/chat/completions", "/v1/chat/completions", "/v1/nowhere"]
    assert all(line["in_flight"] == 1 and line["time"].endswith("+00:00") for line in lines)


@pytest.mark.real_time
def test_requests_in_flight_at_once_are_counted() -> None:
    with running_simulator(Script(reply="x", latency=0.3)) as simulator, ThreadPoolExecutor(6) as pool:
        url = f"{simulator.url}/chat/completions"
        assert {send[0] for send in pool.map(lambda _: send_(url), range(6))} == {200}
        assert simulator.max_in_flight == 6
        send_(url)
        assert (simulator.max_in_flight, simulator.requests) == (6, 7)


def send_(url: str) -> tuple[int, Any, dict[str, str]]:
    return send(url, HELLO)


def post(app: App, text: str) -> dict[str, Any]:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    found: dict[str, Any] = json.loads(app(HttpRequest("POST", "/v1/chat/completions", {}, body)).body)
    return found


def test_answers_that_are_due_are_no_longer_in_flight() -> None:
    clock = [0.0]
    app = App(Script(reply="x", latency=1.0), now=lambda: clock[0])
    for moment in (0.0, 0.5, 1.0, 1.25, 9.0):
        clock[0] = moment
        post(app, "x")
    assert app.ledger.max_in_flight == 3
    assert app.ledger.requests == 5


def test_a_long_prefix_shared_with_the_last_prompt_counts_as_cached() -> None:
    app = App(Script(reply="x"))
    cached = [
        post(app, text)["usage"]["prompt_tokens_details"]["cached_tokens"]
        for text in ("a" * 6000, "a" * 5000 + "b" * 1000, "short", "a" * 4100 + "c" * 100, "c" * 6000)
    ]
    assert cached == [0, 1152, 0, 1024, 0]


def test_it_runs_inside_an_async_block() -> None:
    async def use() -> tuple[int, Any, dict[str, str]]:
        async with Simulator(Script(reply="Score: 8")) as simulator:
            assert simulator.url.startswith("http://127.0.0.1:")
            assert simulator.url.endswith("/v1")
            return await asyncio.to_thread(send, f"{simulator.url}/models")

    assert asyncio.run(use())[1]["data"][0]["id"] == "simulated"


def test_serving_for_ever_announces_its_url_and_stops_when_told() -> None:
    class Stop(Exception):
        pass

    heard: list[str] = []

    def announce(url: str) -> None:
        heard.append(url)
        raise Stop

    with pytest.raises(Stop):
        serve_forever(Simulator(), announce=announce)
    assert heard[0].endswith("/v1")
    assert threading.active_count() >= 1
