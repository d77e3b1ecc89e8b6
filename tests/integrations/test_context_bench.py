"""context-bench's judge: its request, its reading, and what is 0.0 and why."""

from __future__ import annotations

import io
import json
import pickle
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from email.message import Message
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.makers import chat_answer, chat_body, endpoint, prompt_of

from gavelkit.core.status import Status
from gavelkit.integrations.context_bench import Evaluator, LLMJudge
from gavelkit.simulator import running_simulator
from gavelkit.simulator.server import HttpAnswer, HttpRequest

EXAMPLE = {"question": "Capital of Peru?", "answer": "Lima"}
OUTPUT = {"response": "It is Lima."}
NOBODY = "http://127.0.0.1:9"


class Asked:
    """An endpoint that answers everything alike and keeps what it was asked."""

    def __init__(self, url: str, requests: list[HttpRequest]) -> None:
        self.url = url
        self.requests = requests

    @property
    def prompt(self) -> str:
        (request,) = self.requests
        return prompt_of(request)


Answering = Callable[[str | HttpAnswer | None], Asked]


@pytest.fixture
def answering() -> Iterator[Answering]:
    """Starts such an endpoint; it gives a text as the reply's content, and an answer as it is."""
    with ExitStack() as running:

        def start(reply: str | HttpAnswer | None) -> Asked:
            requests: list[HttpRequest] = []

            def answer(request: HttpRequest) -> HttpAnswer:
                requests.append(request)
                return reply if isinstance(reply, HttpAnswer) else chat_answer(chat_body(reply))

            return Asked(running.enter_context(endpoint(answer)).removesuffix("/v1"), requests)

        yield start


def scored(asked: Asked, **settings: Any) -> tuple[dict[str, float], Status | None, str]:
    judge = LLMJudge(asked.url, **settings)
    return judge.score(EXAMPLE, OUTPUT), judge.last_status, judge.last_error


def saying(reply: str) -> LLMJudge:
    """A judge whose model says this, without a network."""
    judge = LLMJudge(NOBODY)
    judge._call_judge = lambda prompt: reply if prompt else ""  # type: ignore[method-assign] # subclasses do so too
    return judge


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def urlopen(request: urllib.request.Request, *, timeout: float) -> io.BytesIO:
        raise error

    monkeypatch.setattr("urllib.request.urlopen", urlopen)


def test_it_is_an_evaluator_called_llm_judge() -> None:
    judge = LLMJudge(NOBODY)
    assert isinstance(judge, Evaluator)
    assert judge.name == "llm_judge"
    assert (judge.last_status, judge.last_error) == (None, "")


def test_a_request_is_that_of_the_page(answering: Answering) -> None:
    asked = answering("4")
    assert scored(asked) == ({"judge_score": 0.75}, Status.OK, "")
    (request,) = asked.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["content-type"] == "application/json"
    assert "authorization" not in request.headers
    assert json.loads(request.body) == {
        "model": "gpt-4",
        "messages": [{"role": "user", "content": asked.prompt}],
        "temperature": 0,
        "max_tokens": 16,
    }


def test_the_defaults_are_those_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[tuple[urllib.request.Request, float]] = []

    def urlopen(request: urllib.request.Request, *, timeout: float) -> io.BytesIO:
        came.append((request, timeout))
        return io.BytesIO(json.dumps(chat_body("5")).encode())

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    assert LLMJudge("https://judge.example").score(EXAMPLE, OUTPUT) == {"judge_score": 1.0}
    ((request, timeout),) = came
    assert timeout == 60.0
    assert request.full_url == "https://judge.example/v1/chat/completions"
    assert isinstance(request.data, bytes)
    assert json.loads(request.data)["model"] == "gpt-4"


def test_one_slash_at_the_end_of_the_base_url_is_left_out(answering: Answering) -> None:
    asked = answering("4")
    assert LLMJudge(asked.url + "/").score(EXAMPLE, OUTPUT) == {"judge_score": 0.75}
    assert asked.requests[0].path == "/v1/chat/completions"


