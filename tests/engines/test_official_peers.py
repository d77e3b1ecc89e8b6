"""The two ends of the wire against what others wrote: the official client, and a LiteLLM proxy."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from openai import OpenAI

from gavelkit import evaluate, judge
from gavelkit.simulator import Script, running_simulator

ROWS = 100
KEY = "sk-0f3c9a7d51e84b62a0c4-proxy-of-the-tests"
LITELLM = os.environ.get("GAVEL_LITELLM") or shutil.which("litellm") or ""


def test_the_official_client_reads_a_hundred_replies_of_the_simulator() -> None:
    with running_simulator(Script(reply="As the reference says.\n\nScore: 8")) as simulator:
        client = OpenAI(base_url=simulator.url, api_key="none")
        replies = [
            client.chat.completions.create(
                model="judge", messages=[{"role": "user", "content": f"Score: row {number}"}]
            )
            for number in range(ROWS)
        ]
        models = [model.id for model in client.models.list()]
        client.close()
    assert {reply.choices[0].message.content for reply in replies} == {"As the reference says.\n\nScore: 8"}
    assert all(reply.usage is not None and reply.usage.prompt_tokens > 0 for reply in replies)
    assert all("not-an-llm" in reply.model for reply in replies)
    assert models


@pytest.mark.real_time
@pytest.mark.skipif(not LITELLM, reason="the litellm proxy is not installed (set GAVEL_LITELLM to its command)")
def test_a_hundred_rows_are_judged_through_a_litellm_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_JUDGE_API_KEY", KEY)
    rows = [{"question": f"What is {n}?", "response": str(n), "reference": str(n)} for n in range(ROWS)]
    with litellm_proxy(tmp_path) as url:
        report = evaluate(rows, judge("score_0_10", model="judge", api_base=url))
    metric = report.metric("score_0_10")
    assert (metric.value, metric.n, metric.failed) == (7.0, ROWS, 0)
    assert report.judges[0].calls == ROWS
    assert report.judges[0].prompt_tokens > 0


@contextmanager
def litellm_proxy(folder: Path) -> Iterator[str]:
    """A proxy with mocked replies on a free port, once it answers."""
    parameters = {"model": "openai/nobody", "api_key": "none", "mock_response": "As the reference says.\n\nScore: 7"}
    config = folder / "litellm.yaml"
    config.write_text(json.dumps({"model_list": [{"model_name": "judge", "litellm_params": parameters}]}))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [LITELLM, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)  # noqa: S603 - the proxy a tester names
    try:
        wait_until_alive(f"http://127.0.0.1:{port}/health/liveliness")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def wait_until_alive(url: str) -> None:
    for _ in range(900):
        try:
            with urllib.request.urlopen(url, timeout=1):  # noqa: S310 - loopback
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"nothing answers at {url}")
