"""What only a real process shows: signals, pipes, terminals, full disks and folders nobody may write."""

from __future__ import annotations

import json
import os
import pty
import resource
import signal
import sqlite3
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.makers import PREFLIGHT, TEMPLATE, endpoint, prompt_of, scoring, some_rows, write_rows

from gavelkit.simulator.server import HttpAnswer, HttpRequest

ROWS = 200
pytestmark = pytest.mark.real_time


class Slow:
    """An endpoint that tells when a number of requests has come, besides those of the pre-flight."""

    def __init__(self, delay: float, after: int) -> None:
        self.requests = 0
        self.busy = threading.Event()
        self._delay, self._after = delay, after

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        if prompt_of(request) == PREFLIGHT:
            return scoring(request)
        self.requests += 1
        if self.requests >= self._after:
            self.busy.set()
        answer = scoring(request)
        return HttpAnswer(answer.status, answer.body, delay_seconds=self._delay)


@pytest.fixture
def slow() -> Slow:
    return Slow(0.05, after=20)


@pytest.fixture
def here(tmp_path: Path, slow: Slow) -> Iterator[Path]:
    """A folder with rows and a configuration for the slow endpoint."""
    write_rows(tmp_path / "answers.jsonl", some_rows(ROWS))
    with endpoint(slow) as base:
        judge = {"name": "accuracy", "prompt_template": TEMPLATE, "scale": [0, 10], "model": "m", "api_base": base}
        given = {"data": "answers.jsonl", "judges": [judge], "run": {"output": "out", "concurrency": 8}}
        (tmp_path / "judge.yaml").write_text(json.dumps(given))
        yield tmp_path


def gavel(folder: Path, *arguments: str, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "gavelkit", *arguments]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": folder, **more}
    return subprocess.Popen(command, **given)  # noqa: S603 - our own


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def judged(folder: Path) -> int:
    connection = sqlite3.connect(folder / "out" / "run.db")
    (count,) = connection.execute("SELECT COUNT(*) FROM judgment WHERE status=0").fetchone()
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    return int(count)


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 129, "the terminal was closed"),
    ],
)
def test_a_signal_keeps_what_is_in_flight_and_the_same_command_goes_on(
    here: Path, slow: Slow, number: signal.Signals, code: int, words: str
) -> None:
    process = gavel(here, "run", "judge.yaml", "--json")
    assert slow.busy.wait(20)
    process.send_signal(number)
    found, out, err = ended(process)
    assert found == code
    assert "finishing what is in flight; once more to stop at once" in err
    assert f"gavel: {words}" in err
    assert "to go on: gavel run judge.yaml --json" in err
    assert "Traceback" not in err
    assert judged(here) == slow.requests < ROWS
    assert json.loads(out)["pending"] == ROWS - slow.requests
    code, out, _ = ended(gavel(here, "run", "judge.yaml", "--json"))
    assert (code, json.loads(out)["finished"], slow.requests) == (0, True, ROWS)


def test_a_second_signal_ends_at_once_and_harms_nothing(here: Path, slow: Slow) -> None:
    slow._delay = 20.0
    slow._after = 8
    process = gavel(here, "run", "judge.yaml")
    assert slow.busy.wait(20)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "finishing what is in flight" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    process.communicate()
    assert judged(here) == 0


@pytest.mark.parametrize("streams", ["stdout", "both"])
def test_a_reader_that_goes_away_stops_no_run_and_leaves_no_traceback(here: Path, slow: Slow, streams: str) -> None:
    slow._delay = 0.0
    closed, writing = os.pipe()
    os.close(closed)
    both: dict[str, Any] = {"stderr": writing} if streams == "both" else {}
    process = gavel(here, "run", "judge.yaml", stdout=writing, **both)
    os.close(writing)
    code, _, err = ended(process)
    assert code == 0
    assert "Traceback" not in (err or "")
    assert "Exception ignored" not in (err or "")
    assert judged(here) == ROWS


def test_only_the_head_of_a_list_is_read() -> None:
    command = f"{sys.executable} -m gavelkit list judges | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=30, check=True)  # noqa: S602 - a pipe is the point
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


def test_on_a_terminal_there_is_a_bar(here: Path, slow: Slow) -> None:
    slow._delay = 0.005
    outer, inner = pty.openpty()
    termios.tcsetwinsize(inner, (24, 100))
    process = gavel(here, "run", "judge.yaml", stderr=inner)
    os.close(inner)
    seen = b"".join(iter(lambda: read(outer), b""))
    assert process.wait(30) == 0
    assert process.stdout is not None
    process.stdout.close()
    os.close(outer)
    assert b"200/200" in seen
    assert b"judgment/s" in seen


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is gone
        return b""


def limited(size: int) -> Callable[[], None]:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_full_disk_ends_with_five_and_the_same_command_then_completes(here: Path, slow: Slow) -> None:
    slow._delay = 0.0
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    code, out, err = ended(gavel(here, "run", "judge.yaml", preexec_fn=limited(120_000), env=unmeasured))
    assert (code, out) == (5, "")
    assert "out/run.db" in err
    assert "to go on: gavel run judge.yaml" in err
    assert "Traceback" not in err
    before, asked = judged(here), slow.requests
    assert before < ROWS
    code, out, _ = ended(gavel(here, "run", "judge.yaml", "--json"))
    assert (code, json.loads(out)["finished"]) == (0, True)
    assert slow.requests - asked <= ROWS - before


def test_a_folder_nobody_may_write_ends_with_five_before_any_call(here: Path, slow: Slow) -> None:
    (here / "out").mkdir()
    script = 'mount --bind out out && mount -o remount,ro,bind out && exec "$@"'
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"]
    process = subprocess.run(  # noqa: S603 - our own
        [*command, sys.executable, "-m", "gavelkit", "run", "judge.yaml"],
        cwd=here,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    if "unshare" in process.stderr or "mount:" in process.stderr:
        pytest.skip("no mount of our own here")
    assert process.returncode == 5
    assert "out: cannot be written: Read-only file system" in process.stderr
    assert slow.requests == 0


def test_a_run_held_by_another_process_is_left_alone_and_named(here: Path, slow: Slow) -> None:
    slow._delay = 0.3
    first = gavel(here, "run", "judge.yaml", "--json")
    assert slow.busy.wait(20)
    code, out, err = ended(gavel(here, "run", "judge.yaml"))
    assert (code, out) == (5, "")
    assert f"out: this run is being written by process {first.pid} on " in err
    assert "unfinished: " in ended(gavel(here, "report", "out"))[1]
    first.send_signal(signal.SIGINT)
    assert ended(first)[0] == 130
    assert judged(here) == slow.requests
