"""A benchmark's rows: where they are looked for, and how they are kept."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.integrations.byob_files import a_file
from tests.makers import write_rows

from gavelkit.core.errors import DataError
from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_load import load_benchmark
from gavelkit.integrations.nemo_byob_model import asked_by
from gavelkit.integrations.nemo_byob_registry import Benchmark
from gavelkit.integrations.nemo_byob_rows import drawn_examples, opened_data, refuse_unfillable, rows_of

ROWS: list[dict[str, Any]] = [
    {"id": "same", "q": "one", "target": "1"},
    {"id": "same", "q": "two", "target": ["2", "zwei"]},
]


@pytest.fixture
def benchmark(tmp_path: Path) -> Benchmark:
    write_rows(tmp_path / "qa.jsonl", ROWS)
    return load_benchmark(a_file(tmp_path, "return {'x': 1}", field_mapping={"q": "question"}))


def test_rows_are_kept_whole_with_their_columns_renamed_and_numbered_from_0(
    tmp_path: Path, benchmark: Benchmark
) -> None:
    found = list(rows_of(opened_data(benchmark, tmp_path / "qa.jsonl"), benchmark, "").examples())
    assert [example.id for example in found] == ["0", "1"]
    assert found[0].doc == {"id": "same", "question": "one", "target": "1"}
    assert [example.references for example in found] == [("1",), ("2", "zwei")]
    assert found[0].responses == {}


def test_a_column_of_responses_is_read_as_text(tmp_path: Path, benchmark: Benchmark) -> None:
    write_rows(tmp_path / "said.jsonl", [{"said": 4}, {"other": 1}, {"said": None}])
    found = list(rows_of(opened_data(benchmark, tmp_path / "said.jsonl"), benchmark, "said").examples())
    assert [example.responses for example in found] == [{"": "4"}, {"": ""}, {"": ""}]


def test_the_benchmarks_own_data_lie_beside_its_file_and_those_given_where_one_stands(
    tmp_path: Path, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    assert opened_data(benchmark).path == str(tmp_path / "qa.jsonl")
    for given, own in (("qa.jsonl", benchmark), (None, replace(benchmark, dataset="elsewhere.jsonl"))):
        with pytest.raises(DataError, match=r"^(qa|elsewhere).jsonl: there is no such file"):
            opened_data(own, given)


def test_an_address_that_is_no_file_and_no_hubs_is_refused_with_what_to_do(benchmark: Benchmark) -> None:
    with pytest.raises(ByobError, match=r"'s3://a/b' is no file: save the rows as JSON Lines"):
        opened_data(replace(benchmark, dataset="s3://a/b"))


def test_rows_of_the_hub_are_loaded_once_and_read_again_and_again(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []

    def load_dataset(path: str, config: str | None, split: str) -> list[dict[str, Any]]:
        asked.append((path, config, split))
        return [{"q": f"{split} {n}", "target": n} for n in range(3)]

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    data = opened_data(benchmark, "hf://org/name?split=test")
    source = rows_of(data, benchmark, "")
    assert [example.doc["question"] for example in source.examples()] == ["test 0", "test 1", "test 2"]
    assert [example.reference for example in source.examples(limit=1)] == [0]
    assert asked == [("org/name", None, "test")]
    shots = drawn_examples(replace(benchmark, num_fewshot=1, fewshot_split="dev"), data, seed=1)
    assert shots is not None
    assert asked[1:] == [("org/name", None, "dev")]


def test_a_file_has_no_splits(benchmark: Benchmark) -> None:
    with pytest.raises(ByobError, match=r"fewshot_split: .*qa.jsonl is a file, and has no splits"):
        drawn_examples(replace(benchmark, num_fewshot=1, fewshot_split="dev"), opened_data(benchmark), seed=1)


def test_examples_come_from_the_rows_or_from_a_file_of_their_own(tmp_path: Path, benchmark: Benchmark) -> None:
    write_rows(tmp_path / "shots.jsonl", [{"q": "three", "target": "3"}])
    path = opened_data(benchmark)
    assert drawn_examples(benchmark, path, seed=1) is None
    own = drawn_examples(replace(benchmark, num_fewshot=1), path, seed=1)
    other = drawn_examples(replace(benchmark, num_fewshot=1, fewshot_dataset="shots.jsonl"), path, seed=1)
    assert own is not None
    assert other is not None
    assert {row["question"] for row in own.rows} == {"one", "two"}
    assert [row["question"] for row in other.rows] == ["three"]


def test_what_no_row_has_is_a_mistake_and_what_some_lack_is_not(tmp_path: Path, benchmark: Benchmark) -> None:
    asked = asked_by(benchmark)
    write_rows(tmp_path / "gaps.jsonl", [{"other": 1}, {"question": "x"}])
    write_rows(tmp_path / "none.jsonl", [{"qestion": "x"}])
    refuse_unfillable(rows_of(opened_data(benchmark, tmp_path / "gaps.jsonl"), benchmark, ""), asked, "", limit=None)
    with pytest.raises(DataError, match=r"no row has .*none.jsonl:1: prompt: .*did you mean qestion"):
        refuse_unfillable(
            rows_of(opened_data(benchmark, tmp_path / "none.jsonl"), benchmark, ""), asked, "", limit=None
        )
    with pytest.raises(DataError, match=r"there is no field 'said'; there are qestion"):
        refuse_unfillable(
            rows_of(opened_data(benchmark, tmp_path / "none.jsonl"), benchmark, "said"), asked, "said", limit=None
        )
