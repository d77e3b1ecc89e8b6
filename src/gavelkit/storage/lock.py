"""One writer a run: a lock on a file, which the system releases even when its holder is killed."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

from gavelkit.core.errors import RunHeld, StorageError

FILE_NAME = "run.lock"


class RunLock:
    """Held from creation to `release`. Raises RunHeld naming the holder, StorageError for an unwritable folder."""

    def __init__(self, folder: Path) -> None:
        path = folder / FILE_NAME
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            message = f"{folder}: cannot be written: {error.strerror}"
            raise StorageError(message) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._descriptor, 200, 0).decode("utf-8", "replace").strip()
            os.close(self._descriptor)
            message = f"{folder}: this run is being written by {holder or 'another process'}"
            raise RunHeld(message) from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def release(self) -> None:
        """Let the next writer in."""
        os.close(self._descriptor)