def test_the_model_and_the_key_that_are_given_are_sent(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    asked = answering("4")
    scored(asked, model="judge-1", api_key="sk-mine")
    assert json.loads(asked.requests[0].body)["model"] == "judge-1"
    assert asked.requests[0].headers["authorization"] == "Bearer sk-mine"


@pytest.mark.parametrize("given_key", [None, ""])
def test_without_a_key_that_of_the_environment_at_construction_is_sent(
    given_key: str | None, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering("4")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    judge = LLMJudge(asked.url, api_key=given_key)
    monkeypatch.delenv("OPENAI_API_KEY")
    judge.score(EXAMPLE, OUTPUT)
    assert asked.requests[0].headers["authorization"] == "Bearer sk-environment"


def test_the_prompt_shows_question_reference_and_response_then_five_levels(answering: Answering) -> None:
    asked = answering("4")
    scored(asked)
    blocks = asked.prompt.split("\n\n")
    assert blocks[1:4] == [
        "[Question]\nCapital of Peru?",
        "[Reference Answer]\nLima",
        "[Assistant's Response]\nIt is Lima.",
    ]
    assert re.findall(r"^(\d) - \S", blocks[4], re.MULTILINE) == list("12345")
    assert "single integer" in blocks[5]
    assert not asked.prompt.endswith("\n")


@pytest.mark.parametrize(
    ("original", "question", "reference"),
    [
        ({"context": "c"}, "c", ""),
        ({"question": "q", "context": "c"}, "q", ""),
        ({"question": None, "context": "c"}, "None", ""),
        ({"question": "{response} {0} {x.y}", "answer": "}{"}, "{response} {0} {x.y}", "}{"),
        ({"answer": 7}, "", "7"),
    ],
)
def test_the_question_falls_back_to_the_context_and_braces_are_only_text(
    original: dict[str, Any], question: str, reference: str
) -> None:
    prompts: list[str] = []
    judge = LLMJudge(NOBODY)
    judge._call_judge = lambda prompt: prompts.append(prompt) or "3"  # type: ignore[func-returns-value,method-assign] # keeps and replies
    assert judge.score(original, {"response": "{question}"}) == {"judge_score": 0.5}
    assert f"[Question]\n{question}\n\n[Reference Answer]\n{reference}\n\n" in prompts[0]
    assert "[Assistant's Response]\n{question}\n\n" in prompts[0]


@pytest.mark.parametrize("output", [{}, {"response": ""}])
def test_an_empty_response_is_zero_and_asks_nobody(output: dict[str, Any], answering: Answering) -> None:
    asked = answering("5")
    judge = LLMJudge(asked.url)
    assert judge.score(EXAMPLE, output) == {"judge_score": 0.0}
    assert judge.last_status == "invalid_input"
    assert asked.requests == []


@pytest.mark.parametrize(("response", "shown"), [(None, "None"), (0, "0"), (" ", " ")])
def test_any_other_response_is_judged_as_its_text(response: object, shown: str, answering: Answering) -> None:
    asked = answering("5")
    assert LLMJudge(asked.url).score(EXAMPLE, {"response": response}) == {"judge_score": 1.0}
    assert f"[Assistant's Response]\n{shown}\n\n" in asked.prompt


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ("1", 1),
        ("2", 2),
        ("3", 3),
        ("4", 4),
        ("5", 5),
        (" 4\n", 4),
        ("10", 1),
        ("-3", 3),
        ("2.9", 2),
        ("Rating: 4/5", 4),
        ("7 out of 5", 5),
        ("<think>1 bad</think>5", 1),
    ],
)
def test_the_first_digit_from_1_to_5_is_the_rating(reply: str, rating: int) -> None:
    judge = saying(reply)
    assert LLMJudge._parse_rating(reply) == rating
    assert judge.score(EXAMPLE, OUTPUT) == {"judge_score": (rating - 1) / 4}
    assert judge.last_status == "ok"


