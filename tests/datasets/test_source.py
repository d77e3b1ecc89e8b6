"""Where examples come from, and ids that must differ."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gavelkit.core.errors import DataError
from gavelkit.datasets import RowMapping, open_source, refuse_duplicates, rows_source

ROWS = [{"id": "a", "response": "1"}, {"id": "b", "response": "2"}]
JSONL = "".join(json.dumps(row) + "\n" for row in ROWS)
CSV = "id,response\na,1\nb,2\n"


def put(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return file


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.jsonl", JSONL),
        ("rows.ndjson", JSONL),
        ("rows.JSONL", JSONL),
        ("rows.jsonl.gz", JSONL),
        ("rows.csv", CSV),
        ("rows.CSV", CSV),
        ("rows.csv.gz", CSV),
        ("rows.tsv", CSV.replace(",", "\t")),
        ("rows.v2.jsonl", JSONL),
    ],
)
def test_a_file_is_read_by_its_ending_and_again(tmp_path: Path, name: str, text: str) -> None:
    source = open_source(put(tmp_path, name, text), RowMapping())
    assert source.rereadable
    for _ in range(2):
        assert [(each.id, each.responses[""]) for each in source.examples()] == [("a", "1"), ("b", "2")]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("rows.jsonl", "rows"), ("rows.jsonl.gz", "rows"), ("rows.v2.jsonl", "rows.v2"), ("rows.csv", "rows")],
)
def test_a_source_is_called_by_its_files_stem(tmp_path: Path, name: str, stem: str) -> None:
    assert open_source(put(tmp_path, name, ""), RowMapping()).name == stem


def test_examples_know_file_and_line(tmp_path: Path) -> None:
    file = put(tmp_path, "rows.jsonl", "\n" + JSONL)
    assert [each.place for each in open_source(str(file), RowMapping()).examples()] == [f"{file}:2", f"{file}:3"]


def test_row_numbers_count_rows_and_not_lines(tmp_path: Path) -> None:
    file = put(tmp_path, "rows.jsonl", '\n{"response": "1"}\n\n{"response": "2"}\n')
    assert [each.id for each in open_source(file, RowMapping()).examples()] == ["1", "2"]


def test_a_limit_reads_no_further(tmp_path: Path) -> None:
    file = put(tmp_path, "rows.jsonl", JSONL + "bad\n")
    source = open_source(file, RowMapping())
    assert [each.id for each in source.examples(limit=2)] == ["a", "b"]
    with pytest.raises(DataError, match=r"rows\.jsonl:3: not JSON"):
        list(source.examples())


def test_a_missing_file_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.jsonl: there is no such file"):
        open_source(tmp_path / "none.jsonl", RowMapping())


@pytest.mark.parametrize("name", ["rows.arrow", "rows.txt", "rows", "rows.gz", "jsonl"])
def test_a_type_nobody_reads_names_those_that_are_read(tmp_path: Path, name: str) -> None:
    file = put(tmp_path, name, JSONL)
    with pytest.raises(DataError) as caught:
        open_source(file, RowMapping())
    assert str(caught.value) == f"{file}: a data file ends in one of .jsonl, .ndjson, .csv, .tsv, .parquet, .jsonl.gz"


@pytest.mark.parametrize("name", ["folder", "folder.csv", "folder.jsonl"])
def test_a_folder_is_named_when_it_is_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    with pytest.raises(DataError, match="this is a folder, and a data file is needed"):
        list(open_source(folder, RowMapping()).examples())


def test_a_pipe_is_read_once_as_json_lines(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(JSONL,))
    writer.start()
    source = open_source(pipe, RowMapping())
    assert not source.rereadable
    assert [each.id for each in source.examples()] == ["a", "b"]
    writer.join()


def test_rows_in_memory_are_read_again() -> None:
    source = rows_source(ROWS, RowMapping(), name="mine")
    assert (source.name, source.rereadable, source.path) == ("mine", True, "")
    assert [[each.id for each in source.examples()] for _ in range(2)] == [["a", "b"]] * 2


def test_an_iterator_is_read_once() -> None:
    source = rows_source(iter(ROWS), RowMapping())
    assert not source.rereadable
    assert [each.id for each in source.examples()] == ["a", "b"]


def test_rows_are_taken_one_at_a_time() -> None:
    def endless() -> Iterator[dict[str, Any]]:
        number = 0
        while True:
            number += 1
            yield {"response": str(number)}

    assert len(list(rows_source(endless(), RowMapping()).examples(limit=5))) == 5


def test_what_is_no_mapping_is_named_by_its_number() -> None:
    rows: Any = [ROWS[0], "text"]
    with pytest.raises(DataError, match="row 2: a mapping is needed, not str"):
        list(rows_source(rows, RowMapping()).examples())


def examples(rows: list[dict[str, Any]], mapping: dict[str, Any] | None = None) -> list[str]:
    return [each.id for each in refuse_duplicates(rows_source(rows, RowMapping(mapping)).examples())]


def test_an_id_that_comes_twice_names_both_lines(tmp_path: Path) -> None:
    file = put(tmp_path, "rows.jsonl", JSONL + "\n" + json.dumps(ROWS[0]))
    with pytest.raises(DataError) as caught:
        list(refuse_duplicates(open_source(file, RowMapping()).examples()))
    assert str(caught.value) == f"{file}:4: the id 'a' stands already in line 1; ids must differ"


def test_a_number_and_its_text_are_one_id() -> None:
    with pytest.raises(DataError, match="the id '7' stands already in line 1"):
        examples([{"id": 7, "response": "r"}, {"id": "7", "response": "r"}])


def test_a_row_number_can_meet_an_id() -> None:
    with pytest.raises(DataError, match="the id '2' stands already in line 1"):
        examples([{"id": "2", "response": "r"}, {"response": "r"}])


def test_one_id_may_stand_once_for_each_system() -> None:
    rows = [{"id": "1", "model": model, "response": "r"} for model in ("a", "b")]
    assert examples(rows, {"system": "model"}) == ["1", "1"]
    with pytest.raises(DataError, match="the id '1' stands already in line 2 for system 'b'"):
        examples([*rows, rows[1]], {"system": "model"})


def test_different_ids_pass_through_lazily() -> None:
    assert examples(ROWS) == ["a", "b"]
