"""A run that is killed again and again: what it said was done is on disk, and it ends as if nothing had happened."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from tests.makers import PREFLIGHT, TEMPLATE, asked_about, endpoint, prompt_of, scoring, some_rows, write_rows

from gavelkit.reports import report_json
from gavelkit.run.conclude import conclude
from gavelkit.simulator.server import HttpAnswer, HttpRequest

ROWS, CONCURRENCY, KILLS = 300, 8, 3
CHILD = """
import sys
import gavelkit
from gavelkit.core.event import Committed

def tell(event):
    if isinstance(event, Committed):
        for judgment in event.judgments:
            print(judgment.slot.example_id, flush=True)

settings = {"scale": (0, 10), "model": "m", "api_base": sys.argv[4], "concurrency": int(sys.argv[5])}
judge = gavelkit.judge(prompt_template=sys.argv[3], name="accuracy", **settings)
gavelkit.evaluate(sys.argv[1], judge, output=sys.argv[2], observe=tell)
"""


class Endpoint:
    """Scores rows, slowly enough to be killed on the way, and counts how often each was asked about."""

    def __init__(self, delay: float) -> None:
        self.asked: Counter[int] = Counter()
        self._delay = delay

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        if prompt_of(request) != PREFLIGHT:
            self.asked[asked_about(prompt_of(request))] += 1
        answer = scoring(request)
        return HttpAnswer(answer.status, answer.body, delay_seconds=self._delay)


class Child:
    """A process that judges, and the rows it said were done."""

    def __init__(self, data: Path, folder: Path, base: str) -> None:
        command = [sys.executable, "-c", CHILD, str(data), str(folder), TEMPLATE, base, str(CONCURRENCY)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
        self.done: list[str] = []
        self.enough = threading.Event()
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith("\n"):
                self.done.append(line.strip())
            if len(self.done) >= 60:
                self.enough.set()

    def end(self) -> int:
        code = self.process.wait(60)
        self._reading.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def held(folder: Path) -> list[str]:
    connection = sqlite3.connect(folder / "run.db")
    query = "SELECT example.id FROM judgment JOIN example ON example.example = slot >> 30 WHERE status = 0"
    found = [row[0] for row in connection.execute(query)]
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    return found


@pytest.mark.real_time
def test_three_kills_lose_nothing_that_was_reported_and_change_no_metric(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "answers.jsonl", some_rows(ROWS))
    killed, whole = Endpoint(0.01), Endpoint(0.0)
    with endpoint(killed) as base:
        for _ in range(KILLS):
            child = Child(data, tmp_path / "killed", base)
            assert child.enough.wait(30)
            child.process.send_signal(signal.SIGKILL)
            assert child.end() == -signal.SIGKILL
            on_disk = held(tmp_path / "killed")
            assert set(child.done) <= set(on_disk)
            assert len(on_disk) == len(set(on_disk))
        last = Child(data, tmp_path / "killed", base)
        assert last.end() == 0
    with endpoint(whole) as base:
        assert Child(data, tmp_path / "whole", base).end() == 0
    assert sorted(killed.asked) == sorted(whole.asked) == list(range(1, ROWS + 1))
    assert killed.asked.total() - ROWS <= KILLS * 2 * CONCURRENCY
    assert whole.asked.total() == ROWS
    reports = [json.loads(report_json(conclude(tmp_path / name))) for name in ("killed", "whole")]
    for report in reports:
        del report["folder"]
    assert reports[0] == reports[1]
