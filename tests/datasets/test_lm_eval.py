"""lm-eval's samples: recognised by themselves, with the id, the question and the response that their users mean."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gavelkit.core.errors import DataError
from gavelkit.core.example import Example
from gavelkit.datasets import RowMapping, open_source, refuse_duplicates, rows_source
from gavelkit.datasets.lm_eval import is_sample, task_of

NAME = "samples_my_task_2025-01-02T03-04-05.123456.jsonl"


def sample(number: int = 0, *, said: Any = "Lima", filter: str | None = "none", **changes: Any) -> dict[str, Any]:  # noqa: A002 - lm-eval's name
    row = {
        "doc_id": number,
        "doc": {"question": f"What is {number}?", "context": "c"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "the prompt"}},
        "resps": [[f"{said} (raw)"]],
        "filtered_resps": [said],
        "filter": filter,
        "exact_match": 0.0,
        **changes,
    }
    return {name: value for name, value in row.items() if value is not None}


def of_two_filters() -> list[dict[str, Any]]:
    """As lm-eval writes them: all rows of one filter, then all of the next."""
    return [sample(n, said=f"{name} {n}", filter=name) for name in ("strict", "flexible") for n in range(2)]


def put(folder: Path, rows: Sequence[object], name: str = NAME) -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def examples(rows: list[dict[str, Any]], mapping: RowMapping | None = None) -> list[Example]:
    return list(refuse_duplicates(rows_source(rows, mapping or RowMapping()).examples()))


def test_a_sample_needs_no_mapping(tmp_path: Path) -> None:
    (found,) = open_source(put(tmp_path, [sample(7)]), RowMapping()).examples()
    assert found.id == "7"
    assert found.responses == {"": "Lima"}
    assert found.reference == "4"
    assert found.doc == {"question": "What is 7?", "context": "c"}
    assert found.fields["question"] == "What is 7?"


def test_without_filtered_responses_the_first_raw_one_counts() -> None:
    (found,) = examples([sample(filtered_resps=None)])
    assert found.responses == {"": "Lima (raw)"}
    (found,) = examples([sample(filtered_resps=[])])
    assert found.responses == {"": "Lima (raw)"}


@pytest.mark.parametrize("alias", ["question", "input", "instruction", "prompt"])
def test_the_question_is_found_in_the_document_by_its_usual_names(alias: str) -> None:
    (found,) = examples([sample(doc={alias: "Why?"})])
    assert found.fields["question"] == "Why?"


def test_a_document_without_a_question_is_fine() -> None:
    (found,) = examples([sample(doc={"sentence_eng_Latn": "Hi"})])
    assert "question" not in found.fields


def test_a_target_of_several_references_stays_several() -> None:
    assert examples([sample(target=["a", "b"])])[0].reference == ["a", "b"]


@pytest.mark.parametrize(
    "row",
    [
        {"doc_id": 1, "doc": {}, "target": "x"},
        {"doc_id": 1, "doc": "text", "target": "x", "resps": [["y"]]},
        {"doc_id": 1, "doc": {}, "resps": [["y"]]},
        {"doc": {}, "target": "x", "resps": [["y"]]},
        {"doc_id": 1, "doc": {}, "target": "x", "resps": "y"},
    ],
)
def test_a_row_that_lacks_a_part_is_no_sample(row: dict[str, Any]) -> None:
    assert not is_sample(row)


def test_other_rows_stay_as_they_are() -> None:
    (found,) = examples([{"id": "a", "doc_id": 1, "response": "x"}])
    assert (found.id, found.fields["doc_id"]) == ("a", 1)


def test_an_explicit_mapping_wins_over_what_is_recognised() -> None:
    mapping = RowMapping(
        {"id": "doc.context", "response": "resps[0][0]", "question": "target", "reference": "doc.context"}
    )
    (found,) = examples([sample()], mapping)
    assert (found.id, found.responses[""], found.reference) == ("c", "Lima (raw)", "c")
    assert found.fields["question"] == "4"


def test_the_ids_of_several_filters_tell_their_filter(tmp_path: Path) -> None:
    found = list(refuse_duplicates(open_source(put(tmp_path, of_two_filters()), RowMapping()).examples()))
    assert [each.id for each in found] == ["0:strict", "1:strict", "0:flexible", "1:flexible"]
    assert [each.responses[""] for each in found] == ["strict 0", "strict 1", "flexible 0", "flexible 1"]


def test_a_limit_changes_no_id(tmp_path: Path) -> None:
    source = open_source(put(tmp_path, of_two_filters()), RowMapping())
    assert [each.id for each in source.examples(limit=1)] == ["0:strict"]


def test_rows_know_whether_several_filters_are_mixed(tmp_path: Path) -> None:
    file = put(tmp_path, of_two_filters())
    assert open_source(file, RowMapping()).rows.mixed
    assert not open_source(file, RowMapping(filter="strict")).rows.mixed
    assert not open_source(put(tmp_path, [sample()]), RowMapping()).rows.mixed
    assert not open_source(put(tmp_path, []), RowMapping()).rows.mixed
    assert not rows_source([{"response": "x"}], RowMapping()).rows.mixed


def test_one_filter_can_be_picked(tmp_path: Path) -> None:
    source = open_source(put(tmp_path, of_two_filters()), RowMapping(filter="flexible"))
    assert [(each.id, each.responses[""], each.line) for each in source.examples()] == [
        ("0", "flexible 0", 3),
        ("1", "flexible 1", 4),
    ]
    assert [each.id for each in source.examples(limit=1)] == ["0"]


def test_the_picked_filter_is_part_of_how_the_data_is_read() -> None:
    assert RowMapping({"id": "x"}, filter="strict").spec == {"id": "x", "--filter": "strict"}
    assert RowMapping({"id": "x"}).spec == {"id": "x"}


def test_a_filter_nobody_has_is_named_with_those_there_are(tmp_path: Path) -> None:
    file = put(tmp_path, of_two_filters())
    with pytest.raises(DataError, match=r"no row has the filter 'strikt'; there are strict, flexible"):
        list(open_source(file, RowMapping(filter="strikt")).examples())
    file = put(tmp_path, [{"id": 1, "response": "x"}])
    with pytest.raises(DataError, match="no row has the filter 'strict'; only samples of lm-eval have one"):
        list(open_source(file, RowMapping(filter="strict")).examples())


def test_only_rows_of_the_same_id_and_filter_are_duplicates() -> None:
    with pytest.raises(DataError, match="the id '0' stands already in line 1"):
        examples([sample(0), sample(0)])
    assert len(examples([sample(0, filter="a"), sample(0, filter="b")])) == 2
    with pytest.raises(DataError, match="the id '0:a' stands already in line 1"):
        examples([sample(0, filter="a"), sample(0, filter="b"), sample(0, filter="a")])


def test_an_old_file_without_filters_is_read() -> None:
    assert [each.id for each in examples([sample(0, filter=None), sample(1, filter=None)])] == ["0", "1"]


def test_rows_that_come_only_once_tell_their_filter_from_the_first() -> None:
    rows = [sample(0, filter="strict"), sample(0, filter="none")]
    assert [each.id for each in rows_source(iter(rows), RowMapping()).examples()] == ["0:strict", "0"]


def test_a_pipe_is_read_without_looking_ahead(tmp_path: Path) -> None:
    pipe = tmp_path / "samples.jsonl"
    os.mkfifo(pipe)
    text = "".join(json.dumps(row) + "\n" for row in of_two_filters())
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    found = [each.id for each in open_source(pipe, RowMapping()).examples()]
    writer.join()
    assert found == ["0:strict", "1:strict", "0:flexible", "1:flexible"]


@pytest.mark.parametrize("said", [[-1.5, False], ["one", "two"]])
def test_likelihoods_and_lists_of_answers_are_no_response(said: object) -> None:
    with pytest.raises(DataError, match=r"row 1: no response: .* name the field with map: \{response: \.\.\.\}"):
        examples([sample(filtered_resps=[said], resps=[[said]])])
    (found,) = examples([sample(filtered_resps=[["one", "two"]])], RowMapping({"response": "filtered_resps[0][1]"}))
    assert found.responses == {"": "two"}


def test_a_model_that_said_nothing_is_judged_as_an_empty_response() -> None:
    row = {**sample(), "filtered_resps": [None]}
    assert examples([row])[0].responses == {"": ""}


def test_a_strange_id_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"jsonl:1: the id must be a text or a whole number, not 1\.5"):
        list(open_source(put(tmp_path, [sample(doc_id=1.5)]), RowMapping()).examples())


@pytest.mark.parametrize(
    ("stem", "task"),
    [
        ("samples_gsm8k_2025-01-02T03-04-05.123456", "gsm8k"),
        ("samples_my_long_task_2025-01-02T03-04-05", "my_long_task"),
        ("samples_gsm8k", "samples_gsm8k"),
        ("answers", "answers"),
        ("mysamples_x_2025-01-02T03-04-05", "mysamples_x_2025-01-02T03-04-05"),
    ],
)
def test_a_samples_file_is_called_by_its_task(stem: str, task: str, tmp_path: Path) -> None:
    assert task_of(stem) == task
    assert open_source(put(tmp_path, [sample()], f"{stem}.jsonl"), RowMapping()).name == task
