"""The pre-flight says whether the address, the key or the model is wrong, and what to do, before anything is judged."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.makers import (
    PREFLIGHT,
    TEMPLATE,
    Counting,
    a_judge,
    chat_answer,
    chat_body,
    direct,
    endpoint,
    prompt_of,
    scoring,
    some_rows,
)

import gavelkit
from gavelkit.core.errors import EndpointError, Interrupted
from gavelkit.core.event import Event, Noticed
from gavelkit.judges import Direct
from gavelkit.run import Stop
from gavelkit.simulator import Script, running_simulator
from gavelkit.simulator.script import Rule
from gavelkit.simulator.server import HttpAnswer, HttpRequest

KEY = "sk-0123456789abcdef-of-the-tests"
SHORT_KEY = "hunter42"


def asking(base: str, name: str = "accuracy", **settings: Any) -> Direct:
    given: dict[str, Any] = {"model": "m", "retry_attempts": 0, "retry_min_wait": 0.0, "retry_max_wait": 0.0}
    return direct(prompt_template=TEMPLATE, name=name, api_base=base, **{**given, **settings})


def refused(base: str, *judges: Direct, **settings: Any) -> str:
    """The message of a run that must not begin."""
    with pytest.raises(EndpointError) as caught:
        gavelkit.evaluate(some_rows(3), judges or asking(base, **settings))
    assert caught.value.exit_code == 4
    assert caught.value.report is None
    return str(caught.value)


def faulty(rule: Rule, **settings: Any) -> str:
    """The message where the simulator answers everything by one rule; its address left out."""
    with running_simulator(Script(rules=(rule,))) as simulator:
        message = refused(simulator.url, **settings)
        assert set(simulator.statuses) <= {rule.status, 200}
    return message.replace(simulator.url, "URL").replace(simulator.url[7:-3], "HOST")


@contextmanager
def peer(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """A raw port: what `answer` does with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    answer(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_port_nobody_listens_on_is_named_with_the_cause() -> None:
    port = closed_port()
    assert refused(f"http://127.0.0.1:{port}/v1") == (
        f"pre-flight failed: the address is wrong, or nothing runs there: http://127.0.0.1:{port}/v1 "
        f"(127.0.0.1:{port}: connection refused); is the server running? Check api_base (judge 'accuracy')"
    )


def test_a_host_without_an_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    message = refused("http://nowhere.invalid/v1")
    assert message.startswith("pre-flight failed: the address is wrong: http://nowhere.invalid/v1 (nowhere.invalid: ")
    assert "; check the host in api_base, and the network" in message


def test_https_on_a_plain_port_is_told() -> None:
    def plain(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    with peer(plain) as port:
        message = refused(f"https://127.0.0.1:{port}/v1")
    assert "the address is wrong: https://127.0.0.1:" in message
    assert "(is this http?)); write http:// in api_base" in message


def test_plain_http_on_a_port_of_another_protocol_is_told() -> None:
    def alert(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(b"\x15\x03\x01\x00\x02\x02\x46")

    with peer(alert) as port:
        message = refused(f"http://127.0.0.1:{port}/v1")
    assert "what answered is not HTTP/1.1 (is this https?)); write https:// in api_base" in message


def test_a_connection_that_is_cut_is_told() -> None:
    with peer(lambda connection: connection.close()) as port:
        assert "the address is wrong, or nothing runs there: " in refused(f"http://127.0.0.1:{port}/v1")


def test_a_missing_key_names_the_variables_to_set() -> None:
    with running_simulator(api_key=KEY) as simulator:
        message = refused(simulator.url, name="fact check")
    assert "pre-flight failed: the key is missing: " in message
    assert (
        "none of LLM_JUDGE_FACT_CHECK_API_KEY, LLM_JUDGE_API_KEY, OPENAI_API_KEY is set; export one of them" in message
    )


@pytest.mark.parametrize("variable", ["LLM_JUDGE_ACCURACY_API_KEY", "LLM_JUDGE_API_KEY", "OPENAI_API_KEY"])
def test_a_wrong_key_names_the_variable_it_came_from_and_not_the_key(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "sk-wrong-0123456789")
    with running_simulator(api_key=KEY) as simulator:
        message = refused(simulator.url)
    assert "pre-flight failed: the key is wrong: " in message
    assert f"it was sent the key in {variable}; set the right one" in message
    assert "sk-wrong" not in message


@pytest.mark.parametrize("key", [KEY, SHORT_KEY])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_a_key_that_the_endpoint_repeats_is_not_shown(key: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_JUDGE_API_KEY", key)

    def repeating(request: HttpRequest) -> HttpAnswer:
        words = f"no to {request.headers['authorization']}"
        return chat_answer({"error": {"message": words}, "data": [{"id": words}]}, status=status)

    with endpoint(repeating) as base:
        assert key not in refused(base)


def test_a_key_without_access_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faulty(Rule(status=403, message="no")) == (
        "pre-flight failed: the key has no access: URL (HTTP 403: no); "
        "a request without a key may not use model 'm'; ask for access (judge 'accuracy')"
    )
    monkeypatch.setenv("LLM_JUDGE_API_KEY", KEY)
    assert "the key in LLM_JUDGE_API_KEY may not use model 'm'" in faulty(Rule(status=403))


def without(status: int, body: object, *names: str) -> str:
    """The message where chat completions are not found and the list of models holds these names."""

    def answer(request: HttpRequest) -> HttpAnswer:
        if request.path.endswith("/models"):
            found = {"data": [{"id": name} for name in names]}
            return chat_answer(found) if names else chat_answer({"detail": "Not Found"}, status=404)
        return chat_answer(body, status=status)

    with endpoint(answer) as base:
        return refused(base)


NO_MODEL = {"error": {"message": "The model 'm' does not exist", "code": "model_not_found"}}


def test_a_model_that_is_not_there_names_those_that_are() -> None:
    message = without(404, NO_MODEL, "llama", "qwen")
    assert "pre-flight failed: the model is wrong: " in message
    assert "there is no model 'm': it offers llama, qwen. Set model" in message


def test_at_most_ten_models_are_named() -> None:
    message = without(404, NO_MODEL, *(f"model-{number}" for number in range(1, 13)))
    assert "model-10 and 2 more. Set model" in message
    assert "model-11" not in message


def test_a_model_that_is_not_there_is_told_where_models_are_not_listed() -> None:
    assert "there is no model 'm': it does not list its models. Set model" in without(404, NO_MODEL)
    assert "the model is wrong" in without(400, NO_MODEL)


def test_a_path_that_is_not_there_is_no_matter_of_the_model() -> None:
    message = without(404, {"detail": "Not Found"})
    assert "pre-flight failed: the address is wrong: " in message
    assert "a base URL usually ends in /v1" in message
    assert "nothing takes chat completions there; check the path in api_base" in message


def test_a_model_that_is_listed_and_cannot_chat_is_told() -> None:
    message = without(404, NO_MODEL, "m")
    assert "the model or the path is wrong: " in message
    assert "it lists model 'm', which takes no chat completions there" in message


def test_a_quota_that_is_used_up_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"error": {"code": "insufficient_quota", "message": "none left"}})
    monkeypatch.setenv("LLM_JUDGE_API_KEY", KEY)
    assert "the quota is used up: URL (HTTP 429: the account has no quota left: none left); " in faulty(
        Rule(status=429, body=body)
    )
    assert "check plan and billing of the account of the key in LLM_JUDGE_API_KEY" in faulty(
        Rule(status=429, body=body)
    )


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            Rule(status=429, message="slow"),
            "the endpoint is too busy: URL (HTTP 429: slow); wait, raise retry_attempts",
        ),
        (Rule(status=503, message="down"), "the endpoint fails: URL (HTTP 503: down); try again later"),
        (Rule(status=400, message="odd"), "the request is refused: URL (HTTP 400: odd); check model 'm', temperature"),
        (
            Rule(body="<html>hello</html>"),
            "the address is wrong: URL (the reply is an HTML page; api_base may lack /v1)",
        ),
        (Rule(body="{}"), "what answers there is no chat completions endpoint; check api_base, whose path"),
        (Rule(status=302), "the address is wrong: URL (HTTP 302: the endpoint redirects to an unnamed place"),
    ],
)
def test_what_an_endpoint_answers_is_told(rule: Rule, words: str) -> None:
    message = faulty(rule)
    assert message.startswith("pre-flight failed: ")
    assert words in message


