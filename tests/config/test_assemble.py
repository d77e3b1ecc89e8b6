"""A judge from its settings: preset, template, parser, scale, model, endpoint and key put together."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.makers import Counting, a_request, chat_answer, chat_body, endpoint

import gavelkit
from gavelkit.catalog import names, preset
from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.core.criterion import Options, Range
from gavelkit.core.errors import CallError, ConfigError, TemplateError
from gavelkit.core.event import Event, Noticed, Retried
from gavelkit.core.failure import FailureKind
from gavelkit.core.limits import Limits
from gavelkit.engines import ScriptedEngine
from gavelkit.judges import Direct
from gavelkit.simulator.server import HttpRequest

PLAIN = {"prompt_template": "{{ response }}"}


def made(environment: dict[str, str] | None = None, /, *, folder: Path | None = None, **settings: Any) -> Direct:
    surroundings = Surroundings(Environment(environment or {}), folder or Path())
    return assemble({**PLAIN, **settings}, surroundings, where="conf.yaml: judges[1]")


def refusal(environment: dict[str, str] | None = None, /, **settings: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        made(environment, **settings)
    return str(caught.value)


def observed(**settings: Any) -> list[Event]:
    events: list[Event] = []
    surroundings = Surroundings(Environment({"LLM_JUDGE_API_KEY": "sk-secret"}), observe=events.append)
    assemble({**PLAIN, **settings}, surroundings, where="conf.yaml")
    return events


def test_without_settings_a_judge_is_as_documented() -> None:
    judge = made()
    assert (judge.name, judge.preset, judge.threshold, judge.limits) == ("judge", "", None, Limits(32, 0.1))
    assert (judge.parameters.model, judge.parameters.values) == ("gpt-4", {"temperature": 0.0, "max_tokens": 1024})
    assert (judge.parser.name, judge.criterion.scale, judge.criterion.higher_is_better) == ("score", None, True)


@pytest.mark.parametrize("name", names("judges"))
def test_every_shipped_judge_is_ready_to_run(name: str) -> None:
    judge = made(**{**preset(name).settings, "preset": name})
    assert (judge.name, judge.preset) == (name, name)
    assert judge.criterion.scale is not None
    assert gavelkit.judge(name, function=str).asks.material["prompt_template"] == judge.asks.material["prompt_template"]


def test_every_setting_overrides_the_presets_own() -> None:
    judge = gavelkit.judge("score_0_10", function=str, name="mine", scale=(0, 5), threshold=3, max_tokens=7)
    assert (judge.name, judge.criterion.scale, judge.threshold) == ("mine", Range(0, 5), 3.0)
    assert judge.parameters.values["max_tokens"] == 7


def test_what_is_sent_is_what_was_set() -> None:
    judge = made(model="m", temperature=0.5, top_p=0.9, seed=7, max_tokens=5, extra_body={"logit_bias": {"1": 2}})
    assert json.loads(judge.parameters.text) == {
        "model": "m",
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "max_tokens": 5,
        "logit_bias": {"1": 2},
    }


@pytest.mark.parametrize(
    ("settings", "parser", "scale"),
    [
        ({"parser": "rating", "scale": [1, 5], "clamp": True}, "rating", Range(1, 5, clamp=True)),
        ({"parser": "grade", "options": {"C": 1, "I": 0}}, "grade", Options({"C": 1.0, "I": 0.0})),
        ({"parser": "score_first"}, "score_first", None),
    ],
)
def test_a_parser_and_its_scale(settings: dict[str, Any], parser: str, scale: object) -> None:
    judge = made(**settings)
    assert (judge.parser.name, judge.criterion.scale) == (parser, scale)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"options": {"C": 1}, "scale": [0, 1], "parser": "grade"}, "options and scale are two scales; keep one"),
        ({"clamp": True}, "clamp needs a scale"),
        ({"retry_min_wait": 9, "retry_max_wait": 3}, "retry_min_wait 9 is longer than retry_max_wait 3"),
        ({"engine": "recorded"}, "the engine recorded needs the file of replies, and no function"),
        ({"preset": "score_0_1"}, "there is no shipped judge 'score_0_1'; did you mean score_0_10?"),
        ({"name": "a.b"}, "the judge's name 'a.b' holds ., which gates give a meaning of their own"),
        ({"name": "a[0]"}, "holds [ ]"),
        ({"grade_pattern": "(.)"}, "grade_pattern and grades belong to the parser grade, not to score"),
        ({"options": {"C": 1}}, "grade_pattern and grades belong to the parser grade, not to score"),
        ({"parser": "grade", "grade_pattern": "no group"}, "group"),
        ({"parser": "grade", "grade_pattern": "("}, "grade_pattern"),
        ({"threshold": "7"}, "conf.yaml: judges[1]: threshold must be a number, not '7'"),
        ({"treshold": 7}, "there is no setting 'treshold'; did you mean threshold?"),
        ({"api_base": "localhost:8000"}, "api_base must be a URL"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings: dict[str, Any], words: str) -> None:
    assert words in refusal(**settings)


@pytest.mark.parametrize("name", ["prediction", "reference", "doc", "response_format"])
def test_a_variable_with_a_meaning_of_its_own_cannot_be_set(name: str) -> None:
    settings: dict[str, Any] = {"variables": {name: "x"}}
    assert f"the variable {name!r} has a meaning of its own" in refusal(None, **settings)


def test_a_judge_needs_a_prompt() -> None:
    with pytest.raises(ConfigError, match=r"judge: a judge needs a preset or a prompt_template"):
        gavelkit.judge(function=str, name="judge")


@pytest.mark.parametrize("setting", ["prompt_template", "system_prompt"])
def test_a_template_that_is_none_is_refused_with_its_line(setting: str) -> None:
    settings: dict[str, Any] = {setting: "{{ response }}\n{% if %}"}
    with pytest.raises(TemplateError, match=rf"judges\[1\] 'x': {setting} line 2"):
        made(name="x", **settings)


def test_a_variable_no_template_uses_is_told() -> None:
    (event,) = observed(variables={"tresholds": 1})
    assert event == Noticed(
        "conf.yaml 'judge': no template uses the variable 'tresholds'; is the setting threshold meant?"
    )
    (event,) = observed(variables={"zzz": 1})
    assert event == Noticed("conf.yaml 'judge': no template uses the variable 'zzz'")


def test_a_variable_within_two_letters_of_a_setting_is_told_though_a_template_uses_it() -> None:
    (event,) = observed(prompt_template="{{ response }} {{ scales }}", variables={"scales": 1})
    assert event == Noticed("conf.yaml 'judge': 'scales' is a variable of the templates; is the setting scale meant?")
    assert observed(prompt_template="{{ response }} {{ language }}", variables={"language": 1}) == []


def test_a_key_over_plain_http_is_told_without_the_key() -> None:
    (event,) = observed(api_base="http://judge.example/v1")
    assert isinstance(event, Noticed)
    assert "over plain http, readable on the way" in event.message
    assert "sk-secret" not in event.message


def test_in_python_such_things_are_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning, match="no template uses the variable 'x'"):
        gavelkit.judge(function=str, prompt_template="{{ response }}", variables={"x": 1})
    monkeypatch.setenv("LLM_JUDGE_API_KEY", "sk-1")
    with pytest.warns(UserWarning, match="over plain http"):
        gavelkit.judge(prompt_template="{{ response }}", api_base="http://judge.example/v1")


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


def test_judges_of_one_endpoint_share_a_client() -> None:
    surroundings = Surroundings(Environment({}))
    one, two = (assemble({**PLAIN, "name": n}, surroundings, where="x") for n in "ab")
    other = assemble({**PLAIN, "api_base": "http://localhost:1/v1"}, surroundings, where="x")
    clients = [judge.engine._inner._inner._client for judge in (one, two, other)]  # type: ignore[attr-defined] # what it wraps
    assert clients[0] is clients[1]
    assert clients[0] is not clients[2]


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
    judge = gavelkit.judge("score_0_10", function=engine)
    assert asyncio.run(judge.engine.complete(a_request())).text == "Score: 7"
    assert len(engine.requests) == 1


def test_failed_calls_are_tried_again_as_often_as_set_and_told() -> None:
    events: list[Event] = []
    engine = ScriptedEngine([CallError(FailureKind.SERVER, "down")] * 9)
    settings = {**PLAIN, "retry_attempts": 2, "retry_min_wait": 0, "retry_max_wait": 0}
    judge = assemble(settings, Surroundings(Environment({}), observe=events.append), where="x", function=engine)
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
