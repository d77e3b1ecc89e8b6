"""How a judge's model is reached: an endpoint and its key, a function, an engine, or recorded replies."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.config.assembled import PLAIN, made, observed, refusal
from tests.makers import Counting, a_request, chat_answer, chat_body, direct, endpoint

import gavelkit
from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.core.errors import CallError
from gavelkit.core.event import Event, Noticed, Retried
from gavelkit.core.failure import FailureKind
from gavelkit.engines import ScriptedEngine
from gavelkit.judges import Direct, TwoStep
from gavelkit.simulator.server import HttpRequest


def test_a_key_over_plain_http_is_told_without_the_key() -> None:
    (event,) = observed(api_base="http://judge.example/v1")
    assert isinstance(event, Noticed)
    assert "over plain http, readable on the way" in event.message
    assert "sk-secret" not in event.message


@pytest.mark.parametrize(
    ("variables", "settings", "model"),
    [
        ({}, {}, "gpt-4"),
        ({"LLM_JUDGE_MODEL": "b"}, {}, "b"),
        ({"LLM_JUDGE_MODEL": "b", "LLM_JUDGE_X_MODEL": "a"}, {"name": "x"}, "a"),
        ({"LLM_JUDGE_MODEL": "b"}, {"model": "file"}, "file"),
    ],
)
def test_the_file_then_the_environment_name_the_model(
    variables: dict[str, str], settings: dict[str, Any], model: str
) -> None:
    assert made(variables, **settings).parameters.model == model


def asked_at(judge: Direct) -> str:
    """Where a judge's calls go."""
    engine: Any = judge.engine
    return str(engine._inner._inner._url)


@pytest.mark.parametrize(
    ("variables", "settings", "host"),
    [
        ({}, {}, "api.openai.com"),
        ({"OPENAI_BASE_URL": "https://c.example"}, {}, "c.example"),
        ({"OPENAI_BASE_URL": "https://c.example", "LLM_JUDGE_API_BASE": "https://b.example"}, {}, "b.example"),
        ({"LLM_JUDGE_API_BASE": "https://b.example"}, {"api_base": "https://file.example"}, "file.example"),
        ({"LLM_JUDGE_API_BASE": "https://b.example"}, {"api_base": "https://api.openai.com/v1"}, "api.openai.com"),
    ],
)
def test_the_file_then_the_environment_name_the_endpoint(
    variables: dict[str, str], settings: dict[str, Any], host: str
) -> None:
    assert asked_at(made(variables, **settings)) == f"https://{host}/v1/chat/completions"


def test_an_endpoint_from_the_environment_is_checked_too() -> None:
    assert "api_base must be a URL" in refusal({"LLM_JUDGE_API_BASE": "nonsense"})
    assert "OPENAI_API_KEY is not sent to x.example" in refusal(
        {"OPENAI_API_KEY": "sk-1"}, api_base="https://x.example/v1"
    )


@pytest.mark.parametrize("value", ["", "dummy", "EMPTY"])
def test_a_placeholder_for_a_key_is_accepted_and_kept_nowhere(value: str) -> None:
    judge = made(api_key=value)
    assert "api_key" not in str(judge.asks.material) + str(judge.reads.material)


@pytest.mark.parametrize("value", ["sk-secret", 12345678, ["sk-secret"], {"k": "sk-secret"}])
def test_a_key_in_a_file_is_refused_and_never_shown(value: object) -> None:
    message = refusal(api_key=value)
    assert "LLM_JUDGE_JUDGE_API_KEY" in message
    assert "sk-secret" not in message
    assert "12345678" not in message


def test_recorded_replies_lie_beside_the_file_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"example_id": "1", "judge": "j", "reply": "Score: 3"}\n')
    judge = made(folder=tmp_path, name="j", replies="r.jsonl")
    assert judge.parameters.model == "recorded"
    report = gavelkit.evaluate([{"id": "1", "response": "x"}], judge)
    assert report.metric("j").value == 3


def test_two_judges_with_recorded_replies_to_one_prompt_keep_their_own(tmp_path: Path) -> None:
    lines = [{"example_id": "1", "judge": name, "reply": f"Score: {score}"} for name, score in (("a", 3), ("b", 8))]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    judges = [made(folder=tmp_path, name=name, replies="r.jsonl") for name in "ab"]
    report = gavelkit.evaluate([{"id": "1", "response": "x"}], judges)
    assert (report.metric("a").value, report.metric("b").value) == (3, 8)


def test_replies_of_a_live_run_can_be_recorded_by_their_keys(tmp_path: Path) -> None:
    rows = [{"id": "1", "response": "x"}]
    live = gavelkit.judge(prompt_template="{{ response }}", name="j", model="m", function=lambda _prompt: "Score: 3")
    gavelkit.evaluate(rows, live, output=tmp_path / "live")
    connection = sqlite3.connect(tmp_path / "live" / "run.db")
    lines = [{"key": key.hex(), "reply": reply} for key, reply in connection.execute("SELECT key, reply FROM call")]
    connection.close()
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert gavelkit.evaluate(rows, made(folder=tmp_path, name="j", model="m", replies="r.jsonl")).metric("j").value == 3


