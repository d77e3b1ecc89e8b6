"""What a run makes of its own surroundings: clocks set back, slow disks, readers, few descriptors, many rows."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.makers import TEMPLATE, Counting, a_judge, endpoint, scoring, some_rows, write_rows

import gavelkit
from gavelkit.core.event import Committed, Event
from gavelkit.run import on_loop
from gavelkit.simulator.server import HttpAnswer, HttpRequest
from gavelkit.storage import RunReader, open_reader
from gavelkit.storage.writer import Batch, Writer

from .conftest import Bench, expect

SYNCED = """
import sys
import gavelkit
from gavelkit.core.event import Committed

def tell(event):
    if isinstance(event, Committed):
        print(len(event.judgments), flush=True)

rows = [{"id": n, "question": f"What is {n}?", "response": "x"} for n in range(20)]
judge = gavelkit.judge(function=lambda prompt: "Score: 5", prompt_template="{{ question }}", concurrency=1)
gavelkit.evaluate(rows, judge, output=sys.argv[1], observe=tell)
"""


@pytest.mark.real_time
def test_each_commit_that_is_told_was_forced_to_disk(tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("no strace here")
    trace = tmp_path / "trace"
    command = [strace, "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", str(trace), sys.executable, "-c", SYNCED]
    ended = subprocess.run(  # noqa: S603 - our own
        [*command, str(tmp_path / "out")], capture_output=True, text=True, timeout=60, check=False
    )
    if "ptrace" in ended.stderr:
        pytest.skip("strace may not trace here")
    told = [int(line) for line in ended.stdout.split()]
    assert (ended.returncode, sum(told)) == (0, 20), ended.stderr
    syncs = [line for line in trace.read_text().splitlines() if "run.db-wal" in line]
    assert len(syncs) >= len(told)
    assert f"<{tmp_path / 'out'}>" in trace.read_text()  # the folder itself, in which the file was made


def test_a_clock_that_is_set_back_moves_no_wait_and_loses_no_order(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() - 3600 * len(bench.clock.waits))
    monkeypatch.setattr(bench.clock, "utc", lambda: f"20{26 - len(bench.clock.waits)}-01-01T00:00:00.000+00:00")
    outcome = bench.run(500, scoring, 500, scoring, rows=10)
    expect(outcome, {"ok": 10}, requests=12, waited=(2.0, 4.0))
    assert [judgment.slot.example_id for judgment in outcome.judgments] == [f"r{n}" for n in range(1, 11)]
    assert bench.run(rows=10).requests == 0


def test_rows_in_another_order_are_not_asked_about_again(bench: Bench) -> None:
    rows = some_rows(30)
    first = bench.run(rows=rows)
    again = bench.run(rows=rows[::-1])
    assert again.requests == 0
    assert first.report is not None
    assert again.report is not None
    assert again.report.metrics == first.report.metrics


def test_a_reader_that_stays_open_keeps_no_log_growing(tmp_path: Path) -> None:
    text = "Because. " * 1200 + "\nScore: 5"
    readers: list[RunReader] = []
    sizes: list[int] = []

    def observe(event: Event) -> None:
        if isinstance(event, Committed):
            if not readers:
                readers.append(open_reader(tmp_path))
            assert readers[0].totals()["accuracy"].calls > 0
            sizes.append((tmp_path / "run.db-wal").stat().st_size)

    judge = a_judge(Counting(lambda _: text), concurrency=16)
    try:
        report = gavelkit.evaluate(some_rows(2000), judge, output=tmp_path, observe=observe)
        assert len(list(readers[0].entries())) == 2000
    finally:
        readers[0].close()
    assert report.finished
    assert (tmp_path / "run.db").stat().st_size > 20_000_000
    assert max(sizes) < 10_000_000


class NoLog(sqlite3.Connection):
    """A database on a file system where no write-ahead log can be kept."""

    def execute(self, statement: str, *given: Any) -> sqlite3.Cursor:
        return super().execute(statement.replace("journal_mode=WAL", "journal_mode=DELETE"), *given)


def test_a_disk_without_a_write_ahead_log_is_remarked_upon_and_the_run_is_kept(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **named: connect(*given, **{"factory": NoLog, **named}))
    outcome = bench.run(rows=20)
    expect(outcome, {"ok": 20}, requests=20)
    assert outcome.notices.count("write-ahead log") == 1
    assert bench.run(rows=20).requests == 0


async def _lag(work: Any, worst: list[float]) -> Any:
    """The work's result; `worst` gets the longest time for which the loop let nobody else go on."""
    working = asyncio.create_task(work)
    longest = 0.0
    while not working.done():
        began = time.perf_counter()
        await asyncio.sleep(0.002)
        longest = max(longest, time.perf_counter() - began - 0.002)
    worst.append(longest)
    return await working


@pytest.mark.real_time
def test_a_disk_that_takes_long_to_sync_never_holds_up_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best of six: a busy machine may hold up the loop as well."""
    commit, commits = Writer._commit, 0

    def slowly(writer: Writer, batch: Batch) -> None:
        nonlocal commits
        commits += 1
        time.sleep(0.15)
        commit(writer, batch)

    monkeypatch.setattr(Writer, "_commit", slowly)
    worst: list[float] = []
    while len(worst) < 6 and min(worst, default=1.0) >= 0.05:
        judge = a_judge(Counting(), concurrency=8)
        work = gavelkit.evaluate_async(some_rows(60), judge, output=tmp_path / str(len(worst)))
        assert on_loop(_lag(work, worst)).finished
    assert commits >= 2
    assert min(worst) < 0.05


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


@pytest.mark.real_time
def test_with_few_descriptors_fewer_calls_are_made_at_once_and_none_fails(tmp_path: Path) -> None:
    def slow(request: HttpRequest) -> HttpAnswer:
        answer = scoring(request)
        return HttpAnswer(answer.status, answer.body, delay_seconds=0.05)

    write_rows(tmp_path / "answers.jsonl", some_rows(300))
    with endpoint(slow) as base:
        judge = {"name": "accuracy", "prompt_template": TEMPLATE, "scale": [0, 10], "model": "m", "api_base": base}
        run = {"output": "out", "concurrency": 512, "retry_attempts": 0}
        (tmp_path / "judge.yaml").write_text(json.dumps({"data": "answers.jsonl", "judges": [judge], "run": run}))
        unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        ended = subprocess.run(
            [sys.executable, "-m", "gavelkit", "run", "judge.yaml", "--json"],
            cwd=tmp_path,
            env=unmeasured,
            preexec_fn=few_descriptors,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["judges"][0]["counts"]["ok"] == 300
    assert "concurrency" in ended.stderr


async def _five(prompt: str) -> str:
    await asyncio.sleep(0)
    return "Score: 5"


def _peak(count: int, folder: Path) -> int:
    def rows() -> Iterator[dict[str, Any]]:
        for n in range(count):
            yield {"id": f"r{n}", "question": f"What is {n}?", "response": f"{n} " + "x" * 1000}

    tracemalloc.start()
    try:
        gavelkit.evaluate(rows(), a_judge(_five), output=folder)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_rows_judged(tmp_path: Path) -> None:
    _peak(50, tmp_path / "warm")
    few, many = _peak(200, tmp_path / "few"), _peak(1600, tmp_path / "many")
    assert many - few < 300 * 1400  # a third of what the rows alone would take
