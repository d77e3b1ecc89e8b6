"""JSON Lines: one object a line; every other line is named by file and number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gavelkit.core.errors import DataError
from gavelkit.datasets.jsonl import read_jsonl

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=10,
)


def put(folder: Path, data: bytes | str) -> Path:
    file = folder / "rows.jsonl"
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def refusal(file: Path) -> str:
    with pytest.raises(DataError) as caught:
        list(read_jsonl(file))
    return str(caught.value).removeprefix(f"{file}:")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(texts, values, max_size=4), max_size=4), st.booleans())
def test_what_json_writes_is_read_back(tmp_path: Path, rows: list[dict[str, Any]], ascii_only: bool) -> None:  # noqa: FBT001 - drawn
    text = "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows)
    assert [row for _, row in read_jsonl(put(tmp_path, text))] == rows


def test_blank_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    assert list(read_jsonl(put(tmp_path, '\n{"a": 1}\n  \n\r\n{"a": 2}'))) == [(2, {"a": 1}), (5, {"a": 2})]


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    assert list(read_jsonl(put(tmp_path, b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}\r\n'))) == [(1, {"a": 1}), (2, {"a": 2})]


def test_lone_surrogates_nul_and_large_integers_survive(tmp_path: Path) -> None:
    rows = [{"text": "a\ud800b", "n": 1.5}, {"text": "a\0b"}, {"n": 2**63}, {"n": -(10**30)}]
    file = put(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    assert [row for _, row in read_jsonl(file)] == rows


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a": 1', "2: not JSON: Expecting ',' delimiter (column 8): '{\"a\": 1'"),
        ("{'a': 1}", "2: not JSON: Expecting property name enclosed in double quotes (column 2): \"{'a': 1}\""),
        ('{"a": 1} trailing', "2: not JSON: Extra data (column 10): '{\"a\": 1} trailing'"),
        ('{"a": NaN}', "2: not JSON: NaN is no JSON number: '{\"a\": NaN}'"),
        ('{"a": -Infinity}', "2: not JSON: -Infinity is no JSON number: '{\"a\": -Infinity}'"),
        ('{"a": 1e999}', "2: not JSON: 1e999 is no JSON number: '{\"a\": 1e999}'"),
        ("[1, 2]", "2: a JSON object is needed, and there is '[1, 2]'"),
        ('"text"', "2: a JSON object is needed, and there is '\"text\"'"),
        ("null", "2: a JSON object is needed, and there is 'null'"),
        ("question,response", "2: not JSON: Expecting value (column 1): 'question,response'"),
    ],
)
def test_a_bad_line_is_shown_with_file_line_and_reason(tmp_path: Path, line: str, message: str) -> None:
    assert refusal(put(tmp_path, f'{{"a": 0}}\n{line}\n')) == message


def test_bytes_that_are_no_utf_8_are_named(tmp_path: Path) -> None:
    said = refusal(put(tmp_path, b'{"a": 0}\n{"a": "\xe9"}\n'))
    assert said.startswith("2: not JSON: 'utf-8' codec can't decode byte 0xe9")


def test_a_number_of_5000_digits_and_a_nest_of_100000_brackets_are_named(tmp_path: Path) -> None:
    assert refusal(put(tmp_path, '{"a": ' + "9" * 5000 + "}")).startswith("1: not JSON: Exceeds the limit")
    assert refusal(put(tmp_path, "[" * 100_000)).startswith("1: not JSON: maximum recursion depth exceeded")


def test_a_long_line_is_shown_by_its_beginning(tmp_path: Path) -> None:
    assert refusal(put(tmp_path, "x" * 1000)).endswith("'" + "x" * 60 + "...'")


def test_a_short_line_of_other_letters_is_shown_whole(tmp_path: Path) -> None:
    assert refusal(put(tmp_path, '"é"')) == "1: a JSON object is needed, and there is '\"é\"'"


def test_rows_before_a_bad_line_are_given_first(tmp_path: Path) -> None:
    rows = read_jsonl(put(tmp_path, '{"a": 1}\nbad\n'))
    assert next(rows) == (1, {"a": 1})
    with pytest.raises(DataError):
        next(rows)
