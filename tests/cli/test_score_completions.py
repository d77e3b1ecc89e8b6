"""`gavel score --engine openai_completions`: from the rows to the report, resumed, and told what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.makers import chat_answer, endpoint

from gavelkit.simulator import Rule, Script, running_simulator
from gavelkit.simulator.server import HttpRequest

from .conftest import Ended, Gavel

SCORE = ("score", "answers.jsonl", "--judge", "score_0_10")


def by_completions(gavel: Gavel, base: str, *more: str) -> Ended:
    return gavel(*SCORE, "--engine", "openai_completions", "--model", "base", "--api-base", base, *more)


def test_a_file_is_judged_by_a_base_model_and_the_same_command_asks_nothing_again(gavel: Gavel, here: Path) -> None:
    with running_simulator(log=here / "log.jsonl") as simulator:
        first = by_completions(gavel, simulator.url, "--json", "--limit", "4")
        second = by_completions(gavel, simulator.url, "--json")
        third = by_completions(gavel, simulator.url, "--json")
        assert simulator.requests == 1 + 4 + 1 + 6
    assert [ended.code for ended in (first, second, third)] == [0, 0, 0]
    assert [ended.json["metrics"][0]["n"] for ended in (first, second, third)] == [4, 10, 10]
    lines = [json.loads(line) for line in (here / "log.jsonl").read_text().splitlines()]
    assert {(line["path"], line["model"]) for line in lines} == {("/v1/completions", "base")}
    assert third.json["judges"][0]["prompt_tokens"] > 0


def test_a_criterion_is_judged_in_two_steps_and_its_prompts_are_made_again(gavel: Gavel, here: Path) -> None:
    judge = ("answers.jsonl", "--criterion", "conciseness", "--engine", "openai_completions", "--model", "base")
    with running_simulator() as simulator:
        assert gavel("score", *judge, "--api-base", simulator.url, "-o", "steps").code == 0
        asked = simulator.requests
        assert gavel("score", *judge, "--api-base", simulator.url, "-o", "steps").code == 0
        assert simulator.requests == asked
    assert gavel("export", "steps", "--prompts", "-o", "all.jsonl").code == 0
    lines = [json.loads(line) for line in (here / "all.jsonl").read_text().splitlines()]
    assert [line["status"] for line in lines] == ["ok"] * 10
    assert all(line["prompt"] for line in lines)


def test_it_grades_as_the_same_model_would_in_a_chat(gavel: Gavel, here: Path) -> None:
    with running_simulator() as simulator:
        plain = by_completions(gavel, simulator.url, "--json", "-o", "plain")
        chat = gavel(*SCORE, "--model", "base", "--api-base", simulator.url, "--json", "-o", "chat")
    assert plain.json["metrics"][0]["value"] == chat.json["metrics"][0]["value"]


def test_what_may_pass_is_tried_again(gavel: Gavel, here: Path) -> None:
    judge = {"preset": "score_0_10", "engine": "openai_completions", "retry_min_wait": 0, "retry_max_wait": 0}
    (here / "plain.yaml").write_text(json.dumps({"data": "answers.jsonl", "judges": [judge]}))
    busy = Rule(match="What is 1?", first=1, status=503, message="busy")
    with running_simulator(Script(reply="Score: 7", rules=(busy,))) as simulator:
        ended = gavel("run", "plain.yaml", "--api-base", simulator.url, "--json")
        assert (simulator.requests, simulator.statuses[503]) == (12, 1)
    assert (ended.code, ended.json["metrics"][0]["value"]) == (0, 7)


def test_the_same_judge_as_a_chat_asks_another_question(gavel: Gavel, here: Path) -> None:
    way = {"model": "m", "preset": "score_0_10"}
    judges = [{**way, "name": "chat"}, {**way, "name": "plain", "engine": "openai_completions"}]
    (here / "both.yaml").write_text(json.dumps({"data": "answers.jsonl", "judges": judges}))
    with running_simulator(log=here / "log.jsonl") as simulator:
        assert gavel("run", "both.yaml", "--api-base", simulator.url, "-o", "both").code == 0
        assert gavel("export", "both", "--prompts", "-o", "all.jsonl").code == 0
        assert by_completions(gavel, simulator.url, "-o", "one").code == 0
        asked = simulator.requests
        as_chat = gavel(*SCORE, "--model", "base", "--api-base", simulator.url, "-o", "one")
        assert (as_chat.code, simulator.requests) == (2, asked)
    assert "plain" in as_chat.err
    paths = [json.loads(line)["path"] for line in (here / "log.jsonl").read_text().splitlines()]
    assert (paths.count("/v1/chat/completions"), paths.count("/v1/completions")) == (1 + 10, 2 * (1 + 10))
    lines = [json.loads(line) for line in (here / "all.jsonl").read_text().splitlines()]
    assert all(line["prompt"] for line in lines)


def only_chat(request: HttpRequest) -> Any:
    """An endpoint that has chat completions and nothing else."""
    assert not request.path.endswith("/chat/completions")
    return chat_answer({"detail": "Not Found"}, status=404)


def test_an_endpoint_for_chats_alone_is_told(gavel: Gavel, here: Path) -> None:
    with endpoint(only_chat) as base:
        ended = by_completions(gavel, base)
    assert ended.code == 4
    assert "the address is wrong: " in ended.err
    assert (
        "nothing takes plain completions there; check the path in api_base, or for a chat model set engine: openai_chat"
        in ended.err
    )


def test_a_chat_model_is_told_by_its_name_in_the_list(gavel: Gavel, here: Path) -> None:
    gone = Rule(status=404, message="This is a chat model and not supported here.")
    with running_simulator(Script(rules=(gone,))) as simulator:
        ended = by_completions(gavel, simulator.url, "--model", "simulated")
    assert ended.code == 4
    assert "it lists model 'simulated', which takes no plain completions there" in ended.err
    assert "if it is a chat model, set engine: openai_chat" in ended.err


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"criterion": "conciseness", "choose_by": "logprobs"},
            "choose_by: logprobs needs a chat; with engine: openai_completions choose by text or json_schema",
        ),
        (
            {"preset": "score_0_10", "api_base": "http://127.0.0.1:9/v1/chat/completions"},
            "api_base ends in /chat/completions, and plain completions are asked at /completions: leave that out",
        ),
        ({"preset": "score_0_10", "extra_body": {"prompt": "x"}}, "extra_body cannot set 'prompt'"),
    ],
)
def test_what_is_said_of_a_chat_is_refused_before_anything_is_asked(
    gavel: Gavel, here: Path, settings: dict[str, Any], words: str
) -> None:
    judge = {"engine": "openai_completions", "api_base": "http://127.0.0.1:9/v1", **settings}
    (here / "plain.yaml").write_text(json.dumps({"data": "answers.jsonl", "judges": [judge]}))
    ended = gavel("run", "plain.yaml")
    assert ended.code == 2
    assert words in ended.err
