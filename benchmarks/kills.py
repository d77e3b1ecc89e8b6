"""What a SIGKILL costs: a run is killed at random moments until it is done, then held against its promises.

python -m benchmarks.kills [--rows 2000] [--kills 20]
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from benchmarks.pipeline import rows_file

CONCURRENCY = 32
LATENCY_SECONDS = 0.2


def child(data: str, output: str, url: str) -> None:
    """The run itself; it prints each judgment that it reports as done."""
    from gavelkit import evaluate, judge
    from gavelkit.core.event import Committed, Event

    def observe(event: Event) -> None:
        if isinstance(event, Committed):
            for judgment in event.judgments:
                print(judgment.slot.example_id, flush=True)

    made = judge("score_0_10", model="m", api_base=url, concurrency=CONCURRENCY, preflight_check=False)
    print(evaluate(data, made, output=output, observe=observe), file=sys.stderr)


def killed_run(data: Path, output: Path, url: str, *, kills: int, seed: int) -> tuple[set[str], int, str]:
    """Start, kill, start again; what was reported as done, how many kills it took, and the final report."""
    dice = random.Random(seed)
    reported: set[str] = set()
    command = [sys.executable, "-m", "benchmarks.kills", "--child", str(data), str(output), url]
    for number in range(kills + 1):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        if number < kills:
            timer = threading.Timer(dice.uniform(0.3, 1.3), process.send_signal, [signal.SIGKILL])
            timer.start()
        reported.update(line.strip() for line in process.stdout)
        report = process.stderr.read() if process.stderr else ""
        if process.wait() == 0:
            return reported, number, report
    message = f"the run did not finish: {report}"
    raise RuntimeError(message)


def in_record(output: Path) -> Counter[str]:
    """The judgments on disk by example."""
    connection = sqlite3.connect(output / "run.db")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    query = "SELECT example.id FROM judgment JOIN example ON example.example = judgment.slot >> 30 WHERE status=0"
    found = Counter(identifier for (identifier,) in connection.execute(query))
    connection.close()
    return found


def asked_again(log: Path) -> int:
    """How many requests the endpoint had answered before."""
    return sum(json.loads(line)["repeat"] > 0 for line in log.read_text(encoding="utf-8").splitlines())


def measure(rows: int, kills: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, log = rows_file(folder, rows), folder / "requests.jsonl"
        script = folder / "script.yaml"
        script.write_text(f"latency: {LATENCY_SECONDS}\n", encoding="utf-8")
        gavel = [
            sys.executable,
            "-m",
            "gavelkit",
            "simulate",
            "--port",
            "0",
            "--script",
            str(script),
            "--log",
            str(log),
        ]
        server = subprocess.Popen(gavel, stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        url = next(word for word in server.stderr.readline().split() if word.startswith("http"))
        try:
            reported, taken, killed = killed_run(data, folder / "run", url, kills=kills, seed=seed)
            twice = asked_again(log)
            _, _, whole = killed_run(data, folder / "whole", url, kills=0, seed=seed)
        finally:
            server.kill()
            server.wait()
        held = in_record(folder / "run")
        print(f"{rows:,} rows, {CONCURRENCY} in flight, {taken} kills, seed {seed}")
        print(f"  reported judgments lost       {len(reported - held.keys())}")
        print(f"  judgments missing at the end  {rows - len(held)}")
        print(f"  judgments held twice          {sum(count - 1 for count in held.values())}")
        print(f"  calls made twice              {twice}   (at most {taken * 2 * CONCURRENCY})")
        print(f"  report equal to an uninterrupted run's  {killed == whole}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--child", nargs=3)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
    else:
        measure(options.rows, options.kills, options.seed)


if __name__ == "__main__":
    main()
