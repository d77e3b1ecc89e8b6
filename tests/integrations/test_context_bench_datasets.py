"""`load_dataset`: files, loaders of one's own, names of the hub, and what is refused."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gavelkit.core.errors import DataError, UsageError
from gavelkit.integrations import context_bench_datasets
from gavelkit.integrations.context_bench import dataset_names, load_dataset, load_jsonl, register_dataset

ALPACA = {"dataset": "koala", "instruction": "Name a sea.", "output": "The Red Sea.", "generator": "m"}


@pytest.fixture(autouse=True)
def _own_loaders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_bench_datasets, "_loaders", {})


def written(path: Path, *rows: object) -> str:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def test_a_file_of_rows_is_loaded_as_it_is(tmp_path: Path) -> None:
    row = {"id": "a", "question": "q", "answer": "w", "context": "c", "dataset": "mine", "more": [1]}
    assert load_dataset(written(tmp_path / "rows.jsonl", row)) == [row]


def test_a_row_gets_its_line_as_id_and_its_file_as_dataset(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "a"}\n\n{"question": "b"}\n')
    assert load_dataset(path) == [
        {"id": 0, "dataset": str(path), "question": "a"},
        {"id": 2, "dataset": str(path), "question": "b"},
    ]


def test_a_compressed_file_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"question": "a"}\n'))
    assert [row["question"] for row in load_dataset(path)] == ["a"]


def test_load_jsonl_counts_rows_and_numbers_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('\n{"a": 1}\n\n{"id": "x"}\n{"a": 3}\n')
    assert load_jsonl(path) == [{"a": 1, "id": 1}, {"id": "x"}, {"a": 3, "id": 4}]
    assert load_jsonl(str(path), 2) == [{"a": 1, "id": 1}, {"id": "x"}]
    assert load_jsonl(path, n=0) == []


@pytest.mark.parametrize("load", [load_dataset, load_jsonl])
@pytest.mark.parametrize("line", ["[1]", "no json", '"text"'])
def test_a_line_that_is_no_object_is_named_with_its_file(load: Any, line: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"question": "a"}}\n{line}\n')
    with pytest.raises(DataError, match=r"rows\.jsonl:2: "):
        load(path)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl: there is no such file"):
        load_dataset("nowhere.jsonl")


def test_a_question_file_of_mt_bench_is_recognised(shared_data: Path) -> None:
    rows = load_dataset(shared_data / "mtbench_questions.jsonl.gz")
    assert len(rows) == 80
    assert rows[0]["id"] == 81
    assert all(row["multi_turn"] is True and len(row["turns"]) == 2 for row in rows)
    assert all(row["question"] == row["turns"][-1]["content"] for row in rows)


@pytest.mark.parametrize("name", ["outputs.json", "outputs.jsonl"])
def test_outputs_of_alpaca_eval_are_recognised(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(json.dumps([ALPACA], indent=1) if name.endswith(".json") else json.dumps(ALPACA))
    (row,) = load_dataset(path)
    assert row == {
        "id": 0,
        "dataset": str(path),
        "question": "Name a sea.",
        "answer": "The Red Sea.",
        "context": "Name a sea.",
        "subset": "koala",
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "list.json: not JSON: "),
        ('{"a": 1}', "list.json: a list of JSON objects is needed, and there is a dict"),
        ('[{"question": "a"}, 7]', "list.json: item 1: a JSON object is needed, and there is '7'"),
    ],
)
def test_a_list_that_is_none_is_refused_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(text)
    with pytest.raises(DataError, match=told):
        load_dataset(path)


def test_a_loader_of_ones_own_is_called_by_its_name_and_told_n() -> None:
    told: list[dict[str, int]] = []

    def loader(**named: int) -> Iterator[dict[str, Any]]:
        told.append(named)
        yield from ({"question": str(number)} for number in range(5))

    register_dataset("mine", loader)
    assert load_dataset("mine", 1) == [{"id": 0, "dataset": "mine", "question": "0"}]
    assert len(load_dataset("mine")) == 5
    assert told == [{"n": 1}, {}]
    assert "mine" in dataset_names()


def test_a_loader_comes_before_the_hub_and_gives_mappings() -> None:
    register_dataset("squad", lambda: [{"id": 3, "dataset": "part", "question": "q"}])
    assert load_dataset("squad") == [{"id": 3, "dataset": "part", "question": "q"}]
    register_dataset("odd", lambda: ["text"])  # type: ignore[list-item] # what is refused
    with pytest.raises(DataError, match="odd: row 0: a loader gives mappings, and there is a str"):
        load_dataset("odd")


def test_a_name_of_the_hub_is_loaded_by_the_package_with_its_config(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is a stand-in."""
    asked: list[object] = []

    def load(path: str, config: str, *, split: str) -> list[dict[str, str]]:
        asked.append((path, config, split))
        return [{"input": "not True", "target": "False"}] * 3

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load))
    rows = load_dataset("bbh:navigate", 2)
    assert asked == [("lukaemon/bbh", "navigate", "test")]
    assert [(row["id"], row["dataset"], row["answer"]) for row in rows] == [
        (0, "bbh:navigate", "False"),
        (1, "bbh:navigate", "False"),
    ]


def test_an_unknown_name_lists_what_there_is_and_the_nearest() -> None:
    with pytest.raises(DataError, match=r"no dataset 'hotpotq'; did you mean hotpotqa\? There are alpaca-eval, .*jso"):
        load_dataset("hotpotq")
    with pytest.raises(DataError, match=r"no dataset 'zzz'; there are alpaca-eval, .*, and files ending in \.jsonl"):
        load_dataset("zzz:config")


def test_an_empty_config_and_a_negative_number_are_refused() -> None:
    with pytest.raises(UsageError, match="'mmlu:' names no config"):
        load_dataset("mmlu:")
    with pytest.raises(UsageError, match="0 or more, and not -1"):
        load_dataset("mmlu", -1)


def test_the_names_are_sorted() -> None:
    assert dataset_names() == sorted(dataset_names())
    assert {"alpaca-eval", "mt-bench", "hotpotqa"} <= set(dataset_names())
