"""Question files of MT-Bench and AlpacaEval become rows; what is neither stays as it is."""

from __future__ import annotations

import pytest

from gavelkit.core.errors import DataError
from gavelkit.integrations.context_bench_forms import conversation, plain_row

TURNS = ["Write a line on Hawaii.", "Now in capitals."]


def test_the_last_turn_is_the_question_for_its_response_is_judged() -> None:
    row = plain_row({"question_id": 81, "category": "writing", "turns": TURNS}, "q.jsonl:1")
    assert row == {
        "id": 81,
        "question": "Now in capitals.",
        "answer": "",
        "context": "Write a line on Hawaii.",
        "multi_turn": True,
        "turns": [{"role": "user", "content": text} for text in TURNS],
        "category": "writing",
    }


def test_the_answer_is_the_reference_to_the_last_turn() -> None:
    assert conversation(TURNS, ["Blue sea.", "BLUE SEA."], "here")["answer"] == "BLUE SEA."


@pytest.mark.parametrize("references", [None, [], ["Blue sea."]])
def test_the_reference_to_another_turn_is_no_answer(references: object) -> None:
    assert conversation(TURNS, references, "here")["answer"] == ""


def test_a_conversation_of_one_turn_is_a_question_with_itself_as_context() -> None:
    row = conversation(["Why?"], ["Because."], "here")
    assert (row["question"], row["answer"], row["context"]) == ("Why?", "Because.", "Why?")


@pytest.mark.parametrize(
    ("turns", "shown"), [([], "a list"), ("Why?", "a str"), ([1], "a list"), (None, "nothing"), ({"a": 1}, "a dict")]
)
def test_turns_that_are_no_texts_are_refused_in_their_place(turns: object, shown: str) -> None:
    with pytest.raises(DataError, match=rf"^q.jsonl:3: the turns of a conversation are a list .* there is {shown}"):
        plain_row({"question_id": 1, "turns": turns}, "q.jsonl:3")


def test_references_that_are_no_list_of_texts_are_refused() -> None:
    with pytest.raises(DataError, match=r"^q.jsonl:3: the references of a conversation are a list of texts"):
        plain_row({"question_id": 1, "turns": TURNS, "reference": "Blue sea."}, "q.jsonl:3")


def test_an_output_of_alpaca_eval_is_the_answer_to_its_instruction() -> None:
    given = {"dataset": "helpful_base", "instruction": "Name a sea.", "output": "The Red Sea.", "generator": "m"}
    assert plain_row(given, "here") == {
        "question": "Name a sea.",
        "answer": "The Red Sea.",
        "context": "Name a sea.",
        "subset": "helpful_base",
    }
    assert plain_row({**given, "id": 9}, "here")["id"] == 9


@pytest.mark.parametrize(
    "row",
    [
        {"question": "q", "question_id": 1, "turns": TURNS},
        {"question": "q", "instruction": "i", "output": "o", "generator": "g"},
        {"instruction": "i", "input": "a text that the instruction is about", "output": "o"},
        {"turns": TURNS},
        {},
    ],
)
def test_any_other_row_stays_as_it_is(row: dict[str, object]) -> None:
    assert plain_row(row, "here") == row
