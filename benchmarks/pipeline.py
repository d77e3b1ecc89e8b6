"""The whole durable pipeline against a bare loop of the same client: rows read, rendered, called, parsed, on disk."""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fixed_server import fixed_server

IN_FLIGHT = 256


def rows_file(folder: Path, count: int) -> Path:
    """A file of `count` short rows."""
    path = folder / f"rows-{count}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            row = {
                "id": f"row-{number}",
                "question": f"What is {number} plus one?",
                "response": f"It is {number + 1}.",
                "reference": str(number + 1),
            }
            file.write(json.dumps(row) + "\n")
    return path


def bare(url: str, count: int) -> dict[str, float]:
    """The same requests, without anything round them."""
    from gavelkit.engines.http import HttpClient

    body = json.dumps(
        {"model": "m", "messages": [{"role": "user", "content": "x" * 1500}], "max_tokens": 1024}
    ).encode()
    headers = ["content-type: application/json"]

    async def work() -> None:
        client = HttpClient(connections=IN_FLIGHT)
        left = iter(range(count))

        async def worker() -> None:
            for _ in left:
                await client.request("POST", f"{url}/chat/completions", headers=headers, body=body, timeout=60)

        await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
        await client.aclose()

    return measured(lambda: asyncio.run(work()), count)


def pipeline(url: str, count: int, folder: Path) -> dict[str, float]:
    """`evaluate` on a file, into a run folder."""
    from gavelkit import evaluate, judge

    data = rows_file(folder, count)
    output = folder / f"run-{time.monotonic_ns()}"
    checked = judging = 0.0

    def observe(event: object) -> None:
        nonlocal checked
        if type(event).__name__ == "Planned":
            checked = time.process_time()

    began = time.process_time()
    made = judge("score_0_10", model="m", api_base=url, concurrency=IN_FLIGHT, preflight_check=False)
    found = measured(lambda: evaluate(data, made, output=output, observe=observe), count)
    judging = time.process_time() - checked
    found["check_us"] = (checked - began) / count * 1e6
    found["judging_us"] = judging / count * 1e6
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform == "linux" else 1024**2
    )
    found["disk_mb"] = sum(each.stat().st_size for each in output.iterdir()) / 1e6
    return found


def measured(work: object, count: int) -> dict[str, float]:
    """Judgments per second and CPU microseconds each."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"per_s": count / wall, "cpu_us": cpu / count * 1e6}


def child(kind: str, url: str, count: int) -> dict[str, float]:
    """One measurement in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.pipeline", "--child", kind, "--url", url, "--count", str(count)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def table(counts: list[int], runs: int) -> None:
    """Medians over several runs, the two in turn."""
    with fixed_server() as url:
        for count in counts:
            rounds = runs if count < 100_000 else 1
            pairs = [(child("bare", url, count), child("pipeline", url, count)) for _ in range(rounds)]
            print(f"{count:,} rows, {IN_FLIGHT} in flight, median of {rounds}")
            for name in ("per_s", "cpu_us"):
                low = statistics.median(bare[name] for bare, _ in pairs)
                whole = statistics.median(full[name] for _, full in pairs)
                print(f"  {name:10} bare client {low:10,.1f}   pipeline {whole:10,.1f}   ratio {whole / low:.2f}")
            for name in ("check_us", "judging_us", "peak_mb", "disk_mb"):
                print(f"  {name:10} {statistics.median(full[name] for _, full in pairs):10,.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, nargs="*", default=[20_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--child", choices=("bare", "pipeline"))
    parser.add_argument("--url")
    options = parser.parse_args()
    if options.child == "bare":
        print(json.dumps(bare(options.url, options.count[0])))
    elif options.child == "pipeline":
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(pipeline(options.url, options.count[0], Path(folder))))
    else:
        table(options.count, options.runs)


if __name__ == "__main__":
    main()