def test_a_function_has_its_own_name_and_the_judges_as_its_model() -> None:
    def mine(prompt: str) -> str:
        return prompt

    assert gavelkit.judge("score_0_10", function=mine, name="x").parameters.model.endswith("mine (x)")
    assert gavelkit.judge("score_0_10", function=Counting()).parameters.model == "Counting (score_0_10)"
    assert gavelkit.judge("score_0_10", function=mine, model="m").parameters.model == "m"


def test_an_engine_stands_in_for_an_endpoint_as_it_is() -> None:
    engine = ScriptedEngine(["Score: 7"])
    judge = direct("score_0_10", function=engine)
    assert asyncio.run(judge.engine.complete(a_request())).text == "Score: 7"
    assert len(engine.requests) == 1


def test_failed_calls_are_tried_again_as_often_as_set_and_told() -> None:
    events: list[Event] = []
    engine = ScriptedEngine([CallError(FailureKind.SERVER, "down")] * 9)
    settings = {**PLAIN, "retry_attempts": 2, "retry_min_wait": 0, "retry_max_wait": 0}
    judge = assemble(settings, Surroundings(Environment({}), observe=events.append), where="x", function=engine)
    assert isinstance(judge, Direct)
    with pytest.raises(CallError, match="3 requests"):
        asyncio.run(judge.engine.complete(a_request()))
    assert events == [Retried("accuracy", FailureKind.SERVER, 0.0)] * 2


def test_a_judge_reaches_its_endpoint_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[HttpRequest] = []

    def answer(request: HttpRequest) -> Any:
        seen.append(request)
        return chat_answer(chat_body("Score: 7"))

    monkeypatch.setenv("LLM_JUDGE_JUDGE_API_KEY", "sk-own")
    with endpoint(answer) as base:
        judge = gavelkit.judge(prompt_template="{{ response }}", api_base=base, model="m", retry_attempts=0)
        report = gavelkit.evaluate([{"response": "x"}], judge)
    assert report.metric("judge").value == 7
    assert [request.headers["authorization"] for request in seen] == ["Bearer sk-own"] * 2


def test_a_judge_of_an_endpoint_serves_one_event_loop_after_another(tmp_path: Path) -> None:
    with endpoint(lambda _request: chat_answer(chat_body("Score: 7"))) as base:
        judge = gavelkit.judge(prompt_template="{{ response }}", api_base=base, model="m", retry_attempts=0)
        for name in ("one", "two"):
            work = gavelkit.evaluate_async([{"response": "x"}], judge, output=tmp_path / name)
            assert asyncio.run(work).metric("judge").value == 7


def test_the_waits_between_two_tries_are_a_range() -> None:
    assert "retry_min_wait 9 is longer than retry_max_wait 3" in refusal(retry_min_wait=9, retry_max_wait=3)


def test_recorded_replies_need_their_file() -> None:
    assert "the engine recorded needs the file of replies, and no function" in refusal(engine="recorded")


def test_a_judge_in_two_steps_is_reached_in_the_same_way(tmp_path: Path) -> None:
    steps = {"assessment": "Fine.", "option_selection": "Yes", "positional_bias_option_selection": "No"}
    steps["positional_bias_assessment"] = "Hm."
    lines = [{"example_id": "1", "judge": "j", "step": step, "reply": reply} for step, reply in steps.items()]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = {"criterion": "Is it so?", "name": "j", "replies": "r.jsonl", "on_inconsistent": "mean"}
    judge = assemble(settings, Surroundings(Environment({}), tmp_path), where="x")
    assert isinstance(judge, TwoStep)
    assert (judge.parameters.model, judge.probes) == ("recorded", ())
    assert gavelkit.evaluate([{"id": "1", "response": "x"}], judge).metric("j").value == 0.5


def test_a_contest_finds_its_recorded_replies_by_pair_and_order(tmp_path: Path) -> None:
    won = {("a", "b"): "Response A", ("a", "c"): "Response B", ("b", "c"): "Tie"}
    swapped = {"Response A": "Response B", "Response B": "Response A", "Tie": "Tie"}
    row: dict[str, Any] = {"example_id": "1", "judge": "j"}
    lines = [{**row, "step": f"{order}assessment", "reply": "Hm."} for order in ("", "positional_bias_")]
    for pair, reply in won.items():
        about = {**row, "system": list(pair)}
        lines += [{**about, "step": "option_selection", "reply": reply}]
        lines += [{**about, "step": "positional_bias_option_selection", "reply": swapped[reply]}]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = {"mode": "pairwise", "name": "j", "criterion": "Which?", "replies": "r.jsonl"}
    judge = assemble(settings, Surroundings(Environment({}), tmp_path), where="x")
    report = gavelkit.evaluate([{"id": "1", "responses": {"a": "x", "b": "x", "c": "x"}}], judge)
    found = {metric.system: metric.value for metric in report.metrics if metric.name == "mean"}
    assert found == {"a vs b": 1.0, "a vs c": 0.0, "b vs c": 0.5}
