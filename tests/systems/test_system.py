"""A model under test is asked about an example, and what shapes its responses is its identity."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from gavelkit.core.completion import Completion
from gavelkit.core.example import Example
from gavelkit.core.identity import Identity
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.protocols import Engine
from gavelkit.systems import System

EXAMPLE = Example("1", {"question": "Why?"}, {})


class Echo:
    async def complete(self, request: Request) -> Completion:
        return Completion(request.messages[-1].content.upper())


class Twice:
    def __init__(self, inner: Engine) -> None:
        self.inner = inner

    async def complete(self, request: Request) -> Completion:
        text = (await self.inner.complete(request)).text
        return Completion(text + text)


SYSTEM = System(
    "shouting", lambda example: (Message("user", example.fields["question"]),), Parameters("m", {"top_p": 1}), Echo()
)


def test_it_answers_what_it_is_asked() -> None:
    request = SYSTEM.request(EXAMPLE, repeat=2, judge="j", step="s")
    assert asyncio.run(SYSTEM.answer(request)).text == "WHY?"
    assert (request.repeat, request.labels.judge, request.labels.systems) == (2, "j", ("shouting",))


def test_its_engine_can_be_wrapped() -> None:
    request = SYSTEM.request(EXAMPLE)
    assert asyncio.run(SYSTEM.bind(Twice).answer(request)).text == "WHY?WHY?"


def test_its_identity_is_its_name_its_model_and_what_shapes_the_messages() -> None:
    others = [
        replace(SYSTEM, name="other"),
        replace(SYSTEM, parameters=Parameters("n", {"top_p": 1})),
        replace(SYSTEM, parameters=Parameters("m")),
        replace(SYSTEM, parameters=Parameters("m", {"top_p": 1}, '{"type":"json_object"}')),
        replace(SYSTEM, material=Identity({"template": "{question}"})),
    ]
    hashes = {each.asks.hash for each in [SYSTEM, *others]}
    assert len(hashes) == len(others) + 1
    assert replace(SYSTEM, engine=Twice(SYSTEM.engine)).asks.hash == SYSTEM.asks.hash
