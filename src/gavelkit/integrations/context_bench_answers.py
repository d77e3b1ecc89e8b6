"""context-bench's systems as systems of a run: their own code is called, and what it gives is kept as a reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError
from gavelkit.core.example import Example
from gavelkit.core.failure import FailureKind
from gavelkit.core.identity import canonical
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.protocols import Engine
from gavelkit.core.threads import in_thread
from gavelkit.engines import Ceiling
from gavelkit.integrations.context_bench_identity import identity_of
from gavelkit.integrations.context_bench_rows import System as BenchSystem
from gavelkit.integrations.context_bench_systems import Answer, OpenAIProxy
from gavelkit.reports.wellformed import plain_json
from gavelkit.systems import System

Originals = Mapping[str, Mapping[str, Any]]
"""The rows as they were given, by the id that the run knows them by."""

OBJECT: Final = "object"
"""The finish reason of a reply that is JSON, since a system gave more than a response."""
_TOKENS: Final = ("prompt_tokens", "completion_tokens", "total_tokens")
_MOST: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Answering(System):
    """A system that notes each answer, in its own shape, for those who score it.

    A failure holds for all of them: otherwise each would have the system tried again, and one row would have scores of
    some and none of the others.
    """

    answers: dict[tuple[str, str], Completion] = field(default_factory=dict)
    """By the system's name and the example's id."""
    failures: dict[tuple[str, str], CallError] = field(default_factory=dict)
    """Likewise, of this start alone: the next one tries again."""

    async def answer(self, request: Request) -> Completion:
        """Its reply. Raises CallError or NotYet."""
        asked = self.name, request.labels.example_id
        if asked in self.failures:
            raise self.failures[asked]
        try:
            completion = self.answers[asked] = await self.engine.complete(request)
        except CallError as error:
            self.failures[asked] = error
            raise
        return completion


def answering(systems: Sequence[BenchSystem], originals: Originals, *, workers: int) -> tuple[Answering, ...]:
    """Systems of a run that share their answers and `workers` places; a system's code runs in a thread."""
    engine: Engine = Ceiling(_Processing({system.name: system for system in systems}, originals), workers)
    answers: dict[tuple[str, str], Completion] = {}
    failures: dict[tuple[str, str], CallError] = {}

    def asked(example: Example) -> tuple[Message, ...]:
        return (Message("user", canonical(plain_json(originals[example.id]))),)

    return tuple(
        Answering(
            name=system.name,
            asked=asked,
            parameters=_parameters(system),
            engine=engine,
            probes=system.probes if isinstance(system, OpenAIProxy) else (),
            answers=answers,
            failures=failures,
        )
        for system in systems
    )


class _Processing:
    """An engine that calls the code of the system that a request names, on the example that it names."""

    def __init__(self, systems: Mapping[str, BenchSystem], originals: Originals) -> None:
        self._systems = systems
        self._originals = originals

    async def complete(self, request: Request) -> Completion:
        """What the system gives. Raises CallError."""
        (name,) = request.labels.systems
        system, example = self._systems[name], dict(self._originals[request.labels.example_id])
        try:
            return completion_of(await self._answer(system, example))
        except CallError:
            raise
        except Exception as error:
            if isinstance(error.__cause__, CallError):
                raise error.__cause__ from None
            message = f"{type(error).__name__}: {error}"
            raise CallError(FailureKind.INTERNAL, message) from error

    async def _answer(self, system: BenchSystem, example: dict[str, Any]) -> Answer:
        if isinstance(system, OpenAIProxy) and _is_its_own(system):
            return await system.answer(example)
        began = perf_counter()
        processed = await in_thread(_processed, system, example)
        return Answer(processed, perf_counter() - began)


def _is_its_own(system: OpenAIProxy) -> bool:
    """Whether nobody changed how it answers, so that it can be awaited without a thread."""
    names = ("process", "process_conversation")
    return not any(name in vars(system) or getattr(type(system), name) is not vars(OpenAIProxy)[name] for name in names)


def _processed(system: BenchSystem, example: dict[str, Any]) -> dict[str, Any]:
    """What its code gives: `process_conversation` of an example of several turns where it has that, else `process`."""
    converse = getattr(system, "process_conversation", None)
    if not (example.get("multi_turn") and "turns" in example and converse is not None):
        return system.process(example)
    given = converse(example["turns"])
    return dict(given) if isinstance(given, Mapping) else conversed(given)


def conversed(messages: Sequence[Any]) -> dict[str, Any]:
    """A conversation as an output: the assistant's last message is the `response`, all are `turn_responses`."""
    responses = [each["content"] for each in messages if each["role"] == "assistant"]
    return {"response": responses[-1] if responses else "", "turn_responses": responses}


def completion_of(answer: Answer) -> Completion:
    """An output as a reply, so that `processed_of` gives it again: a bare response as its text, any other as JSON.

    Raises CallError where it is no mapping.
    """
    processed = answer.processed
    if not isinstance(processed, Mapping):
        message = f"process must return a dict with the response, and not {type(processed).__name__}"
        raise CallError(FailureKind.DECODE, message, retryable=False)
    usage = _usage(processed.get("api_usage"))
    seconds, attempts = answer.seconds, answer.requests
    text = processed.get("response")
    if isinstance(text, str):
        bare = Completion(text, finish_reason="stop", usage=usage, seconds=seconds, attempts=attempts)
        if processed_of(bare) == processed:
            return bare
    whole = json.dumps(processed, default=str)
    return Completion(whole, finish_reason=OBJECT, usage=usage, seconds=seconds, attempts=attempts)


def processed_of(completion: Completion) -> dict[str, Any]:
    """The output that a reply was kept of; what JSON does not know is its text."""
    if completion.finish_reason == OBJECT:
        return dict(json.loads(completion.text))
    prompt, written = completion.usage.prompt_tokens, completion.usage.completion_tokens
    if prompt is None or written is None:
        return {"response": completion.text}
    counts = dict(zip(_TOKENS, (prompt, written, prompt + written), strict=True))
    return {"response": completion.text, "api_usage": counts}


def _usage(told: Any) -> Usage:
    counts = told if isinstance(told, Mapping) else {}
    return Usage(*(_count(counts.get(name)) for name in _TOKENS[:2]))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None


def _parameters(system: BenchSystem) -> Parameters:
    """What tells the questions to one system from those to another: the record keeps replies by these."""
    if isinstance(system, OpenAIProxy):
        return Parameters(system.model, {**identity_of(system), **system.identity})
    return Parameters(type(system).__qualname__, identity_of(system))
