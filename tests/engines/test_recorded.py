"""Replies from a file: found by key or by place, never guessed, never called for."""

from __future__ import annotations

import asyncio
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.makers import a_request

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, DataError
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Labels, Request
from gavelkit.engines import RecordedEngine


def engine(folder: Path, *rows: dict[str, Any]) -> RecordedEngine:
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return RecordedEngine(path)


def about(example: str, system: str = "", *, judge: str = "j", step: str = "judge", repeat: int = 0) -> Request:
    return a_request(repeat=repeat, labels=Labels(example, judge, (system,), step))


def text(recorded: RecordedEngine, request: Request) -> str:
    return asyncio.run(recorded.complete(request)).text


def missing(recorded: RecordedEngine, request: Request) -> CallError:
    with pytest.raises(CallError) as caught:
        asyncio.run(recorded.complete(request))
    return caught.value


def refused(folder: Path, line: bytes) -> str:
    path = folder / "replies.jsonl"
    path.write_bytes(b'{"key":"aa","reply":"first"}\n\n' + line + b"\n")
    with pytest.raises(DataError) as caught:
        RecordedEngine(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:3: ")
    return message


def test_a_reply_is_found_by_the_key_of_its_request(tmp_path: Path) -> None:
    request = a_request("by key")
    recorded = engine(tmp_path, {"key": request.key.hex(), "reply": "found"})
    assert text(recorded, request) == "found"
    assert missing(recorded, a_request("another")).failure.kind is FailureKind.NOT_RECORDED


def test_the_key_is_that_of_the_same_question_asked_live(tmp_path: Path) -> None:
    live = a_request("by key")
    recorded = engine(tmp_path, {"key": live.key.hex(), "reply": "found"})
    assert text(recorded, replace(live, apart="accuracy r1")) == "found"


def test_a_key_wins_over_a_place(tmp_path: Path) -> None:
    request = about("1")
    rows = [{"example_id": "1", "judge": "j", "reply": "place"}, {"key": request.key.hex(), "reply": "key"}]
    assert text(engine(tmp_path, *rows), request) == "key"


def test_a_reply_is_found_by_example_and_judge_whatever_the_rest(tmp_path: Path) -> None:
    recorded = engine(tmp_path, {"example_id": "1", "judge": "j", "reply": "any"})
    for request in (about("1"), about("1", "a"), about("1", step="x"), about("1", repeat=4)):
        assert text(recorded, request) == "any"


def test_the_most_particular_line_wins(tmp_path: Path) -> None:
    place = {"example_id": "1", "judge": "j"}
    recorded = engine(
        tmp_path,
        {**place, "reply": "any"},
        {**place, "repeat": 1, "reply": "repeat"},
        {**place, "step": "s", "reply": "step"},
        {**place, "system": "a", "reply": "system"},
        {**place, "system": "a", "step": "s", "repeat": 1, "reply": "all"},
    )
    assert text(recorded, about("1")) == "any"
    assert text(recorded, about("1", repeat=1)) == "repeat"
    assert text(recorded, about("1", step="s", repeat=1)) == "step"
    assert text(recorded, about("1", "a", repeat=1)) == "system"
    assert text(recorded, about("1", "a", step="s", repeat=1)) == "all"


def between(one: str, other: str, step: str = "judge") -> Request:
    return a_request(labels=Labels("1", "j", (one, other), step))


def test_a_contest_is_found_by_its_two_names_in_their_order(tmp_path: Path) -> None:
    place = {"example_id": "1", "judge": "j"}
    recorded = engine(
        tmp_path,
        {**place, "system": ["a", "b"], "reply": "a b"},
        {**place, "system": ["b", "a"], "reply": "b a"},
        {**place, "system": ["a", "b"], "step": "option_selection", "reply": "choice"},
        {**place, "system": "a", "reply": "a alone"},
    )
    assert text(recorded, between("a", "b")) == "a b"
    assert text(recorded, between("b", "a")) == "b a"
    assert text(recorded, between("a", "b", "option_selection")) == "choice"
    assert text(recorded, about("1", "a")) == "a alone"
    assert str(missing(recorded, between("a", "c", "assessment"))).endswith(
        "on example '1' of the contest of 'a' and 'c' to step 'assessment'"
    )


def test_a_contest_fits_a_line_that_names_no_system(tmp_path: Path) -> None:
    recorded = engine(tmp_path, {"example_id": "1", "judge": "j", "reply": "any"})
    assert text(recorded, between("a", "b")) == "any"


def test_an_id_that_is_a_number_is_its_text(tmp_path: Path) -> None:
    assert text(engine(tmp_path, {"example_id": 7, "judge": "j", "reply": "seven"}), about("7")) == "seven"


def test_a_missing_reply_is_a_failed_call_that_names_what_was_looked_for(tmp_path: Path) -> None:
    recorded = engine(tmp_path, {"example_id": "1", "judge": "j", "system": "a", "reply": "x"})
    error = missing(recorded, about("1", "b"))
    assert error.failure.kind is FailureKind.NOT_RECORDED
    assert not error.retryable
    assert not error.failure.fatal
    expected = f"{tmp_path}/replies.jsonl holds no reply of judge 'j' on example '1' of system 'b'"
    assert str(error) == expected
    assert "of system" not in str(missing(recorded, about("2")))


def test_finish_reason_and_tokens_come_along(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    row = {"example_id": "1", "judge": "j", "reply": "Sco", "finish_reason": "length", "usage": usage}
    reply = asyncio.run(engine(tmp_path, row).complete(about("1")))
    assert reply == Completion("Sco", finish_reason="length", usage=Usage(5, 2))


@pytest.mark.parametrize("extra", [{}, {"usage": None, "finish_reason": None}])
def test_without_them_a_reply_ended_by_itself_and_said_nothing_of_tokens(
    tmp_path: Path, extra: dict[str, object]
) -> None:
    row = {"example_id": "1", "judge": "j", "reply": "ok", **extra}
    reply = asyncio.run(engine(tmp_path, row).complete(about("1")))
    assert reply == Completion("ok", finish_reason="stop")


def test_a_gzipped_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"example_id": "1", "judge": "j", "reply": "zipped"}\r\n'))
    assert text(RecordedEngine(path), about("1")) == "zipped"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "not JSON"),
        (b'{"key": "x", "reply": "caf\xe9"}', "not JSON"),
        (b"7", "a recorded reply has key"),
        (b'{"reply": "x"}', "a recorded reply has key"),
        (b'{"example_id": "1", "reply": "x"}', "a recorded reply has key"),
        (b'{"key": "x"}', "a text in reply"),
        (b'{"key": "x", "reply": null}', "a text in reply"),
        (b'{"key": "x", "reply": "x", "model": "m"}', "finish_reason, repeat, step, system, usage"),
        (b'{"key": "x", "reply": "x", "usage": {"prompt_tokens": "many"}}', "usage: Expected `int | null`"),
        (b'{"key": "aa", "reply": "x"}', "a line before has the reply to the same request"),
        (b'{"example_id": "1", "judge": "j", "reply": "x", "system": ["a"]}', "a contest's two names"),
        (b'{"example_id": "1", "judge": "j", "reply": "x", "system": ["a", 2]}', "a contest's two names"),
        (b'{"example_id": "1", "judge": "j", "reply": "x", "system": 2}', "system is a name"),
        (b'{"example_id": "1", "judge": "j", "reply": "x", "step": 1}', "step is a text"),
        (b'{"example_id": "1", "judge": "j", "reply": "x", "repeat": "0"}', "repeat is a whole number"),
        (b'{"example_id": "1", "judge": "j", "reply": "x", "repeat": true}', "repeat is a whole number"),
    ],
)
def test_a_line_that_is_no_recorded_reply_is_refused_by_its_number(tmp_path: Path, line: bytes, words: str) -> None:
    assert words in refused(tmp_path, line)


def test_two_replies_to_one_place_are_refused(tmp_path: Path) -> None:
    row = {"example_id": "1", "judge": "j", "repeat": 0, "reply": "x"}
    with pytest.raises(DataError, match=r"replies\.jsonl:2: a line before has the reply to the same request"):
        engine(tmp_path, row, row)


def test_a_file_that_is_missing_or_torn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read: No such file"):
        RecordedEngine(tmp_path / "none.jsonl")
    whole = gzip.compress(b'{"key": "aa", "reply": "x"}\n' * 99)
    for name, data in (("short", whole[:-12]), ("plain", b"{}"), ("torn", whole[:20] + b"\xff" * 30)):
        path = tmp_path / f"{name}.gz"
        path.write_bytes(data)
        with pytest.raises(DataError, match=f"{name}.gz"):
            RecordedEngine(path)