@pytest.mark.parametrize("reply", ["", "0", "no idea", "\u0663", "nine: 9", "\u00b2"])
def test_where_there_is_no_such_digit_the_rating_is_1_and_the_status_tells_it_apart(reply: str) -> None:
    judge = saying(reply)
    assert LLMJudge._parse_rating(reply) == 1
    assert judge.score(EXAMPLE, OUTPUT) == {"judge_score": 0.0}
    assert judge.last_status == "parse_error"
    assert judge.last_error
    judge = saying("1")
    assert judge.score(EXAMPLE, OUTPUT) == {"judge_score": 0.0}
    assert judge.last_status == "ok"
    assert judge.last_error == ""


@given(st.text())
def test_every_reply_is_one_of_five_scores(reply: str) -> None:
    judge = saying(reply)
    assert judge.score(EXAMPLE, OUTPUT)["judge_score"] in {0.0, 0.25, 0.5, 0.75, 1.0}
    assert judge.last_status in {Status.OK, Status.PARSE_ERROR}


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_a_status_other_than_success_is_zero_after_one_request(status: int, answering: Answering) -> None:
    asked = answering(chat_answer({"error": {"message": "sk-secret"}}, status=status))
    assert scored(asked) == ({"judge_score": 0.0}, Status.CALL_ERROR, f"HTTP {status}")
    assert len(asked.requests) == 1


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"3", b"\xff", b"[" * 100_000, {"choices": []}, {"error": "5"}])
def test_a_body_that_is_no_completion_is_zero(body: object, answering: Answering) -> None:
    score, status, _ = scored(answering(chat_answer(body)))
    assert (score, status) == ({"judge_score": 0.0}, Status.CALL_ERROR)


def test_a_null_content_is_zero_and_unreadable(answering: Answering) -> None:
    score, status, told = scored(answering(None))
    assert (score, status) == ({"judge_score": 0.0}, Status.PARSE_ERROR)
    assert told == "the reply has no text"


def test_a_refusal_is_zero_and_told_apart(answering: Answering) -> None:
    score, status, _ = scored(answering(chat_answer(chat_body(None, refusal="I would rather not. 5"))))
    assert (score, status) == ({"judge_score": 0.0}, Status.REFUSED)


@pytest.mark.parametrize("content", ["Let me think", "", None])
def test_a_reply_that_is_cut_before_its_rating_is_truncated_and_asked_for_once(
    content: str | None, answering: Answering
) -> None:
    body = chat_body(content)
    body["choices"][0]["finish_reason"] = "length"
    asked = answering(chat_answer(body))
    score, status, _ = scored(asked)
    assert (score, status, len(asked.requests)) == ({"judge_score": 0.0}, Status.TRUNCATED, 1)


def test_a_reply_that_is_cut_after_its_rating_counts(answering: Answering) -> None:
    body = chat_body("4, because")
    body["choices"][0]["finish_reason"] = "length"
    assert scored(answering(chat_answer(body))) == ({"judge_score": 0.75}, Status.OK, "")


def test_a_redirected_reply_is_a_failed_call_and_takes_no_key_along(answering: Answering) -> None:
    elsewhere = answering("5")
    asked = answering(HttpAnswer(302, b"", (("location", elsewhere.url + "/v1/chat/completions"),)))
    score, status, told = scored(asked, api_key="sk-secret")
    assert (score, status) == ({"judge_score": 0.0}, Status.CALL_ERROR)
    assert "redirects" in told
    assert ["authorization" in request.headers for request in asked.requests + elsewhere.requests] == [True, False]


