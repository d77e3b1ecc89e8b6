"""`LOGLEVEL`: what the log shows, where, and what never stands in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.makers import chat_answer, chat_body, endpoint, prompt_of, scoring

from gavelkit.simulator.server import HttpAnswer, HttpRequest

from .conftest import Gavel, configure, judged, replies

SECRET = "sk-secret-0123456789"


def test_without_it_no_call_is_told(gavel: Gavel, here: Path) -> None:
    replies(here, bad=1)
    assert "gavelkit.judges" not in gavel("run", "judge.yaml").err


@pytest.mark.parametrize("level", ["DEBUG", "debug"])
def test_debug_tells_each_call_on_stderr(gavel: Gavel, here: Path, monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("LOGLEVEL", level)
    replies(here, bad=1)
    ended = gavel("run", "judge.yaml", "--quiet")
    lines = [line for line in ended.err.splitlines() if line.startswith("DEBUG gavelkit.judges: call ")]
    assert len(lines) == 10
    assert sum("parse_error" in line and line.endswith(": 'no idea'") for line in lines) == 1
    assert "gavelkit.judges" not in ended.out


def test_the_level_holds_for_one_command(gavel: Gavel, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGLEVEL", "DEBUG")
    gavel("run", "judge.yaml")
    monkeypatch.delenv("LOGLEVEL")
    assert "DEBUG" not in gavel("run", "judge.yaml", "--new-run").err


@pytest.mark.parametrize("level", ["WARNING", "INFO", "ERROR", ""])
def test_other_levels_tell_no_call(gavel: Gavel, here: Path, monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("LOGLEVEL", level)
    assert gavel("run", "judge.yaml", "--quiet").err == ""


def test_a_level_nobody_knows_is_remarked_upon(gavel: Gavel, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGLEVEL", "loud")
    ended = gavel("run", "judge.yaml", "--quiet")
    assert ended.code == 0
    assert ended.err == "LOGLEVEL 'LOUD' is none of DEBUG, INFO, WARNING, ERROR, CRITICAL; WARNING is taken\n"


def test_no_key_and_no_header_stands_in_the_log(gavel: Gavel, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def handle(request: HttpRequest) -> HttpAnswer:
        if "What is 3?" in prompt_of(request):
            return chat_answer({"error": {"message": f"no such key: {SECRET}"}}, status=400)
        if "What is 4?" in prompt_of(request):
            return chat_answer(chat_body(f"Your header was authorization: Bearer {SECRET}"))
        return scoring(request) if "What is" in prompt_of(request) else chat_answer(chat_body("OK"))

    monkeypatch.setenv("LOGLEVEL", "DEBUG")
    monkeypatch.setenv("LLM_JUDGE_API_KEY", SECRET)
    with endpoint(handle) as base:
        (judge,) = judged(model="m", api_base=base)
        del judge["replies"]
        configure(here, judges=[judge])
        ended = gavel("run", "judge.yaml", "--max-error-rate", "1")
    assert ended.code == 0
    assert "call_error (bad_request)" in ended.err
    assert "parse_error" in ended.err
    assert SECRET not in ended.err + ended.out
