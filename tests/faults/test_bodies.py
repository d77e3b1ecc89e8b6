"""What a run makes of replies of status 200: broken, empty, refused, cut, too large, in another shape or encoding."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest
from tests.makers import some_rows

from gavelkit.reports import export_jsonl
from gavelkit.run.conclude import conclude
from gavelkit.simulator.server import HttpAnswer, HttpRequest
from gavelkit.storage import open_reader

from .conftest import Bench, Play, body, expect, forever, says

NONE, ONE, TWO = (0.0, 0.0), (1.0, 2.0), (2.0, 6.0)
BROKEN = body('{"choices": [')
LOGIN = body("<!doctype html><title>Log in</title>", headers={"content-type": "text/html"})
CALLS = [{"id": "1", "type": "function", "function": {"name": "score", "arguments": '{"score": 8}'}}]
THINKS = "<think>Score: 10</think>\nScore: 2"


def fails(code: object, **fields: Any) -> HttpAnswer:
    """A 200 whose body is an error."""
    return body({"error": {"code": code, "message": "no", **fields}})


# The row, what every request gets, the status and the kind of its failure, the requests, and the seconds waited.
LASTING: list[tuple[int, Play, str, str | None, int | None, tuple[float, float]]] = [
    (16, BROKEN, "call_error", "decode", 3, TWO),
    (17, body(b""), "call_error", "decode", 3, TWO),
    (18, LOGIN, "call_error", "decode", 2, ONE),
    (19, fails(400), "call_error", "bad_request", 1, NONE),
    (20, body({"choices": []}), "parse_error", "empty", 3, TWO),
    (20, body({"model": "m"}), "parse_error", "empty", 3, TWO),
    (21, says(None), "parse_error", "empty", 2, ONE),
    (21, says(""), "parse_error", "empty", 2, ONE),
    (23, says(None, refusal="I would rather not."), "refused", "None", 1, NONE),
    (25, says("Sco", finish="content_filter"), "call_error", "filtered", 1, NONE),
    (26, says(None, tool_calls=CALLS, finish="tool_calls"), "parse_error", "empty", 1, NONE),
    (27, says("<think>Score: 10</think>"), "parse_error", "empty", None, TWO),
    (27, says(None, reasoning_content="Score: 10"), "parse_error", "empty", None, TWO),
    (31, body(b"[" * 100_000), "call_error", "decode", None, TWO),
    (36, "gzip_bomb", "call_error", "too_large", 1, NONE),
    (37, "endless", "call_error", "too_large", 1, NONE),
    (38, "brotli", "call_error", "decode", None, TWO),
]


@pytest.mark.parametrize(
    ("row", "play", "status", "kind", "requests", "waited"),
    LASTING,
    ids=[f"{number}-{each[0]}" for number, each in enumerate(LASTING)],
)
def test_a_body_that_is_no_verdict_has_its_status_and_kind(
    bench: Bench,
    row: int,
    play: Play,
    status: str,
    kind: str | None,
    requests: int | None,
    waited: tuple[float, float],
) -> None:
    outcome = bench.run(forever(play))
    longest = waited[1]
    expect(outcome, status, kind=kind, requests=requests, waited=(0.0 if requests is None else waited[0], longest))


# The row, what the first request gets, and the seconds waited until the second was right.
PASSING: list[tuple[int, Play, tuple[float, float]]] = [
    (16, BROKEN, ONE),
    (17, body(b""), ONE),
    (18, LOGIN, ONE),
    (19, fails("rate_limit_exceeded"), ONE),
    (19, fails(502), ONE),
    (20, body({"choices": []}), ONE),
    (21, says(None), ONE),
]


@pytest.mark.parametrize(("row", "play", "waited"), PASSING, ids=[f"{n}-{x[0]}" for n, x in enumerate(PASSING)])
def test_a_body_that_is_broken_once_is_asked_for_again(
    bench: Bench, row: int, play: Play, waited: tuple[float, float]
) -> None:
    expect(bench.run(play), "ok", requests=2, waited=waited)


# The row, the reply, the reader, and the score or the status and the kind of failure.
READ: list[tuple[int, Play, str, float | tuple[str, str]]] = [
    (22, says([{"type": "text", "text": "Sco"}, {"type": "text", "text": "re: 8"}]), "score", 8.0),
    (22, says([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "Score: 8"}]), "score", 8.0),
    (24, says("Score: 8\nIt is ri", finish="length"), "score", 8.0),
    (27, says(THINKS), "score", 2.0),
    (27, says("Score: 2", reasoning_content="Score: 10"), "score", 2.0),
    (29, says('{"score": NaN}'), "json", ("parse_error", "None")),
    (29, says('{"score": Infinity}'), "json", ("parse_error", "None")),
    (29, says('{"score": 1e999}'), "json", ("parse_error", "None")),
    (29, says("Score: 11"), "score", ("out_of_range", "None")),
    (30, says('{"score": 1, "score": 10}'), "json", ("parse_error", "ambiguous")),
    (31, says('{"score": ' + "9" * 5000 + "}"), "json", ("parse_error", "None")),
    (31, says("[" * 100_000), "json", ("parse_error", "None")),
    (35, body('{"choices": [{"message": {"content": "caf\u00e9\\nScore: 8"}}]}'.encode("latin-1")), "score", 8.0),
]


@pytest.mark.parametrize(("row", "play", "parser", "result"), READ, ids=[f"{n}-{x[0]}" for n, x in enumerate(READ)])
def test_an_odd_reply_is_read_as_what_it_says_and_never_guessed(
    bench: Bench, row: int, play: Play, parser: str, result: float | tuple[str, str]
) -> None:
    outcome = bench.run(play, parser=parser)
    if isinstance(result, tuple):
        expect(outcome, result[0], kind=result[1], requests=1)
        assert outcome.judgments[0].score is None
    else:
        expect(outcome, "ok", requests=1)
        assert outcome.judgments[0].score == result


def test_the_worker_lives_on_after_the_worst_reply(bench: Bench) -> None:
    nested = says("[" * 100_000)
    outcome = bench.run(nested, says('{"score": 8}'), says('{"score": 9}'), rows=3, parser="json")
    expect(outcome, {"ok": 2, "parse_error": 1}, requests=3, code=3)


def test_a_broken_body_is_kept_up_to_two_thousand_bytes(bench: Bench) -> None:
    outcome = bench.run(forever(body(b'{"choices": [' + b"x" * 5000)), retry_attempts=0)
    failure = outcome.judgments[0].failure
    assert failure is not None
    assert failure.raw.startswith('{"choices": [xxx')
    assert len(failure.raw) == 2000


def test_a_login_page_hints_at_the_path(bench: Bench) -> None:
    outcome = bench.run(forever(LOGIN))
    assert "/v1" in str(outcome.judgments[0].failure)


@pytest.mark.parametrize("code", ["insufficient_quota", 402])
def test_a_used_up_quota_inside_a_200_ends_the_run(bench: Bench, code: object) -> None:
    outcome = bench.run(forever(fails(code)), rows=20)
    expect(outcome, {"call_error": 1, "pending": 19}, requests=1, code=4)
    assert outcome.kinds == {"quota": 1}


def test_a_refusal_is_kept_word_for_word(bench: Bench) -> None:
    outcome = bench.run(says(None, refusal="I would rather not."))
    failure = outcome.judgments[0].failure
    assert failure is not None
    assert failure.raw == "I would rather not."


def test_a_tool_call_in_place_of_words_is_named(bench: Bench) -> None:
    outcome = bench.run(forever(says(None, tool_calls=CALLS, finish="tool_calls")))
    assert "tool" in str(outcome.judgments[0].failure)


def test_a_reply_cut_before_its_verdict_gets_one_second_try_with_twice_the_room(bench: Bench) -> None:
    outcome = bench.run(says("Sco", finish="length"), max_tokens=100)
    expect(outcome, "ok", requests=2)
    assert [seen.body["max_tokens"] for seen in outcome.log] == [100, 200]


def test_a_reply_cut_twice_is_truncated(bench: Bench) -> None:
    outcome = bench.run(forever(says("Sco", finish="length")), max_tokens=100)
    expect(outcome, "truncated", kind="None", requests=2)


def test_of_several_choices_the_first_counts_and_the_others_are_remarked_upon(bench: Bench) -> None:
    choices = [
        {"index": n, "finish_reason": "stop", "message": {"content": f"Score: {score}"}}
        for n, score in enumerate((8, 2))
    ]
    outcome = bench.run(forever(body({"choices": choices})), rows=3)
    expect(outcome, {"ok": 3}, requests=3)
    assert {judgment.score for judgment in outcome.judgments} == {8.0}
    assert outcome.notices.count("choices") == 1


def test_a_lone_surrogate_in_a_reply_is_kept_and_exported_as_utf_8(bench: Bench, tmp_path: Path) -> None:
    outcome = bench.run(body(b'{"choices": [{"message": {"content": "odd \\ud800\\nScore: 8"}}]}'))
    expect(outcome, "ok", requests=1)
    reader = open_reader(bench.folder)
    try:
        (entry,) = reader.entries()
        assert entry.judgment.steps[0].completion.text == "odd \ud800\nScore: 8"
        with (tmp_path / "all.jsonl").open("wb") as file:
            export_jsonl(reader.entries(), file)
    finally:
        reader.close()
    (line,) = (tmp_path / "all.jsonl").read_bytes().decode("utf-8").splitlines()
    assert "odd" in json.loads(line)["reply"]


def test_a_nul_byte_goes_out_and_comes_back_whole(bench: Bench) -> None:
    row = {"id": "r1", "question": "What is 1?", "response": "a\0b"}
    outcome = bench.run(says("a\0b\nScore: 8"), rows=[row])
    expect(outcome, "ok", requests=1)
    assert "a\0b" in outcome.log[0].prompt
    reader = open_reader(bench.folder)
    try:
        (entry,) = reader.entries()
        assert entry.judgment.steps[0].completion.text == "a\0b\nScore: 8"
    finally:
        reader.close()


def test_a_lone_surrogate_in_a_row_costs_this_row_alone_and_no_request(bench: Bench) -> None:
    rows = some_rows(12)
    rows[3]["response"] = "odd \ud800"
    outcome = bench.run(rows=rows)
    expect(outcome, {"ok": 11, "invalid_input": 1}, requests=11, code=0)


def test_bytes_that_are_no_utf_8_are_replaced(bench: Bench) -> None:
    outcome = bench.run(body(b'{"choices": [{"message": {"content": "caf\xe9\\nScore: 8"}}]}'))
    assert outcome.judgments[0].steps[0].completion.text == "caf\ufffd\nScore: 8"


def test_a_bomb_is_never_held_in_memory(bench: Bench) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bench.run("gzip_bomb", "endless", says("Score: 8"), rows=3)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 64 * 1024  # in kilobytes; on macOS in bytes, which is far below


def test_nothing_but_gzip_is_asked_for(bench: Bench) -> None:
    assert bench.run().log[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": None}, {"prompt_tokens": "many"}])
def test_tokens_that_nobody_counted_are_unknown_and_the_totals_a_lower_bound(bench: Bench, usage: object) -> None:
    outcome = bench.run(says("Score: 8", usage=usage), rows=2)
    expect(outcome, {"ok": 2}, requests=2)
    assert outcome.judgments[0].steps[0].completion.usage.prompt_tokens is None
    (summary,) = conclude(bench.folder).judges
    assert (summary.prompt_tokens, summary.tokens_complete) == (7, False)


def test_a_model_that_changes_within_a_run_is_recorded_and_remarked_upon(bench: Bench) -> None:
    def served(request: HttpRequest) -> HttpAnswer:
        served.count = getattr(served, "count", 0) + 1  # type: ignore[attr-defined] # a counter where it is used
        return body({"model": f"m-{served.count % 2}", "choices": [{"message": {"content": "Score: 8"}}]})  # type: ignore[attr-defined] # as above

    outcome = bench.run(forever(served), rows=4)
    expect(outcome, {"ok": 4}, requests=4)
    assert {each.steps[0].completion.served_model for each in outcome.judgments} == {"m-0", "m-1"}
    assert outcome.report is not None
    assert any("m-0" in note and "m-1" in note for note in outcome.report.notes)
