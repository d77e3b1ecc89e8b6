"""Requests, rows, judges and endpoints as small as a test needs; no test is here."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gavelkit
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.judges import Direct, Pairwise
from gavelkit.simulator.server import Handler, HttpAnswer, HttpRequest, serving

PREFLIGHT = "Reply with OK."
TEMPLATE = "Rate this.\nQ: {{ question }}\nA: {{ response }}"


def a_request(prompt: str = "Hello", *, repeat: int = 0, labels: Labels | None = None, **values: object) -> Request:
    return Request(
        (Message("user", prompt),), Parameters("m", values), repeat, labels or Labels("1", "accuracy", ("",), "judge")
    )


def some_rows(count: int, *, first: int = 1) -> list[dict[str, Any]]:
    return [
        {"id": f"r{n}", "question": f"What is {n}?", "response": f"It is {n}."} for n in range(first, first + count)
    ]


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def a_judge(function: Any, name: str = "accuracy", **settings: Any) -> Direct:
    """A judge on 0 to 10 that never waits before another try."""
    given: dict[str, Any] = {"prompt_template": TEMPLATE, "scale": (0, 10), "concurrency": 4, "retry_attempts": 0}
    return direct(function=function, name=name, **{**given, **settings})


def direct(preset: str | None = None, **settings: Any) -> Direct:
    """A judge of one step, as `gavelkit.judge` makes it."""
    made = gavelkit.judge(preset, **settings)
    assert isinstance(made, Direct)
    return made


def an_arena(function: Any, name: str = "arena", **settings: Any) -> Pairwise:
    """A judge of pairs with one short prompt, which names both responses."""
    template = "Which is right?\nA: {{ response_a }}\nB: {{ response_b }}"
    given: dict[str, Any] = {"prompt_template": template, "criterion": "Is it right?", "retry_attempts": 0}
    made = gavelkit.judge(function=function, name=name, mode="pairwise", **{**given, **settings})
    assert isinstance(made, Pairwise)
    return made


def rows_of_systems(count: int, systems: Sequence[str] = ("good", "bad")) -> list[dict[str, Any]]:
    """Rows in which each system answers with its own name."""
    return [
        {"id": f"r{n}", "question": "?", "outputs": [{"id": name, "output": name} for name in systems]}
        for n in range(1, count + 1)
    ]


def better(prompt: str) -> str:
    """Names the response of an arena's prompt that comes later in the alphabet: `good` beats `bad`."""
    first, second = (prompt.partition(f"{each}: ")[2].partition("\n")[0] for each in "AB")
    return "Tie" if first == second else "Response A" if first > second else "Response B"


def asked_about(prompt: str) -> int:
    """The number of the row that a prompt of `TEMPLATE` asks about."""
    return int(prompt.partition("What is ")[2].partition("?")[0])


class Counting:
    """A judge's function: scores a row by its number and keeps what it was asked, in order."""

    def __init__(self, reply: Callable[[str], str] | None = None) -> None:
        self.prompts: list[str] = []
        self._reply = reply or (lambda prompt: f"Fine.\nScore: {asked_about(prompt) % 11}")

    async def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        await asyncio.sleep(0)
        return self._reply(prompt)


def chat_body(text: str | None, **message: object) -> dict[str, Any]:
    return {
        "model": "m-2026",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }


def chat_answer(
    body: object, *, status: int = 200, headers: Mapping[str, str] | None = None, delay: float = 0.0
) -> HttpAnswer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return HttpAnswer(status, data, tuple((headers or {}).items()), delay_seconds=delay)


def prompt_of(request: HttpRequest) -> str:
    """The user's message in a request for a chat completion."""
    return str(json.loads(request.body)["messages"][-1]["content"])


def scoring(request: HttpRequest) -> HttpAnswer:
    """The endpoint's answer to a prompt of `TEMPLATE`: the row's number as its score; and to the pre-flight."""
    if prompt_of(request) == PREFLIGHT:
        return chat_answer(chat_body("OK"))
    return chat_answer(chat_body(f"Fine.\nScore: {asked_about(prompt_of(request)) % 11}"))


@contextmanager
def endpoint(handler: Handler) -> Iterator[str]:
    """An endpoint on a thread and a loop of its own; gives its base URL."""
    ready: threading.Event = threading.Event()
    state: dict[str, Any] = {}

    async def serve() -> None:
        state["loop"], state["stop"] = asyncio.get_running_loop(), asyncio.Event()
        async with serving(handler) as port:
            state["port"] = port
            ready.set()
            await state["stop"].wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    ready.wait(10)
    try:
        yield f"http://127.0.0.1:{state['port']}/v1"
    finally:
        state["loop"].call_soon_threadsafe(state["stop"].set)
        thread.join()


def a_contest(
    example_id: str, systems: tuple[str, str] = ("A", "B"), readings: str = "A", *, repeat: int = 0
) -> Judgment:
    """A contest by its readings, each A, B or t(ie) by the slot's order; two that differ are a tie, none a failure."""
    slot = Slot("arena", example_id, systems, repeat)
    if not readings:
        return Judgment(slot, Status.PARSE_ERROR)
    winners = ["tie" if each == "t" else each for each in readings]
    final = winners[0] if len(set(winners)) == 1 else "tie"
    grade = Grade(final, parts=dict(zip(("selection", "positional_bias_selection"), winners, strict=False)))
    bias = len(set(winners)) > 1 if len(winners) > 1 else None
    score = {"A": 1.0, "B": 0.0, "tie": 0.5}[final]
    return Judgment(slot, Status.OK, score, grade, position_bias=bias)