def test_a_body_beyond_the_cap_is_a_failed_call(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavelkit.integrations.context_bench._BODY_CAP", 100)
    score, status, told = scored(answering("5" + " " * 100))
    assert (score, status) == ({"judge_score": 0.0}, Status.CALL_ERROR)
    assert "longer than 100 bytes" in told


@pytest.mark.real_time
def test_a_call_beyond_the_timeout_is_zero(answering: Answering) -> None:
    asked = answering(chat_answer(chat_body("5"), delay=5))
    assert scored(asked, timeout=0.05) == ({"judge_score": 0.0}, Status.CALL_ERROR, "no reply within 0.05 seconds")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (TimeoutError("timed out"), "no reply within 60 seconds"),
        (urllib.error.URLError(TimeoutError("timed out")), "no reply within 60 seconds"),
        (urllib.error.URLError(ConnectionRefusedError(111, "refused")), "no connection: [Errno 111] refused"),
        (ConnectionResetError(104, "reset"), "no connection: [Errno 104] reset"),
        (urllib.error.HTTPError("https://judge.example", 503, "busy", Message(), None), "HTTP 503"),
        (urllib.error.URLError("sk-secret"), "the call failed: URLError"),
        (RuntimeError("sk-secret"), "the call failed: RuntimeError"),
    ],
)
def test_whatever_fails_is_zero_and_says_why(error: Exception, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, error)
    judge = LLMJudge("https://judge.example")
    assert judge.score(EXAMPLE, OUTPUT) == {"judge_score": 0.0}
    assert (judge.last_status, judge.last_error) == (Status.CALL_ERROR, told)


def test_a_key_that_no_header_can_hold_is_a_failed_call_and_is_not_shown(answering: Answering) -> None:
    asked = answering("5")
    score, status, told = scored(asked, api_key="sk-secret\nsecond line")
    assert (score, status) == ({"judge_score": 0.0}, Status.CALL_ERROR)
    assert "secret" not in told
    assert asked.requests == []


@pytest.mark.parametrize("base_url", ["", "judge.example", "file:///etc", "ftp://judge.example"])
def test_a_base_url_of_another_kind_is_a_failed_call(base_url: str) -> None:
    judge = LLMJudge(base_url)
    assert judge.score(EXAMPLE, OUTPUT) == {"judge_score": 0.0}
    assert judge.last_status == "call_error"
    assert "http://" in judge.last_error


def test_an_interrupt_goes_through() -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    judge = LLMJudge(NOBODY)
    judge._call_judge = interrupted  # type: ignore[method-assign] # the seam that subclasses use too
    with pytest.raises(KeyboardInterrupt):
        judge.score(EXAMPLE, OUTPUT)


def test_parallel_workers_each_read_the_status_of_their_own_row() -> None:
    judge = LLMJudge(NOBODY)
    judge._call_judge = lambda prompt: "4" if "right" in prompt else "none"  # type: ignore[method-assign] # as above

    def work(response: str) -> Status | None:
        judge.score(EXAMPLE, {"response": response})
        return judge.last_status

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(work, ["right", "wrong"] * 20))
    assert statuses == [Status.OK, Status.PARSE_ERROR] * 20
    assert judge.last_status is None


def test_a_judge_can_be_sent_to_another_process(answering: Answering) -> None:
    asked = answering("4")
    judge = pickle.loads(pickle.dumps(LLMJudge(asked.url, "judge-1", "sk-mine", 5.0)))  # noqa: S301 - our own bytes
    assert judge.score(EXAMPLE, OUTPUT) == {"judge_score": 0.75}
    assert json.loads(asked.requests[0].body)["model"] == "judge-1"
    assert asked.requests[0].headers["authorization"] == "Bearer sk-mine"


def test_a_simulated_endpoint_is_judge_enough() -> None:
    with running_simulator() as simulator:
        judge = LLMJudge(simulator.url.removesuffix("/v1"))
        assert judge.score(EXAMPLE, OUTPUT) == {"judge_score": 1.0}
        assert judge.last_status == "ok"
        assert judge.score(EXAMPLE, {"response": "Nobody knows."}) == {"judge_score": 0.0}
        assert judge.last_status == "ok"


ALONE = """
import sys
before = set(sys.modules)
from gavelkit.integrations.context_bench import LLMJudge
judge = LLMJudge(sys.argv[1])
print(judge.score({"question": "q", "answer": "a"}, {"response": "a"}), judge.last_status)
tops = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(tops - sys.stdlib_module_names))
"""


def test_importing_and_calling_it_loads_no_package_of_others(answering: Answering) -> None:
    asked = answering("3")
    ended = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", ALONE, asked.url], capture_output=True, text=True, timeout=30, check=True
    )
    assert ended.stdout.splitlines() == ["{'judge_score': 0.5} ok", "['gavelkit']"]
