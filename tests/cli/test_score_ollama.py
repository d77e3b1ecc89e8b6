"""`gavel score --engine ollama`: from the rows to the report, resumed, and told what is wrong."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from tests.makers import chat_answer, endpoint

from gavelkit.simulator import Rule, Script, running_simulator
from gavelkit.simulator.server import HttpRequest

from .conftest import Ended, Gavel

SCORE = ("score", "answers.jsonl", "--judge", "score_0_10")


def by_ollama(gavel: Gavel, base: str, *more: str) -> Ended:
    return gavel(*SCORE, "--engine", "ollama", "--api-base", base, *more)


def test_a_file_is_judged_through_ollama_and_the_same_command_asks_nothing_again(gavel: Gavel, here: Path) -> None:
    with running_simulator(log=here / "log.jsonl") as simulator:
        base = simulator.url.removesuffix("/v1")
        first = by_ollama(gavel, base, "--json", "--limit", "4")
        second = by_ollama(gavel, base, "--json")
        third = by_ollama(gavel, base, "--json")
        assert simulator.requests == 1 + 4 + 1 + 6
    assert [ended.code for ended in (first, second, third)] == [0, 0, 0]
    assert [ended.json["metrics"][0]["n"] for ended in (first, second, third)] == [4, 10, 10]
    assert f"calls go to {base}, at most 32 at once" in first.err
    lines = [json.loads(line) for line in (here / "log.jsonl").read_text().splitlines()]
    assert {(line["path"], line["model"]) for line in lines} == {("/api/generate", "llama3.2")}
    assert third.json["judges"][0]["prompt_tokens"] > 0


def test_what_may_pass_is_tried_again_and_a_cut_reply_asked_for_once_more(gavel: Gavel, here: Path) -> None:
    (here / "two.yaml").write_text(
        json.dumps(
            {
                "data": "answers.jsonl",
                "judges": [{"preset": "score_0_10", "engine": "ollama", "max_tokens": 8, "retry_min_wait": 0}],
                "run": {"retry_max_wait": 0.0, "retry_min_wait": 0.0, "preflight_check": False},
            }
        )
    )
    busy = Rule(match="What is 1?", first=1, status=503, message="server busy, please try again")
    with running_simulator(Script(reply=f"{'word ' * 8}\nScore: 7", rules=(busy,))) as simulator:
        ended = gavel("run", "two.yaml", "--api-base", simulator.url, "--json")
        assert (simulator.requests, simulator.statuses[503]) == (21, 1)
    assert (ended.code, ended.json["metrics"][0]["value"]) == (0, 7)


def test_where_nothing_runs_it_asks_whether_ollama_does(gavel: Gavel, here: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    ended = by_ollama(gavel, f"http://127.0.0.1:{port}", "--retry-attempts", "0")
    assert ended.code == 4
    assert "nothing runs there" in ended.err
    assert "is Ollama running? Check api_base" in ended.err


def test_a_model_that_is_not_there_names_those_that_are_and_how_to_fetch_it(gavel: Gavel, here: Path) -> None:
    with running_simulator(Script(rules=(Rule(status=404, message="model 'llama9' not found"),))) as simulator:
        ended = by_ollama(gavel, simulator.url, "--model", "llama9")
    assert ended.code == 4
    assert "the model is wrong: " in ended.err
    assert (
        "there is no model 'llama9': it offers simulated. Set model, or fetch it: ollama pull llama9 (judge"
        in ended.err
    )
    assert "/v1)" not in ended.err


def only_chat(request: HttpRequest) -> Any:
    """An endpoint that has nothing below `/api`."""
    assert request.path.startswith("/api/")
    return chat_answer({"detail": "Not Found"}, status=404)


def test_an_openai_compatible_endpoint_is_told_from_ollama(gavel: Gavel, here: Path) -> None:
    with endpoint(only_chat) as base:
        ended = by_ollama(gavel, base)
    assert ended.code == 4
    assert "the address is wrong: " in ended.err
    assert (
        "nothing there answers as Ollama does; for an OpenAI-compatible endpoint set engine: openai_chat" in ended.err
    )


def test_chat_completions_find_ollama_by_its_bare_address(gavel: Gavel, here: Path) -> None:
    with running_simulator(log=here / "log.jsonl") as simulator:
        ended = gavel(*SCORE, "--model", "llama3.2", "--api-base", simulator.url.removesuffix("/v1"), "--json")
    assert ended.code == 0
    paths = {json.loads(line)["path"] for line in (here / "log.jsonl").read_text().splitlines()}
    assert paths == {"/v1/chat/completions"}


@pytest.mark.parametrize(("status", "words"), [(401, "engine: ollama sends none"), (200, "not Ollama; check api_base")])
def test_what_is_no_ollama_is_told(gavel: Gavel, here: Path, status: int, words: str) -> None:
    with endpoint(lambda _request: chat_answer({"hello": "world"}, status=status)) as base:
        ended = by_ollama(gavel, base, "--retry-attempts", "0")
    assert ended.code == 4
    assert words in ended.err
