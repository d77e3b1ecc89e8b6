"""A server with one fixed judge reply, in a process of its own, so that its work is nobody else's."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gavelkit.simulator.server import HttpAnswer, bound_port, serve

REPLY = {
    "id": "fixed",
    "object": "chat.completion",
    "model": "fixed-not-an-llm",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "It says what the reference says.\n\nScore: 7"},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 120, "completion_tokens": 12, "total_tokens": 132},
}


@contextmanager
def fixed_server() -> Iterator[str]:
    """Its base URL, with /v1."""
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.fixed_server"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()


async def _serve() -> None:
    answer = HttpAnswer(body=json.dumps(REPLY).encode())
    server = await serve(lambda _request: answer)
    print(bound_port(server), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
