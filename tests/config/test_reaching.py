"""How a judge's model is reached: an endpoint and its key, a function, an engine, or recorded replies."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.config.assembled import PLAIN, made, observed, reaching, refusal
from tests.makers import PREFLIGHT, Counting, a_request, chat_answer, chat_body, direct, endpoint, prompt_of, some_rows

import gavelkit
from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.core.errors import CallError, ConfigError, EndpointError
from gavelkit.core.event import Event, Noticed, Retried, ignore
from gavelkit.core.failure import FailureKind
from gavelkit.engines import Ceiling, Gated, OpenAIChat, Repairing, Retrying, ScriptedEngine
from gavelkit.judges import AnyJudge, Direct, TwoStep
from gavelkit.simulator import Script, running_simulator
from gavelkit.simulator.server import HttpAnswer, HttpRequest


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
    return str(reaching(judge)[-1]._endpoint._url)


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


KEYS = {"LLM_JUDGE_C_API_KEY": "sk-other"}
THERE = {"api_base": "http://localhost:1/v1", "model": "m"}


def side_by_side(*several: dict[str, Any], strict: bool = False, observe: Any = ignore) -> list[AnyJudge]:
    """Judges of one configuration, named a, b, c."""
    surroundings = Surroundings(Environment(KEYS), strict=strict, observe=observe)
    named = zip("abc", several, strict=False)
    return [assemble({**PLAIN, **THERE, "name": n, **each}, surroundings, where="c.yaml") for n, each in named]


def gate_of(judge: AnyJudge) -> Any:
    (gated,) = (engine for engine in reaching(judge) if isinstance(engine, Gated))
    return gated._gate


def test_round_a_provider_stand_repair_retry_the_judges_ceiling_and_the_endpoints_gate() -> None:
    (judge,) = side_by_side({})
    assert [type(engine) for engine in reaching(judge)] == [Repairing, Retrying, Ceiling, Gated, OpenAIChat]


@pytest.mark.parametrize(
    ("second", "shared"),
    [({}, True), ({"temperature": 1}, True), ({"model": "n"}, False), ({"api_base": "http://localhost:2/v1"}, False)],
)
def test_judges_of_one_endpoint_and_model_share_a_gate_and_a_memory(second: dict[str, Any], *, shared: bool) -> None:
    one, two = side_by_side({}, second)
    assert (gate_of(one) is gate_of(two)) is shared
    assert (reaching(one)[0]._memory is reaching(two)[0]._memory) is shared


def test_another_key_is_another_gate() -> None:
    a, b, c = side_by_side({}, {}, {})
    assert gate_of(a) is gate_of(b)
    assert gate_of(a) is not gate_of(c)


def test_judges_of_one_gate_keep_their_own_ceilings_and_it_lets_in_their_sum() -> None:
    with running_simulator(Script(reply="Score: 5", latency=0.2)) as simulator:
        one, two = side_by_side(*({"api_base": simulator.url, "concurrency": n, "temperature": n} for n in (3, 2)))
        assert gate_of(one).most == 5
        gavelkit.evaluate(some_rows(6), [one, two], preflight_check=False)
        assert simulator.max_in_flight == 5
        gavelkit.evaluate(some_rows(6), two, preflight_check=False)
    assert [judge.limits.concurrency for judge in (one, two)] == [3, 2]


@pytest.mark.parametrize(
    ("settings", "first", "most"),
    [
        ({"concurrency": "auto"}, 32, 256),
        ({"concurrency": "auto", "max_concurrency": 100}, 32, 100),
        ({"concurrency": "auto", "max_concurrency": 8}, 8, 8),
        ({"max_concurrency": 8}, 32, 32),
        ({"concurrency": 7}, 7, 7),
    ],
)
def test_auto_begins_with_32_calls_and_may_come_to_the_most_that_is_set(
    settings: dict[str, Any], first: int, most: int
) -> None:
    (judge,) = side_by_side(settings)

    async def limit() -> int:
        return int(gate_of(judge).entrance().limit.now)

    assert (asyncio.run(limit()), gate_of(judge).most, judge.limits.concurrency) == (first, most, most)


def test_the_settings_of_a_gate_reach_it() -> None:
    (judge,) = side_by_side({"max_wait": 9, "requests_per_minute": 60, "tokens_per_minute": 1000})
    rules = gate_of(judge).rules
    assert (rules.max_hint, rules.requests_per_minute, rules.tokens_per_minute) == (9, 60, 1000)


@pytest.mark.parametrize("name", ["max_wait", "requests_per_minute", "tokens_per_minute"])
def test_judges_that_share_a_gate_give_it_the_same_rates(name: str) -> None:
    with pytest.raises(ConfigError, match=r"c\.yaml 'b': another judge of this endpoint and model has other values"):
        side_by_side({name: 5}, {name: 6})
    with pytest.raises(ConfigError, match=name):
        side_by_side({name: 5}, {})
    side_by_side({name: 5}, {name: 5}, {name: 6})  # the third has a key of its own


def test_judges_that_share_a_gate_may_retry_each_in_its_way() -> None:
    one, two = side_by_side({"retry_min_wait": 0, "retry_max_wait": 0, "retry_attempts": 0}, {})
    assert gate_of(one) is gate_of(two)


class Refusing:
    """An endpoint that does not know `max_tokens`."""

    def __init__(self) -> None:
        self.refused = 0
        self.sent: list[str] = []

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        body = json.loads(request.body)
        if "max_tokens" in body:
            self.refused += 1
            error = {"message": "Unsupported parameter: 'max_tokens'.", "param": "max_tokens"}
            return chat_answer({"error": {**error, "code": "unsupported_parameter"}}, status=400)
        limit = "max_completion_tokens" if "max_completion_tokens" in body else ""
        if prompt_of(request) != PREFLIGHT:
            self.sent.append(limit)
        return chat_answer(chat_body("Score: 7"))


def test_what_an_endpoint_refuses_is_found_out_once_for_all_its_judges_and_by_the_pre_flight() -> None:
    events: list[Event] = []
    with endpoint(refusing := Refusing()) as base:
        settings = {"api_base": base, "max_tokens": 64}
        judges = side_by_side(settings, {**settings, "temperature": 1}, observe=events.append)
        report = gavelkit.evaluate(some_rows(4), judges)
    assert [report.metric(name).value for name in "ab"] == [7, 7]
    assert (refusing.refused, refusing.sent) == (1, ["max_completion_tokens"] * 8)
    assert len(events) == 1


def test_strict_changes_nothing_of_what_is_asked_and_says_so_before_anything_is_judged() -> None:
    with endpoint(refusing := Refusing()) as base:
        (judge,) = side_by_side({"api_base": base, "max_tokens": 64, "retry_attempts": 0}, strict=True)
        with pytest.raises(EndpointError, match="strict changes nothing of what is asked: set it as the endpoint"):
            gavelkit.evaluate(some_rows(4), judge)
    assert (refusing.refused, refusing.sent) == (1, [])


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


def test_a_most_beside_a_number_is_remarked_upon() -> None:
    heard: list[Event] = []
    surroundings = Surroundings(Environment({}), observe=heard.append)
    assemble({**PLAIN, "concurrency": 7, "max_concurrency": 9}, surroundings, where="c.yaml")
    assert [event.message for event in heard if isinstance(event, Noticed)] == [
        "c.yaml 'judge': max_concurrency is for concurrency: auto, and does nothing beside a number"
    ]
