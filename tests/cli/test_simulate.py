"""`gavel simulate`: an endpoint that is no LLM, until it is interrupted."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Gavel, configure, judged


@pytest.mark.real_time
def test_it_serves_until_interrupted_and_says_what_it_served(gavel: Gavel, here: Path) -> None:
    command = [sys.executable, "-m", "gavelkit", "simulate", "--port", "0", "--log", "log.jsonl"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603 - our own
    assert process.stderr is not None
    said = process.stderr.readline()
    assert said.startswith("a simulated endpoint, no LLM: http://127.0.0.1:")
    (judge,) = judged(api_base=said.split()[5], model="m")
    del judge["replies"]
    configure(here, judges=[judge])
    ended = gavel("run", "judge.yaml", "--json", "--max-error-rate", "1", "--preflight-check", "false")
    assert ended.json["planned"] == 10
    process.send_signal(signal.SIGINT)
    assert "10 requests answered, at most " in process.stderr.read()
    assert process.wait(10) == 0
    process.stderr.close()
    assert len((here / "log.jsonl").read_text().splitlines()) == 10


def test_a_port_in_use_is_told(gavel: Gavel) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = gavel("simulate", "--port", str(port))
    assert ended.code == 2
    assert f"gavel: port {port} cannot be used" in ended.err


def test_a_key_that_is_not_there_and_a_script_that_is_none_are_refused(gavel: Gavel, here: Path) -> None:
    ended = gavel("simulate", "--key-variable", "NOWHERE")
    assert (ended.code, ended.err) == (
        2,
        "gavel: --key-variable: the environment variable NOWHERE is not set\n",
    )
    assert gavel("simulate", "--script", "none.yaml").code == 2


def test_a_key_is_demanded(gavel: Gavel, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []
    monkeypatch.setenv("MY_KEY", "sk-1")

    def serve(simulator: object, **_: object) -> None:
        given.append(simulator)
        raise KeyboardInterrupt

    monkeypatch.setattr("gavelkit.cli.simulate.serve_forever", serve)
    ended = gavel("simulate", "--key-variable", "MY_KEY")
    assert (ended.code, len(given)) == (0, 1)
    assert "0 requests answered" in ended.err
