"""A benchmark's rows: where they are looked for, and how they are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.byob_files import a_file
from tests.makers import write_rows

from gavelkit.core.errors import DataError
from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_load import load_benchmark
from gavelkit.integrations.nemo_byob_model import asked_by
from gavelkit.integrations.nemo_byob_registry import Benchmark
from gavelkit.integrations.nemo_byob_rows import data_path, drawn_examples, refuse_unfillable, rows_of

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
    found = list(rows_of(tmp_path / "qa.jsonl", benchmark, "").examples())
    assert [example.id for example in found] == ["0", "1"]
    assert found[0].doc == {"id": "same", "question": "one", "target": "1"}
    assert [example.references for example in found] == [("1",), ("2", "zwei")]
    assert found[0].responses == {}


def test_a_column_of_responses_is_read_as_text(tmp_path: Path, benchmark: Benchmark) -> None:
    write_rows(tmp_path / "said.jsonl", [{"said": 4}, {"other": 1}, {"said": None}])
    found = list(rows_of(tmp_path / "said.jsonl", benchmark, "said").examples())
    assert [example.responses for example in found] == [{"": "4"}, {"": ""}, {"": ""}]


def test_the_benchmarks_own_data_lie_beside_its_file_and_those_given_where_one_stands(
    tmp_path: Path, benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    assert data_path(benchmark) == tmp_path / "qa.jsonl"
    assert data_path(benchmark, "qa.jsonl") == Path("qa.jsonl")
    assert data_path(replace(benchmark, dataset="elsewhere.jsonl")) == Path("elsewhere.jsonl")


def test_a_data_set_of_a_hub_is_refused_with_what_to_do(benchmark: Benchmark) -> None:
    with pytest.raises(ByobError, match=r"'hf://a/b' is no file: save the rows as JSON Lines"):
        data_path(replace(benchmark, dataset="hf://a/b"))


def test_examples_come_from_the_rows_or_from_a_file_of_their_own(tmp_path: Path, benchmark: Benchmark) -> None:
    write_rows(tmp_path / "shots.jsonl", [{"q": "three", "target": "3"}])
    path = tmp_path / "qa.jsonl"
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
    refuse_unfillable(rows_of(tmp_path / "gaps.jsonl", benchmark, ""), asked, "", limit=None)
    with pytest.raises(DataError, match=r"no row has .*none.jsonl:1: prompt: .*did you mean qestion"):
        refuse_unfillable(rows_of(tmp_path / "none.jsonl", benchmark, ""), asked, "", limit=None)
    with pytest.raises(DataError, match=r"there is no field 'said'; there are qestion"):
        refuse_unfillable(rows_of(tmp_path / "none.jsonl", benchmark, "said"), asked, "said", limit=None)
