"""Parquet: rows as JSON would have them, batch by batch, and what to do without its package."""

from __future__ import annotations

import datetime as dt
import math
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from gavelkit.core.errors import DataError
from gavelkit.datasets import RowMapping, open_source
from gavelkit.datasets.parquet import read_parquet


def put(folder: Path, rows: list[dict[str, Any]], **options: Any) -> Path:
    file = folder / "rows.parquet"
    parquet.write_table(pa.Table.from_pylist(rows), file, **options)
    return file


def test_rows_come_in_order_with_their_numbers(tmp_path: Path) -> None:
    rows = [{"id": f"r{n}", "response": str(n)} for n in range(5000)]
    found = list(read_parquet(put(tmp_path, rows, row_group_size=700)))
    assert found == list(enumerate(rows, start=1))


def test_a_file_is_read_by_its_ending_and_again(tmp_path: Path) -> None:
    source = open_source(put(tmp_path, [{"id": "a", "response": "1"}]), RowMapping())
    assert (source.name, source.rereadable) == ("rows", True)
    for _ in range(2):
        assert [(each.id, each.place) for each in source.examples()] == [("a", f"{source.path}:1")]


def test_samples_of_lm_eval_are_recognised_here_too(tmp_path: Path) -> None:
    row = {"doc_id": 3, "doc": {"question": "q"}, "target": "t", "filtered_resps": ["x"], "filter": "none"}
    (found,) = open_source(put(tmp_path, [row]), RowMapping()).examples()
    assert (found.id, found.responses, found.fields["question"]) == ("3", {"": "x"}, "q")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (dt.datetime(2026, 1, 2, 3, 4, tzinfo=dt.UTC), "2026-01-02T03:04:00+00:00"),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (dt.time(3, 4), "03:04:00"),
        (Decimal("1.50"), "1.50"),
        (b"text", "text"),
        (math.nan, None),
        ([{"a": [1.5, None]}], [{"a": [1.5, None]}]),
        (True, True),
    ],
)
def test_every_value_is_as_json_would_have_it(tmp_path: Path, value: Any, plain: Any) -> None:
    ((_number, row),) = read_parquet(put(tmp_path, [{"x": value}]))
    assert row == {"x": plain}


@pytest.mark.parametrize(("value", "words"), [(b"\xff\xfe", "a column of bytes is no text"), (math.inf, "inf is no")])
def test_what_no_json_can_hold_is_refused_with_its_row(tmp_path: Path, value: Any, words: str) -> None:
    with pytest.raises(DataError, match=rf"rows\.parquet:1: {words}"):
        list(read_parquet(put(tmp_path, [{"x": value}])))


def test_a_file_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "bad.parquet"
    file.write_bytes(b"no parquet at all")
    with pytest.raises(DataError, match=r"bad\.parquet: cannot be read as Parquet"):
        list(read_parquet(file))


def test_a_file_that_was_cut_is_refused(tmp_path: Path) -> None:
    file = put(tmp_path, [{"id": str(n)} for n in range(1000)])
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        list(read_parquet(file))


def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(tmp_path, [{"id": "a"}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"pip install 'gavelkit\[parquet\]'") as caught:
        list(read_parquet(file))
    assert caught.value.exit_code == 2
