"""One writer a run, and a lock that no kill leaves behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gavelkit.core.errors import RunHeld, StorageError
from gavelkit.storage.lock import RunLock

HOLD = "import sys, signal, pathlib; from gavelkit.storage.lock import RunLock; "
HOLD += "lock = RunLock(pathlib.Path(sys.argv[1])); print('held', flush=True); signal.pause()"


def test_the_lock_is_exclusive_until_it_is_released(tmp_path: Path) -> None:
    first = RunLock(tmp_path)
    with pytest.raises(RunHeld):
        RunLock(tmp_path)
    first.release()
    RunLock(tmp_path).release()


def test_the_holder_is_named(tmp_path: Path) -> None:
    (tmp_path / "run.lock").write_text("a much longer line that an earlier holder left behind " * 3)
    lock = RunLock(tmp_path)
    holder = f"process {os.getpid()} on {socket.gethostname()}"
    assert (tmp_path / "run.lock").read_text() == holder + "\n"
    with pytest.raises(RunHeld, match=f"{tmp_path}: this run is being written by {holder}"):
        RunLock(tmp_path)
    lock.release()


def test_a_folder_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "run.lock").mkdir()
    with pytest.raises(StorageError, match=f"{tmp_path}: cannot be written: Is a directory"):
        RunLock(tmp_path)


@pytest.mark.real_time
def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE)  # noqa: S603 - our own
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(RunHeld, match=f"process {holder.pid} on"):
        RunLock(tmp_path)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    RunLock(tmp_path).release()
