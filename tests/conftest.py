"""What all tests share: an empty environment, a network that ends at loopback, and where the real data lies."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("gavelkit", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("gavelkit")

_SURROUNDINGS = ("LLM_JUDGE_", "LOGLEVEL", "OPENAI_", "GAVEL_TRACEBACK", "GITHUB_ACTIONS")


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, endpoint or proxy of whoever runs the tests reaches a test."""
    for name in tuple(os.environ):
        if name.startswith(_SURROUNDINGS) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setattr("urllib.request._opener", None)  # it keeps the proxies that it found at its first call


@pytest.fixture(autouse=True)
def _shut_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets of Python reach loopback alone. libcurl opens its own, which this cannot see."""
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))


def _guarded(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in {socket.AF_INET, socket.AF_INET6} and not _is_loopback(address[0]):
            message = f"a test reached for {address[0]}; only loopback is open"
            raise AssertionError(message)
        return connect(self, address)

    return guarded


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real judge data: `GAVEL_TEST_DATA`, else `shared/data` beside the clone."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GAVEL_TEST_DATA") or beside)
    if not folder.is_dir():
        pytest.skip(f"no test data in {folder}; set GAVEL_TEST_DATA")
    return folder
