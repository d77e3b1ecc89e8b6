"""How long `import gavelkit` and `gavel --help` take, as ratios to a bare interpreter, in turn, medians."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from pathlib import Path

RUNS = 15
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import gavelkit": [sys.executable, "-c", "import gavelkit"],
    "gavel --help": [str(Path(sys.executable).with_name("gavel")), "--help"],
    "gavel list judges": [str(Path(sys.executable).with_name("gavel")), "list", "judges"],
}


def seconds(command: list[str]) -> float:
    """The CPU time of one process, so that a busy machine counts less."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, command in COMMANDS.items():
            found[name].append(seconds(command))
    bare = statistics.median(found["python -c pass"])
    print(f"start-up, CPU seconds, median of {RUNS}")
    for name, values in found.items():
        middle = statistics.median(values)
        print(f"  {name:20} {middle:.3f}   {middle / bare:4.1f}x a bare interpreter")


if __name__ == "__main__":
    main()