@pytest.mark.real_time
def test_an_endpoint_that_does_not_answer_is_told() -> None:
    message = faulty(Rule(delay=5), timeout=0.2)
    assert (
        "the endpoint does not answer: URL (HOST: no whole reply within 0.2 s); is the model still loading?" in message
    )


def test_a_long_answer_is_cut() -> None:
    assert len(faulty(Rule(status=400, message="x" * 5000))) < 600


class Seen:
    """Answers, and keeps what was asked before the rows."""

    def __init__(self, **first: Any) -> None:
        self.tried: list[dict[str, Any]] = []
        self.judged = 0
        self._first = first

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        if prompt_of(request) != PREFLIGHT:
            self.judged += 1
            return scoring(request)
        assert self.judged == 0
        self.tried.append(json.loads(request.body))
        failed = bool(self._first) and len(self.tried) == 1
        return chat_answer(chat_body("anything"), **(self._first if failed else {}))


def noticed(events: list[Event]) -> list[str]:
    return [event.message for event in events if isinstance(event, Noticed)]


def test_one_tiny_request_comes_first_and_is_no_judgment() -> None:
    seen, events = Seen(), list[Event]()
    with endpoint(seen) as base:
        report = gavelkit.evaluate(some_rows(4), asking(base, temperature=0.3), observe=events.append)
    assert seen.tried == [
        {"model": "m", "temperature": 0.3, "max_tokens": 16, "messages": [{"role": "user", "content": PREFLIGHT}]}
    ]
    assert (seen.judged, report.planned, report.judges[0].calls) == (4, 4, 4)
    assert noticed(events) == ["pre-flight: ok, 1 request"]


