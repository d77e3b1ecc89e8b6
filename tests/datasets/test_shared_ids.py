"""Which of several files have a row of which id."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gavelkit.core.errors import DataError
from gavelkit.datasets import RowMapping, Source, open_source
from gavelkit.datasets.shared_ids import SharedIds, first_file


def sources(folder: Path, *files: str) -> list[Source]:
    """A file for each word, a row for each letter."""
    made = []
    for at, ids in enumerate(files):
        file = folder / f"{at}.jsonl"
        file.write_text("".join(json.dumps({"id": each, "response": "r"}) + "\n" for each in ids))
        made.append(open_source(file, RowMapping()))
    return made


def test_ids_are_counted_by_the_file_that_has_them_first_and_alone(tmp_path: Path) -> None:
    counts = SharedIds(sources(tmp_path, "abc", "cbde", "efa")).counts()
    assert (list(counts.led), list(counts.lonely)) == ([3, 2, 1], [0, 1, 1])


def test_each_id_knows_its_files(tmp_path: Path) -> None:
    several = sources(tmp_path, "ab", "bc", "a")
    ids = SharedIds(several)
    ids.counts()
    assert [ids.files(each) for source in several for each in source.examples()] == [0b101, 0b011, 0b011, 0b010, 0b101]


def test_the_first_file_is_the_lowest_bit() -> None:
    assert [first_file(files) for files in (0b1, 0b110, 0b1000, 1 << 59)] == [0, 1, 3, 59]


def test_sixty_files_fit(tmp_path: Path) -> None:
    counts = SharedIds(sources(tmp_path, *(["a"] * 60))).counts()
    assert (sum(counts.led), sum(counts.lonely)) == (1, 0)


def test_ids_are_read_once(tmp_path: Path) -> None:
    several = sources(tmp_path, "ab", "b")
    ids = SharedIds(several)
    before = ids.counts()
    (tmp_path / "0.jsonl").unlink()
    assert ids.counts() is before


def test_what_was_refused_is_refused_again(tmp_path: Path) -> None:
    ids = SharedIds(sources(tmp_path, "ab", "c"))
    for _ in range(2):
        with pytest.raises(DataError, match="no id of this file stands in another one"):
            ids.counts()
