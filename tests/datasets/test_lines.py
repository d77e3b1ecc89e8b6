"""The lines of a file, and what is said of a file that has none to give."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gavelkit.core.errors import DataError
from gavelkit.datasets import lines
from gavelkit.datasets.lines import raw_lines, read_lines


def put(folder: Path, data: bytes, name: str = "rows.jsonl") -> Path:
    file = folder / name
    file.write_bytes(data)
    return file


def refusal(file: Path) -> str:
    with pytest.raises(DataError) as caught:
        list(read_lines(file))
    return str(caught.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary().filter(lambda line: not set(line) & set(b"\r\n\0"))), st.sampled_from([b"\n", b"\r\n"]))
def test_every_line_is_read_once_with_its_number(tmp_path: Path, texts: list[bytes], end: bytes) -> None:
    texts = [b"first", *texts]
    file = put(tmp_path, end.join(texts) + end)
    assert list(read_lines(file)) == list(enumerate(texts, start=1))
    assert b"".join(line for _, line in raw_lines(file)) == file.read_bytes()


def test_a_last_line_needs_no_end(tmp_path: Path) -> None:
    assert list(read_lines(put(tmp_path, b"a\nb"))) == [(1, b"a"), (2, b"b")]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    assert list(read_lines(put(tmp_path, b""))) == []


def test_a_byte_order_mark_is_passed_over_on_the_first_line_only(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    assert list(read_lines(put(tmp_path, mark + b"a\n" + mark + b"b"))) == [(1, b"a"), (2, mark + b"b")]


def test_a_gzipped_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    assert list(read_lines(put(tmp_path, gzip.compress(b"a\nb\n"), "rows.jsonl.gz"))) == [(1, b"a"), (2, b"b")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named_with_or_without_its_mark(tmp_path: Path, encoding: str) -> None:
    file = put(tmp_path, '{"a": 1}\n'.encode(encoding))
    assert refusal(file) == f"{file}:1: the file is UTF-16; save it as UTF-8"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    assert refusal(file) == f"{file}: there is no such file"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path}: this is a folder, and a data file is needed"


def test_a_gzipped_file_cut_short_is_named(tmp_path: Path) -> None:
    file = put(tmp_path, gzip.compress(b"a\nb\n")[:-8], "rows.jsonl.gz")
    assert refusal(file).startswith(f"{file}:3: cannot be read: Compressed file ended before")


def test_a_gzipped_file_with_damage_inside_is_named(tmp_path: Path) -> None:
    file = put(tmp_path, gzip.compress(b"")[:10] + b"\xff" * 40, "rows.jsonl.gz")
    assert refusal(file).startswith(f"{file}:1: cannot be read: Error -3 while decompressing")


def test_a_gzipped_file_with_a_wrong_checksum_is_named(tmp_path: Path) -> None:
    whole = gzip.compress(b"a\nb\n")
    file = put(tmp_path, whole[:-8] + bytes(4) + whole[-4:], "rows.jsonl.gz")
    assert refusal(file).startswith(f"{file}:3: cannot be read: CRC check failed")


def test_a_plain_file_named_gz_is_named(tmp_path: Path) -> None:
    file = put(tmp_path, b"plain", "rows.jsonl.gz")
    assert refusal(file).startswith(f"{file}:1: cannot be read: Not a gzipped file")


def test_a_line_as_long_as_a_gzip_bombs_is_refused_before_it_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 1000)
    file = put(tmp_path, gzip.compress(b"short\n" + b"0" * 1_000_000), "rows.jsonl.gz")
    assert refusal(file) == f"{file}:2: the line is longer than 1,000 bytes"


def test_a_real_gzip_bomb_takes_no_more_memory_than_the_longest_line(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "bomb.jsonl.gz", "wb", compresslevel=1) as bomb:
        for _ in range(66):
            bomb.write(bytes(b"0" * 1024 * 1024))
    assert refusal(tmp_path / "bomb.jsonl.gz").endswith("bomb.jsonl.gz:1: the line is longer than 67,108,864 bytes")
