"""Writing a whole file or none: an old export survives a failure."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gavelkit.core.errors import StorageError


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path`, on disk, when the block ends without an error.

    Until then it is a neighbour nobody else can read. A link is replaced, not followed. The permissions are those
    of the file replaced, else what the umask leaves. Raises StorageError where the file cannot be written.
    """
    try:
        # Opened with O_EXCL and O_NOFOLLOW and mode 0600 in the same folder, so that the rename is atomic.
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    except OSError as error:
        raise _unwritable(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fchmod(file.fileno(), _mode(path))
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(path, error) from error
        raise
    _sync_folder(path.parent)


def _mode(path: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        found = path.lstat().st_mode
        if stat.S_ISREG(found):
            return stat.S_IMODE(found)
    # The umask can only be read by setting it: strict for that moment, in case another thread makes a file.
    umask = os.umask(0o077)
    os.umask(umask)
    return 0o666 & ~umask


def _sync_folder(folder: Path) -> None:
    # Some file systems cannot sync a folder; the file itself is on disk by now.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"{path} cannot be written: {error.strerror or error}")
