"""What the simulated endpoint answers at `/completions`: the same brain, without a chat round it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gavelkit.simulator.app import App
from gavelkit.simulator.script import Rule, Script, parse_script
from gavelkit.simulator.wire import HttpAnswer, HttpRequest

CHOOSE = (
    'Choose one of the options:\n- "A" for "Good"\n- "B" for "Bad"\n\nAnswer with it as between the quotation marks.'
)
ASKED = {"model": "base", "prompt": CHOOSE}


def sent(app: App, body: object, *, path: str = "/v1/completions", method: str = "POST") -> HttpAnswer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return app(HttpRequest(method, path, {}, data))


def continued(script: Script | None = None, **asked: Any) -> dict[str, Any]:
    answer = sent(App(script), {**ASKED, **asked})
    assert answer.status == 200
    read: dict[str, Any] = json.loads(answer.body)
    return read


def test_a_reply_has_all_that_a_client_reads() -> None:
    reply = continued(Script(reply="Score: 4"), prompt="Rate it. Score:")
    assert reply.pop("created") > 0
    assert reply == {
        "id": "cmpl-simulated-0",
        "object": "text_completion",
        "model": "simulated-not-an-llm/base",
        "choices": [{"index": 0, "text": "Score: 4", "logprobs": None, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": 4,
            "completion_tokens": 2,
            "total_tokens": 6,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
    }


@pytest.mark.parametrize("prompt", [CHOOSE, [CHOOSE]])
def test_the_same_brain_answers_the_same_prompt_as_in_a_chat(prompt: object) -> None:
    chat = {"model": "base", "messages": [{"role": "user", "content": CHOOSE}]}
    completion = json.loads(sent(App(), chat, path="/v1/chat/completions").body)
    assert continued(prompt=prompt)["choices"][0]["text"] == completion["choices"][0]["message"]["content"]


def test_a_reply_is_cut_at_max_tokens() -> None:
    (choice,) = continued(Script(reply="abcdefghij"), max_tokens=2)["choices"]
    assert (choice["text"], choice["finish_reason"]) == ("abcdefgh", "length")


def test_a_schema_gives_an_object_of_its_form() -> None:
    schema = {"type": "object", "properties": {"why": {"type": "string"}, "score": {"type": "number"}}}
    form = {"type": "json_schema", "json_schema": {"schema": schema}}
    assert list(json.loads(continued(response_format=form)["choices"][0]["text"])) == ["why", "score"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "not valid JSON"),
        ({"model": "m"}, "missing required field `prompt`"),
        ({"model": "m", "prompt": ""}, "one prompt that is not empty"),
        ({"model": "m", "prompt": ["a", "b"]}, "one prompt that is not empty"),
        ({"prompt": "x"}, "missing required field `model`"),
    ],
)
def test_what_cannot_be_answered_is_refused(body: object, words: str) -> None:
    answer = sent(App(), body)
    assert answer.status == 400
    assert words in json.loads(answer.body)["error"]["message"]


def test_a_scripts_faults_limits_and_key_are_those_of_a_chat() -> None:
    failed = sent(App(Script(rules=(Rule(status=503, message="busy"),))), ASKED)
    assert (failed.status, json.loads(failed.body)["error"]["message"]) == (503, "busy")
    app = App(parse_script("limit: {rate: 0.001}"), now=lambda: 0.0)
    assert [sent(app, ASKED).status, sent(app, ASKED).status] == [200, 429]
    assert sent(App(api_key="key"), ASKED).status == 401
    assert sent(App(), b"", method="GET").status == 405
