"""CSV and TSV: a header, then rows of text that fit it."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gavelkit.core.errors import DataError
from gavelkit.datasets import lines
from gavelkit.datasets.delimited import read_delimited


def put(folder: Path, data: bytes, name: str = "rows.csv") -> Path:
    file = folder / name
    file.write_bytes(data)
    return file


def refusal(file: Path) -> str:
    with pytest.raises(DataError) as caught:
        list(read_delimited(file))
    return str(caught.value).removeprefix(f"{file}:")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.tsv", "rows.TSV", "rows.csv.gz", "rows.tsv.gz"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    records=st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2), max_size=5)
)
def test_what_csv_writes_is_read_back(tmp_path: Path, name: str, end: str, records: list[list[str]]) -> None:
    stream = io.StringIO()
    writer = csv.writer(
        stream, lineterminator=end, delimiter="\t" if "tsv" in name.lower() else ",", quoting=csv.QUOTE_ALL
    )
    writer.writerows([["a", "b"], *records])
    data = stream.getvalue().encode()
    file = put(tmp_path, gzip.compress(data) if name.endswith(".gz") else data, name)
    assert [row for _, row in read_delimited(file)] == [{"a": a, "b": b} for a, b in records]


def test_a_record_over_several_lines_is_named_by_its_last(tmp_path: Path) -> None:
    file = put(tmp_path, b'a,b\n1,"x\r\ny"\n2,z\n')
    assert list(read_delimited(file)) == [(3, {"a": "1", "b": "x\r\ny"}), (4, {"a": "2", "b": "z"})]


def test_blank_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    assert list(read_delimited(put(tmp_path, b"a\n\n1\n\n2"))) == [(3, {"a": "1"}), (5, {"a": "2"})]


def test_an_empty_cell_is_an_empty_text_and_a_number_stays_text(tmp_path: Path) -> None:
    assert list(read_delimited(put(tmp_path, b"a,b\n,1e3\n"))) == [(2, {"a": "", "b": "1e3"})]


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    assert list(read_delimited(put(tmp_path, b"\xef\xbb\xbfid,b\n1,2\n"))) == [(2, {"id": "1", "b": "2"})]


def test_lines_that_end_in_a_carriage_return_alone_are_lines(tmp_path: Path) -> None:
    assert [row for _, row in read_delimited(put(tmp_path, b"a,b\r1,2\r3,4\r"))] == [
        {"a": "1", "b": "2"},
        {"a": "3", "b": "4"},
    ]


def test_a_line_separator_of_unicode_is_text(tmp_path: Path) -> None:
    file = put(tmp_path, "a,b\n1,x\u2028y\x0bz\n".encode())
    assert list(read_delimited(file)) == [(2, {"a": "1", "b": "x\u2028y\x0bz"})]


@pytest.mark.parametrize("data", [b"", b"\n1,2\n"])
def test_a_file_without_a_header_says_what_is_needed(tmp_path: Path, data: bytes) -> None:
    assert refusal(put(tmp_path, data)) == "1: the file is empty, and a header with the columns' names is needed"


def test_a_column_that_stands_twice_is_named(tmp_path: Path) -> None:
    assert refusal(put(tmp_path, b"a,b,a\n1,2,3\n")) == "1: the column 'a' stands twice in the header"


@pytest.mark.parametrize(("record", "fields"), [(b"1", 1), (b"1,2,3", 3)])
def test_a_record_that_does_not_fit_its_header_is_counted(tmp_path: Path, record: bytes, fields: int) -> None:
    assert refusal(put(tmp_path, b"a,b\n1,2\n" + record + b"\n")) == f"3: {fields} fields, and the header has 2"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'a,b\n1,"x"y\n', "2: cannot be read as CSV: ',' expected after '\"'"),
        (b'a,b\n1,2\n1,"x', "3: cannot be read as CSV: unexpected end of data"),
        (b'"a', "1: cannot be read as CSV: unexpected end of data"),
    ],
)
def test_broken_quotes_are_named_with_the_line_their_record_begins_on(
    tmp_path: Path, data: bytes, message: str
) -> None:
    assert refusal(put(tmp_path, data)) == message


def test_the_line_of_a_byte_that_is_no_utf_8_is_exact(tmp_path: Path) -> None:
    file = put(tmp_path, b"a,b\n" + b"1,2\n" * 5000 + b"1,\xe9\n")
    said = refusal(file)
    assert said.startswith("5002: not UTF-8: 'utf-8' codec can't decode byte 0xe9")
    assert said.endswith("; save the file as UTF-8")


def test_utf_16_is_named(tmp_path: Path) -> None:
    assert refusal(put(tmp_path, "a,b\n1,2\n".encode("utf-16"))) == "1: the file is UTF-16; save it as UTF-8"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        list(read_delimited(tmp_path / "none.csv"))


def test_a_gzipped_file_cut_short_or_damaged_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n1,2\n")
    assert "cannot be read: Compressed file ended" in refusal(put(tmp_path, whole[:-8], "rows.csv.gz"))
    damaged = put(tmp_path, whole[:10] + b"\xff" * 40, "rows.csv.gz")
    assert refusal(damaged).startswith("1: cannot be read: Error -3 while decompressing")


def test_a_line_as_long_as_a_gzip_bombs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 1000)
    file = put(tmp_path, gzip.compress(b"a,b\n1," + b"0" * 1_000_000), "rows.csv.gz")
    assert refusal(file) == "2: the line is longer than 1,000 bytes"
