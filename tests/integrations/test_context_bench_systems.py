"""context-bench's OpenAIProxy: what it sends, what it gives back, and where its key goes."""

from __future__ import annotations

import asyncio
import threading
from inspect import signature
from typing import Any

import pytest
from tests.fake_clock import FakeClock
from tests.integrations.bench import Bench, running
from tests.makers import chat_answer, chat_body

from gavelkit.core.errors import ConfigError
from gavelkit.integrations.context_bench import OpenAIProxy, System
from gavelkit.simulator.server import HttpAnswer, HttpRequest

SAYS = Bench(says=lambda prompt: f"said {prompt}")
SECRET = "sk-secret-0123456789"


def told(bench: Bench, example: dict[str, Any], **settings: Any) -> list[dict[str, str]]:
    """The messages that an example is asked with."""
    with running(bench):
        OpenAIProxy(bench.url, **settings).process(example)
    messages: list[dict[str, str]] = bench.bodies[-1]["messages"]
    return messages


def no_waiting(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    clock = FakeClock()
    monkeypatch.setattr("gavelkit.engines.clock.SystemClock.sleep", lambda _, seconds: clock.sleep(seconds))
    monkeypatch.setattr("gavelkit.engines.clock.SystemClock.monotonic", lambda _: clock.now)
    return clock


def test_its_arguments_and_defaults_are_those_of_context_bench() -> None:
    defaults = {name: each.default for name, each in signature(OpenAIProxy).parameters.items()}
    assert list(defaults.items())[1:] == [
        ("model", "gpt-3.5-turbo"),
        ("name", None),
        ("api_key", None),
        ("system_prompt", None),
        ("build_messages", None),
        ("timeout", 30.0),
        ("extra_body", None),
        ("max_retries", 3),
        ("retry_base_delay", 1.0),
    ]


def test_it_is_a_system_and_gives_the_response_and_what_it_cost() -> None:
    with running(Bench(says=lambda _: "Lima")) as bench:
        proxy = OpenAIProxy(bench.url + "/", name="mine")
        assert isinstance(proxy, System)
        assert proxy.name == "mine"
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        assert proxy.process({"question": "Capital of Peru?"}) == {"response": "Lima", "api_usage": usage}
        (request,) = bench.requests
        assert request.path == "/v1/chat/completions"
        assert "authorization" not in request.headers


def test_usage_that_the_endpoint_does_not_count_is_left_out() -> None:
    body = {key: value for key, value in chat_body("Lima").items() if key != "usage"}
    with running(Bench(says=lambda _: chat_answer(body))) as bench:
        assert OpenAIProxy(bench.url).process({"question": "?"}) == {"response": "Lima"}


def test_the_context_is_the_systems_and_the_question_the_users() -> None:
    system, user = told(SAYS, {"context": "Peru is a country.", "question": "Capital?", "answer": "Lima"})
    assert system == {"role": "system", "content": "Peru is a country."}
    assert user == {"role": "user", "content": "Capital?"}


def test_without_a_question_the_context_is_the_users() -> None:
    assert told(SAYS, {"context": "Sum this up."}) == [{"role": "user", "content": "Sum this up."}]


def test_a_context_that_only_repeats_the_question_is_sent_once() -> None:
    assert told(SAYS, {"context": "Why?", "question": "Why?"}) == [{"role": "user", "content": "Why?"}]


def test_a_system_prompt_stands_before_the_context() -> None:
    system, _ = told(SAYS, {"context": "Peru.", "question": "Capital?"}, system_prompt="Be brief.")
    assert system == {"role": "system", "content": "Be brief.\n\nPeru."}


def test_messages_of_ones_own_are_sent_as_they_are() -> None:
    def build(example: dict[str, Any]) -> list[dict[str, str]]:
        return [{"role": "assistant", "content": "Ask."}, {"role": "user", "content": f"<{example['question']}>"}]

    example = {"context": "Peru.", "question": "Why?"}
    assert told(SAYS, example, system_prompt="Be brief.", build_messages=build) == [
        {"role": "assistant", "content": "Ask."},
        {"role": "user", "content": "<Why?>"},
    ]


@pytest.mark.parametrize("message", [{"role": "user"}, {"role": "user", "content": ["parts"]}])
def test_a_message_without_text_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="a message has a role and a content"):
        OpenAIProxy("http://127.0.0.1:9", build_messages=lambda _: [message]).process({})


def test_an_example_with_nothing_to_ask_is_refused() -> None:
    with pytest.raises(ValueError, match="neither a question nor a context"):
        OpenAIProxy("http://127.0.0.1:9").process({"answer": "Lima"})


