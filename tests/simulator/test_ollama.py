"""What the simulated endpoint answers below `/api`, as Ollama does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gavelkit.simulator.app import App
from gavelkit.simulator.script import Rule, Script, parse_script
from gavelkit.simulator.wire import HttpAnswer, HttpRequest

ASKED = {"model": "llama3.2", "prompt": "Rate it from 1 to 5. Score:"}
CHOOSE = (
    'Choose one of the options:\n- "A" for "Good"\n- "B" for "Bad"\n\nAnswer with it as between the quotation marks.'
)


def sent(app: App, body: object, *, path: str = "/api/generate", method: str = "POST") -> HttpAnswer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return app(HttpRequest(method, path, {}, data))


def generated(script: Script | None = None, **asked: Any) -> dict[str, Any]:
    answer = sent(App(script), {**ASKED, **asked})
    assert answer.status == 200
    read: dict[str, Any] = json.loads(answer.body)
    return read


def test_a_reply_has_all_that_a_client_of_ollamas_reads() -> None:
    reply = generated(Script(reply="Score: 4"), stream=False)
    assert reply.pop("created_at").endswith("+00:00")
    assert reply == {
        "model": "simulated-not-an-llm/llama3.2",
        "response": "Score: 4",
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 7,
        "eval_count": 2,
    }


@pytest.mark.parametrize("stream", [True, False])
def test_a_reply_is_one_line_which_a_streaming_client_reads_too(*, stream: bool) -> None:
    body = sent(App(), {**ASKED, "stream": stream}).body
    assert body.count(b"\n") == 1
    assert json.loads(body.splitlines()[0])["done"]


def test_the_same_brain_answers_the_same_prompt_on_both_apis() -> None:
    app = App()
    chat = {"model": "m", "messages": [{"role": "system", "content": "Be fair."}, {"role": "user", "content": CHOOSE}]}
    completion = json.loads(sent(app, chat, path="/v1/chat/completions").body)
    reply = json.loads(sent(app, {"model": "m", "system": "Be fair.", "prompt": CHOOSE}).body)
    assert reply["response"] == completion["choices"][0]["message"]["content"]
    assert app.ledger.requests == 2


def test_a_schema_as_format_gives_an_object_of_its_form_and_the_word_json_any() -> None:
    schema = {"type": "object", "properties": {"why": {"type": "string"}, "score": {"type": "number"}}}
    assert list(json.loads(generated(format=schema)["response"])) == ["why", "score"]
    assert json.loads(generated(prompt='Answer as JSON: {"score": <1-5>}', format="json")["response"]).keys() == {
        "score"
    }


@pytest.mark.parametrize(("limit", "text", "reason"), [(2, "abcdefgh", "length"), (-1, "abcdefghij", "stop")])
def test_a_reply_is_cut_at_num_predict_and_below_0_there_is_no_limit(limit: int, text: str, reason: str) -> None:
    reply = generated(Script(reply="abcdefghij"), options={"num_predict": limit, "seed": 1})
    assert (reply["response"], reply["done_reason"]) == (text, reason)


def test_log_probabilities_come_where_they_are_asked_for() -> None:
    assert "logprobs" not in generated()
    (place,) = generated(Script(choose="last"), prompt=CHOOSE, logprobs=True, top_logprobs=2)["logprobs"]
    assert [each["token"] for each in place["top_logprobs"]] == ["B", "A"]


def test_the_models_are_listed() -> None:
    answer = sent(App(models=("a", "b:latest")), b"", path="/api/tags", method="GET")
    assert [model["name"] for model in json.loads(answer.body)["models"]] == ["a", "b:latest"]


def test_a_scripts_faults_come_in_ollamas_words() -> None:
    app = App(Script(rules=(Rule(match="Rate", first=1, status=404, message="model 'm' not found"), Rule(body="{"))))
    first, second = sent(app, ASKED), sent(app, ASKED)
    assert (first.status, json.loads(first.body)) == (404, {"error": "model 'm' not found"})
    assert (second.status, second.body) == (200, b"{")


def test_a_limit_on_requests_holds_for_both_apis_together() -> None:
    app = App(parse_script("limit: {rate: 0.001, burst: 1}"), now=lambda: 0.0)
    assert sent(app, ASKED).status == 200
    refused = sent(app, ASKED)
    assert (refused.status, json.loads(refused.body)) == (429, {"error": "Rate limit reached."})
    assert dict(refused.headers)["retry-after"] == "1000"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "not valid JSON"),
        ({"model": "m"}, "needs a prompt"),
        ({"prompt": "x"}, "missing required field `model`"),
        ({**ASKED, "format": "xml"}, "format is the word json or a schema, not 'xml'"),
        ({**ASKED, "options": {"num_predict": "many"}}, "num_predict"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_ollamas_words(body: object, words: str) -> None:
    answer = sent(App(), body)
    assert answer.status == 400
    assert words in json.loads(answer.body)["error"]


def test_each_path_has_its_method() -> None:
    assert sent(App(), b"", method="GET").status == 405
    assert sent(App(), b"", path="/api/tags").status == 405


def test_a_key_that_is_demanded_is_demanded_here_too() -> None:
    answer = sent(App(api_key="key"), ASKED)
    assert (answer.status, list(json.loads(answer.body))) == (401, ["error"])
