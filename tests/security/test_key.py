"""A key is searched for in all that a run leaves, against an endpoint that repeats it wherever it can."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Gavel, gavel
from tests.makers import PREFLIGHT, chat_answer, chat_body, endpoint, prompt_of, some_rows, write_rows

from gavelkit.simulator.server import HttpAnswer, HttpRequest

__all__ = ["gavel"]

KEY = "canary-0f3c9a7d51e84b62a0c4"
JUDGED = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--retry-attempts", "0"]
FORMATS = ("table", "md", "json", "html")


def repeating(request: HttpRequest) -> HttpAnswer:
    """An answer that holds the key: in its words, its error, its headers, its address or its bytes."""
    header = request.headers["authorization"]
    prompt = prompt_of(request)
    if prompt == PREFLIGHT:
        return chat_answer(chat_body("OK"))
    answers = {
        "What is 1?": chat_answer(chat_body(f"You sent {header}.\nScore: 7", reasoning_content=f"The key: {header}")),
        "What is 2?": chat_answer({"error": {"message": f"no such key: {header}"}}, status=400),
        "What is 3?": chat_answer({}, status=302, headers={"location": f"http://127.0.0.1:1/?key={KEY}"}),
        "What is 4?": chat_answer({}, status=503, headers={"retry-after": header, "x-request-id": KEY}),
        "What is 5?": chat_answer({**chat_body("Score: 5"), "model": KEY, "id": KEY, "system_fingerprint": KEY}),
        "What is 6?": chat_answer(f"<html>{header}</html>".encode()),
        "What is 7?": chat_answer(chat_body(None, refusal=f"I refuse {header}")),
        "What is 8?": chat_answer(chat_body(f"no score, {header}")),
    }
    return next(answer for question, answer in answers.items() if question in prompt)


def test_a_key_stands_in_no_file_and_in_no_line_that_a_run_leaves(
    gavel: Gavel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LLM_JUDGE_API_KEY", KEY)
    monkeypatch.setenv("LOGLEVEL", "DEBUG")
    write_rows(tmp_path / "answers.jsonl", some_rows(8))
    with endpoint(repeating) as base:
        ended = gavel(*JUDGED, "--api-base", base, "--max-error-rate", "1")
    assert ended.code == 0, ended.err
    told = [ended, *(gavel("report", "--format", each) for each in FORMATS)]
    told += [gavel("export", "-o", f"all.{each}", "--prompts") for each in ("jsonl", "csv")]
    assert [each.code for each in told] == [0] * len(told)
    assert [each for each in told if KEY in each.out + each.err] == []
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"run.db", "results.json", "all.csv"} <= {path.name for path in left}
    assert [path.name for path in left if KEY.encode() in path.read_bytes()] == []


def test_a_key_is_sent_to_the_endpoint_and_in_no_address(
    gavel: Gavel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[HttpRequest] = []

    def keep(request: HttpRequest) -> HttpAnswer:
        asked.append(request)
        return chat_answer(chat_body("Score: 7"))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LLM_JUDGE_API_KEY", KEY)
    write_rows(tmp_path / "answers.jsonl", some_rows(2))
    with endpoint(keep) as base:
        assert gavel(*JUDGED, "--api-base", base).code == 0
    assert {request.headers["authorization"] for request in asked} == {f"Bearer {KEY}"}
    assert [request for request in asked if KEY in request.path or KEY.encode() in request.body] == []
