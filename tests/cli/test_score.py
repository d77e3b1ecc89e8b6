"""`gavel score`: one shipped judge over one file."""

from __future__ import annotations

from pathlib import Path

from tests.makers import chat_answer, chat_body, endpoint

from .conftest import Gavel, replies


def test_a_file_is_judged_by_recorded_replies(gavel: Gavel, here: Path) -> None:
    replies(here, judge="score_0_10")
    ended = gavel("score", "answers.jsonl", "--judge", "score_0_10", "--replies", "replies.jsonl", "--json")
    assert ended.code == 0
    assert ended.json["metrics"][0]["value"] == 5.5
    assert ended.json["folder"].startswith("runs/answers-")


def test_a_file_is_judged_by_an_endpoint(gavel: Gavel, here: Path) -> None:
    with endpoint(lambda _request: chat_answer(chat_body("Good.\nScore: 7"))) as base:
        arguments = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--api-base", base]
        ended = gavel(*arguments, "--concurrency", "3", "--json")
    assert ended.code == 0
    assert f"calls go to {base}" in ended.err
    assert ended.json["metrics"][0]["value"] == 7
    assert ended.json["judges"][0]["prompt_tokens"] == 70


def test_an_endpoint_that_refuses_the_key_ends_with_four_and_can_be_gone_on_with(gavel: Gavel, here: Path) -> None:
    with endpoint(lambda _request: chat_answer({"error": {"message": "who?"}}, status=401)) as base:
        arguments = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--api-base", base]
        ended = gavel(*arguments, "--concurrency", "1", "--json")
    assert (ended.code, ended.out) == (4, "")
    assert "gavel: pre-flight failed: the key is missing: " in ended.err
    assert "HTTP 401: the endpoint refuses the key: who?" in ended.err
    assert f"to go on: gavel {' '.join(arguments)} --concurrency 1 --json" in ended.err
    assert not (here / "runs").exists()


def test_a_key_that_is_refused_on_the_way_leaves_the_rest_pending(gavel: Gavel, here: Path) -> None:
    with endpoint(lambda _request: chat_answer({"error": {"message": "who?"}}, status=401)) as base:
        arguments = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--api-base", base]
        ended = gavel(*arguments, "--concurrency", "1", "--json", "--preflight-check", "false")
    assert ended.code == 4
    assert ended.json["pending"] == 9
    assert "gavel: the endpoint is unusable: HTTP 401: the endpoint refuses the key: who?" in ended.err


def test_a_judge_that_does_not_ship_and_a_file_that_is_not_there_are_refused(gavel: Gavel, here: Path) -> None:
    assert "there is no shipped judge 'nothing'" in gavel("score", "answers.jsonl", "--judge", "nothing").err
    ended = gavel("score", "none.jsonl", "--judge", "score_0_10", "--model", "m")
    assert (ended.code, ended.err) == (2, "gavel: none.jsonl: there is no such file\n")
    assert "required: --judge" in gavel("score", "answers.jsonl").err