def test_model_and_further_fields_are_sent() -> None:
    with running(Bench(says=lambda _: "yes")) as bench:
        OpenAIProxy(bench.url, "gpt-9", extra_body={"temperature": 0.5}).process({"question": "?"})
        assert bench.bodies == [
            {"model": "gpt-9", "temperature": 0.5, "messages": [{"role": "user", "content": "?"}]},
        ]


@pytest.mark.parametrize("name", ["messages", "stream"])
def test_further_fields_may_not_be_ours(name: str) -> None:
    with pytest.raises(ConfigError, match=f"extra_body cannot set '{name}'"):
        OpenAIProxy("http://127.0.0.1:9", extra_body={name: True})


def test_a_conversation_is_asked_turn_by_turn() -> None:
    with running(Bench(says=lambda prompt: prompt.upper())) as bench:
        proxy = OpenAIProxy(bench.url, system_prompt="Be brief.")
        talk = proxy.process_conversation([{"role": "user", "content": "one"}, "two"])
        assert [(each["role"], each["content"]) for each in talk] == [
            ("system", "Be brief."),
            ("user", "one"),
            ("assistant", "ONE"),
            ("user", "two"),
            ("assistant", "TWO"),
        ]
        assert [len(body["messages"]) for body in bench.bodies] == [2, 4]


def test_an_example_of_several_turns_gives_its_last_response_and_all_of_them() -> None:
    example = {"multi_turn": True, "turns": [{"role": "user", "content": each} for each in ("one", "two")]}
    with running(Bench(says=lambda prompt: prompt.upper())) as bench:
        answer = asyncio.run(OpenAIProxy(bench.url).answer(example))
    usage = {"prompt_tokens": 14, "completion_tokens": 6, "total_tokens": 20}
    assert answer.processed == {"response": "TWO", "turn_responses": ["ONE", "TWO"], "api_usage": usage}
    assert answer.requests == 2
    assert answer.seconds > 0


def test_a_failure_that_passes_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = no_waiting(monkeypatch)
    left = iter([chat_answer({"error": {"message": "busy"}}, status=503)] * 3)
    with running(Bench(says=lambda _: next(left, "Lima"))) as bench:
        assert OpenAIProxy(bench.url).process({"question": "?"})["response"] == "Lima"
        assert len(bench.asked) == 4
    assert clock.now >= 3.0


def test_after_the_retries_a_runtime_error_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    with running(Bench(says=lambda _: chat_answer({"error": {"message": "down"}}, status=500))) as bench:
        with pytest.raises(RuntimeError, match=r"no response: .*down"):
            OpenAIProxy(bench.url, max_retries=1).process({"question": "?"})
        assert len(bench.asked) == 2


@pytest.mark.parametrize("given", [SECRET, None])
def test_the_key_is_the_argument_else_that_of_the_environment_and_shows_nowhere(
    given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other-0123456789" if given else SECRET)
    monkeypatch.setenv("LLM_JUDGE_API_KEY", "sk-of-judges-0123456789")
    came: list[HttpRequest] = []

    def refuse(_: str) -> HttpAnswer:
        return chat_answer({"error": {"message": f"{SECRET} is not known"}}, status=401)

    with running(Bench(says=refuse)) as bench:
        proxy = OpenAIProxy(bench.url, api_key=given)
        with pytest.raises(RuntimeError) as raised:
            proxy.process({"question": "?"})
        came += bench.requests
    assert came[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in f"{raised.value}{proxy!r}{vars(proxy)}{proxy.identity}"


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="base_url is an endpoint's URL without its /v1, such as"):
        OpenAIProxy("localhost:8000")


def test_without_a_name_it_is_called_by_model_and_host() -> None:
    assert OpenAIProxy("http://localhost:8000", "gpt-4").name == "gpt-4@localhost:8000"
    assert repr(OpenAIProxy("http://localhost:8000", "gpt-4")) == (
        "OpenAIProxy('http://localhost:8000', model='gpt-4', name='gpt-4@localhost:8000')"
    )


def test_ones_own_messages_are_made_beside_the_event_loop() -> None:
    made: list[str] = []

    def build(_example: dict[str, Any]) -> list[dict[str, str]]:
        made.append(threading.current_thread().name)
        return [{"role": "user", "content": "?"}]

    with running(SAYS) as bench:
        OpenAIProxy(bench.url, build_messages=build).process({})
        asyncio.run(OpenAIProxy(bench.url, build_messages=build).answer({}))
    assert set(made) == {"gavelkit-call"}
