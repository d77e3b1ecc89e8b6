"""Exports hold every judgment word for word, in files that nothing in a reply can break."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.protocols import Entry
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.reports import COLUMNS, RenderPrompt, export_csv, export_jsonl

NASTY = '=HYPERLINK("http://evil")\x1b[31m\u202e "quoted", a\r\nline [b]x[/b] \ud800'
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]


def entry(judgment: Judgment) -> Entry:
    return Entry(judgment, Example(judgment.slot.example_id, {"question": "why?"}, {"": "because"}))


def replied(*replies: str, score: float = 7.5, ident: str = "1") -> Entry:
    usage = Usage(prompt_tokens=100, completion_tokens=20, cached_tokens=None)
    steps = tuple(
        Step(f"step {at}", Completion(text, "thought", "", "stop", "gpt-4o-mini-2024", usage, seconds=0.5, attempts=2))
        for at, text in enumerate(replies)
    )
    grade = Grade(score, "well said")
    return entry(Judgment(Slot("accuracy", ident, ("base",)), Status.OK, score, grade, passed=True, steps=steps))


def structured(ident: str = "5", **parts: object) -> Entry:
    grade = Grade(8.0, "Right.", parts)
    return entry(Judgment(Slot("accuracy", ident, ("base",)), Status.OK, 8.0, grade))


def failed() -> Entry:
    failure = Failure("no reply in 60 s", FailureKind.TIMEOUT)
    return entry(Judgment(Slot("accuracy", "2", ("a", "b"), repeat=1), Status.CALL_ERROR, failure=failure))


def as_jsonl(*entries: Entry, prompt: RenderPrompt | None = None) -> str:
    file = io.BytesIO()
    assert export_jsonl(iter(entries), file, prompt=prompt) == len(entries)
    return file.getvalue().decode()


def as_csv(*entries: Entry, prompt: RenderPrompt | None = None, raw: bool = False) -> str:
    file = io.BytesIO()
    assert export_csv(iter(entries), file, prompt=prompt, raw=raw) == len(entries)
    return file.getvalue().decode()


def cells_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_exports_are_the_golden_ones(golden: Callable[[str, str], None]) -> None:
    entries = [replied("Good.\nScore: 7.5"), failed(), replied(NASTY, score=-0.5, ident="=3"), replied("first", "last")]
    entries.append(structured(score=8, reasoning="Right.", accuracy={"names": [9.5, None]}, note=NASTY))
    golden("export.jsonl", as_jsonl(*entries))
    golden("export.csv", as_csv(*entries))


def test_one_line_holds_one_judgment_with_every_column() -> None:
    good, bad = map(json.loads, as_jsonl(replied("Score: 7.5"), failed()).splitlines())
    assert tuple(good) == tuple(bad) == (*COLUMNS, "systems", "steps", "effective")
    assert (good["score"], good["passed"], good["reply"], good["attempts"]) == (7.5, True, "Score: 7.5", 2)
    assert (bad["score"], bad["status"], bad["failure_kind"]) == (None, "call_error", "timeout")
    assert (bad["system"], bad["repeat"], bad["reply"], bad["prompt_tokens"]) == ("a vs b", 1, None, None)


def test_a_structured_answer_stands_whole_and_in_its_own_order() -> None:
    line = json.loads(as_jsonl(structured(score=8, reasoning="Right.", deep={"b": 1, "a": [float("inf")]})))
    assert list(line)[8:10] == ["explanation", "judgment_parsed"]
    assert list(line["judgment_parsed"]) == ["score", "reasoning", "deep"]
    assert list(line["judgment_parsed"]["deep"].items()) == [("b", 1), ("a", [None])]
    (cell,) = cells_of(as_csv(structured(score=8, reasoning="Right, so.")))
    assert cell["judgment_parsed"] == '{"score": 8, "reasoning": "Right, so."}'


def test_a_reply_that_was_no_object_has_no_parsed_answer() -> None:
    assert json.loads(as_jsonl(replied("Score: 7.5")))["judgment_parsed"] is None
    assert cells_of(as_csv(failed()))[0]["judgment_parsed"] == ""


def test_several_steps_give_the_last_reply_and_the_cost_of_all() -> None:
    line = json.loads(as_jsonl(replied("assess", "choose")))
    assert (line["reply"], line["prompt_tokens"], line["seconds"], line["attempts"]) == ("choose", 200, 1.0, 4)
    assert line["cached_tokens"] is None


def test_a_contest_lists_its_systems_and_what_both_orders_said() -> None:
    names = ("positional_bias_option_selection", "option_selection")
    steps = tuple(Step(name, Completion(f"Response {each}")) for name, each in zip(names, "BA", strict=True))
    slot = Slot("arena", "1", ("a vs b", "c"))
    contest = entry(Judgment(slot, Status.OK, 1.0, Grade("A"), position_bias=True, steps=steps))
    line = json.loads(as_jsonl(contest))
    assert (line["system"], line["systems"], line["position_bias"]) == ('"a vs b" vs c', ["a vs b", "c"], True)
    assert line["steps"] == [
        {"name": name, "reply": f"Response {each}"} for name, each in zip(names, "BA", strict=True)
    ]
    (cell,) = cells_of(as_csv(contest))
    assert (cell["position_bias"], "steps" in cell, "systems" in cell) == ("true", False, False)


def test_one_step_is_no_list_and_an_unnamed_system_no_name() -> None:
    single = entry(Judgment(Slot("accuracy", "1", ("",)), Status.PARSE_ERROR, steps=(Step("judge", Completion("x")),)))
    line = json.loads(as_jsonl(single))
    assert (line["steps"], line["systems"], line["position_bias"]) == (None, [], None)
    assert cells_of(as_csv(single))[0]["position_bias"] == ""


def test_the_prompt_is_a_column_where_it_is_asked_for() -> None:
    def prompt(each: Entry) -> str:
        return f"Q: {each.example.fields['question']}"

    assert json.loads(as_jsonl(replied("x"), prompt=prompt))["prompt"] == "Q: why?"
    assert cells_of(as_csv(replied("x"), prompt=prompt))[0]["prompt"] == "Q: why?"


def test_an_empty_run_is_an_empty_file_and_a_header() -> None:
    assert as_jsonl() == ""
    assert as_csv() == ",".join(COLUMNS) + "\r\n"


@given(st.text(st.characters()))
def test_any_reply_is_one_line_of_valid_utf8_that_reads_back(reply: str) -> None:
    lines = as_jsonl(replied(reply)).split("\n")
    assert len(lines) == 2
    expected = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in reply)
    assert json.loads(lines[0])["reply"] == expected


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_reply_reads_back_from_raw_csv(reply: str) -> None:
    (row,) = cells_of(as_csv(replied(reply), raw=True))
    assert row["reply"] == reply


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["", *FORMULAS]))
def test_no_text_cell_begins_as_a_formula(reply: str, begin: str) -> None:
    (row,) = cells_of(as_csv(replied(begin + reply)))
    assert not row["reply"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert row["reply"].endswith(begin + reply)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe_unless_raw(text: str) -> None:
    assert cells_of(as_csv(replied(text)))[0]["reply"] == f"'{text}"
    assert cells_of(as_csv(replied(text), raw=True))[0]["reply"] == text


def test_a_negative_number_stays_a_number() -> None:
    (row,) = cells_of(as_csv(replied("x", score=-0.5)))
    assert row["score"] == row["grade"] == "-0.5"
    assert row["passed"] == "true"


def test_entries_are_written_as_they_come() -> None:
    file = io.BytesIO()
    held: list[int] = []

    def watched() -> Iterator[Entry]:
        for _ in range(3):
            held.append(len(file.getvalue()))
            yield replied("x" * 10_000)

    export_jsonl(watched(), file)
    assert held == [0, len(file.getvalue()) // 3, 2 * len(file.getvalue()) // 3]


def test_the_file_stays_open_for_its_owner() -> None:
    file = io.BytesIO()
    export_csv([replied("x")], file)
    assert not file.closed
