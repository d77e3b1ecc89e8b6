"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from gavelkit.core.errors import StorageError
from gavelkit.reports.files import replace_file


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_file_takes_its_place_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with replace_file(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert mode(path) == 0o644
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_an_old_file_survives_a_failure_and_nothing_is_left_behind(
    tmp_path: Path, failure: type[BaseException]
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"old")

    def fail() -> None:
        with replace_file(path) as file:
            file.write(b"half")
            raise failure

    with pytest.raises(failure):
        fail()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_nobody_else_can_read_what_is_not_finished(tmp_path: Path) -> None:
    with replace_file(tmp_path / "out.jsonl"):
        (temporary,) = tmp_path.iterdir()
        assert mode(temporary) == 0o600


def test_a_private_file_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with replace_file(path) as file:
        file.write(b"new")
    assert mode(path) == 0o600


def test_a_link_is_replaced_and_its_target_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"precious")
    link.symlink_to(target)
    with replace_file(link) as file:
        file.write(b"new")
    assert target.read_bytes() == b"precious"
    assert not link.is_symlink()
    assert link.read_bytes() == b"new"


def test_a_path_that_cannot_be_written_is_a_storage_error_that_names_it(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageError, match=r"missing/out\.csv cannot be written: No such file"),
        replace_file(tmp_path / "missing" / "out.csv"),
    ):
        pass
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError, match="folder cannot be written"), replace_file(tmp_path / "folder"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
