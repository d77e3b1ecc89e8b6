"""`make bench`: every benchmark, one after the other."""

from __future__ import annotations

import subprocess
import sys

SCRIPTS = (
    ("benchmarks.startup", []),
    ("benchmarks.intervals", []),
    ("benchmarks.storm", []),
    ("benchmarks.http_clients", []),
    ("benchmarks.pipeline", ["--count", "20000", "200000"]),
)


def main() -> int:
    for module, arguments in SCRIPTS:
        print(f"== {module.removeprefix('benchmarks.')}", flush=True)
        code = subprocess.run([sys.executable, "-m", module, *arguments], check=False).returncode
        if code:
            return code
        print(flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
