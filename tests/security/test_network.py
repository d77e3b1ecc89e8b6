"""Which files of ours can reach a network at all."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "gavelkit"
NETWORK = {"aiohttp", "ftplib", "http.client", "httpx", "pycurl", "requests", "smtplib", "socket", "urllib.request"}
REACH = {
    "config/environment.py": "reads addresses in their odd forms; it opens nothing",
    "config/proxy.py": "asks which hosts no proxy is for; it opens nothing",
    "engines/curl_failure.py": "names libcurl's errors",
    "engines/curl_loop.py": "drives libcurl on the event loop",
    "engines/http.py": "makes the calls to the endpoint",
    "integrations/context_bench.py": "posts to the judge by the standard library, as its users expect",
    "simulator/connection.py": "serves on loopback",
    "storage/lock.py": "writes the host's name into a run's lock",
}
"""The files that import what can reach a network, and why."""


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_nothing_but_the_calls_to_an_endpoint_can_reach_a_network() -> None:
    users = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if imported(path) & NETWORK}
    assert users == REACH.keys()