def test_each_endpoint_model_and_key_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_JUDGE_OTHER_API_KEY", KEY)
    seen, events = Seen(), list[Event]()
    with endpoint(seen) as base:
        judges = [asking(base, "a"), asking(base, "b"), asking(base, "c", model="n"), asking(base, "other")]
        gavelkit.evaluate(some_rows(1), judges, observe=events.append)
    assert sorted(each["model"] for each in seen.tried) == ["m", "m", "n"]
    assert noticed(events) == ["pre-flight: ok, 3 requests"]


def test_every_failure_is_told_at_once() -> None:
    ports = [closed_port(), closed_port()]
    judges = [
        asking(f"http://127.0.0.1:{port}/v1", f"j{number}", max_tokens=number + 1) for number, port in enumerate(ports)
    ]
    lines = refused("", *judges).splitlines()
    assert ["(judge 'j0')" in lines[0], "(judge 'j1')" in lines[1], len(lines)] == [True, True, 2]


def test_what_may_pass_is_tried_again_as_the_judge_would() -> None:
    seen, events = Seen(status=503), list[Event]()
    with endpoint(seen) as base:
        gavelkit.evaluate(some_rows(1), asking(base, retry_attempts=1), observe=events.append)
    assert len(seen.tried) == 2
    assert noticed(events) == ["pre-flight: ok, 2 requests"]


def test_a_filtered_answer_shows_that_all_is_well() -> None:
    body = {"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]}

    def answer(request: HttpRequest) -> HttpAnswer:
        return chat_answer(body) if prompt_of(request) == PREFLIGHT else scoring(request)

    with endpoint(answer) as base:
        assert gavelkit.evaluate(some_rows(1), asking(base)).finished


def test_it_is_left_out_where_the_judge_or_the_run_says_so() -> None:
    seen = Seen()
    with endpoint(seen) as base:
        gavelkit.evaluate(some_rows(1), asking(base, preflight_check=False))
        gavelkit.evaluate(some_rows(1), asking(base), preflight_check=False)
    assert (seen.tried, seen.judged) == ([], 2)


def test_a_function_is_not_tried() -> None:
    counting = Counting()
    gavelkit.evaluate(some_rows(2), a_judge(counting))
    assert len(counting.prompts) == 2


def test_a_finished_run_is_shown_again_without_a_call_and_one_that_goes_on_is_tried(tmp_path: Path) -> None:
    seen = Seen()
    with endpoint(seen) as base:
        gavelkit.evaluate(some_rows(3), asking(base), output=tmp_path)
        gavelkit.evaluate(some_rows(3), asking(base), output=tmp_path)
        assert (len(seen.tried), seen.judged) == (1, 3)
        seen.judged = 0
        gavelkit.evaluate(some_rows(5), asking(base), output=tmp_path)
    assert (len(seen.tried), seen.judged) == (2, 2)


def test_a_failure_leaves_no_folder_and_a_mended_model_goes_into_the_same(tmp_path: Path) -> None:
    with endpoint(Seen()) as base:
        refused(f"http://127.0.0.1:{closed_port()}/v1")
        with pytest.raises(EndpointError):
            gavelkit.evaluate(some_rows(1), asking(f"http://127.0.0.1:{closed_port()}/v1"), output=tmp_path / "run")
        assert not (tmp_path / "run").exists()
        assert gavelkit.evaluate(some_rows(1), asking(base, model="n"), output=tmp_path / "run").finished


def test_it_ends_at_once_where_somebody_asks_for_the_end(tmp_path: Path) -> None:
    stop, came = Stop(), threading.Event()

    def hanging(_request: HttpRequest) -> HttpAnswer:
        came.set()
        stop.ask("enough")
        return chat_answer(chat_body("OK"), delay=60)

    async def run() -> None:
        await gavelkit.evaluate_async(some_rows(1), asking(base), output=tmp_path / "run", stop=stop)

    with endpoint(hanging) as base, pytest.raises(Interrupted, match="enough"):
        asyncio.run(run())
    assert came.is_set()
    assert not (tmp_path / "run").exists()
