"""An endpoint that is both the model under test and its judge, and keeps what it was asked; no test is here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.makers import PREFLIGHT, chat_answer, chat_body, endpoint, prompt_of

from gavelkit.simulator.server import HttpAnswer, HttpRequest

Reply = Callable[[str], str | HttpAnswer]

ROWS = [
    {"id": f"q{n}", "question": f"What is {n} plus {n}?", "answer": f"It is {n + n}.", "context": "sums"}
    for n in range(4)
]


@dataclass
class Bench:
    """What it says as the model (`says`) and as the judge (`rates`), by the prompt; and what it was asked."""

    says: Reply = lambda prompt: f"It is {2 * int(prompt.split()[2])}."
    rates: Reply = lambda _: "4"
    url: str = ""
    asked: list[str] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    requests: list[HttpRequest] = field(default_factory=list)

    def answer(self, request: HttpRequest) -> HttpAnswer:
        """The endpoint's answer."""
        self.requests.append(request)
        if request.path.endswith("/models"):
            return chat_answer({"data": []})
        prompt = prompt_of(request)
        if prompt == PREFLIGHT:
            self.tried.append(prompt)
            reply: str | HttpAnswer = "OK"
        elif "[Question]" in prompt:
            self.judged.append(prompt)
            reply = self.rates(prompt)
        else:
            self.asked.append(prompt)
            reply = self.says(prompt)
        return reply if isinstance(reply, HttpAnswer) else chat_answer(chat_body(reply))

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What the model under test was sent."""
        sent = [json.loads(request.body) for request in self.requests if request.body]
        return [body for body in sent if body["messages"][-1]["content"] in self.asked]


@contextmanager
def running(bench: Bench) -> Iterator[Bench]:
    """The endpoint, for as long as the block lasts; `url` is without its /v1."""
    with endpoint(bench.answer) as url:
        bench.url = url.removesuffix("/v1")
        yield bench


class Echo:
    """A system of one's own: gives the answer of the example, or what it is told to give."""

    def __init__(self, name: str = "echo", process: Callable[[dict[str, Any]], Any] | None = None) -> None:
        self.name = name
        self.seen: list[dict[str, Any]] = []
        self._process = process or (lambda example: {"response": example["answer"]})

    def process(self, example: dict[str, Any]) -> dict[str, Any]:
        """Its output."""
        self.seen.append(example)
        given: dict[str, Any] = self._process(example)
        return given


class Length:
    """An evaluator of one's own; it raises for the response that it is told to dislike."""

    name = "length"

    def __init__(self, dislikes: str = "") -> None:
        self.dislikes = dislikes
        self.calls = 0

    def score(self, original: Mapping[str, Any], processed: Mapping[str, Any]) -> dict[str, float]:
        """The response's length."""
        self.calls += 1
        if self.dislikes and self.dislikes in processed["response"]:
            message = f"no figure for {original['id']}"
            raise ValueError(message)
        return {"length": float(len(processed["response"]))}
