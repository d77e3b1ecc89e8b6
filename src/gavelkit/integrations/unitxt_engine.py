"""What answers for unitxt's classes: an engine of ours, a function, an endpoint, or an object with unitxt's `infer`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from gavelkit.config.assemble import JudgeSettings, judge
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, ConfigError
from gavelkit.core.failure import Failure
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.probe import Probe
from gavelkit.core.protocols import Engine
from gavelkit.engines import BatchedEngine, CallableEngine, Ceiling, Retrying, RetryPolicy, SystemClock, batched_engine
from gavelkit.integrations.unitxt_error import unitxt_error
from gavelkit.judges import Direct
from gavelkit.run import on_loop

LABEL = "gavelkit"
"""The label of an engine that has none of its own."""

CONCURRENCY = 32


class Endpoint:
    """A model behind an OpenAI-compatible endpoint, by the settings of any judge: `model`, `api_base`, `temperature`.

    Keys come from the same variables, and defaults are the same but for temperature, which is 0. Raises ConfigError.
    """

    label = LABEL

    def __init__(self, **settings: Unpack[JudgeSettings]) -> None:
        given: dict[str, Any] = {"temperature": 0.0, **settings, "prompt_template": "{{ response }}"}
        made = judge(None, **given)
        if not isinstance(made, Direct):
            message = "an Endpoint takes the settings of a model alone; criteria and ways of judging are the metric's"
            raise ConfigError(message)
        self.model = made.parameters.model
        self.concurrency = made.limits.concurrency
        self.parameters = made.parameters
        self.probes = made.probes
        self._engine = made.engine

    async def complete(self, request: Request) -> Completion:
        """The endpoint's reply. Raises CallError."""
        return await self._engine.complete(request)


@dataclass(frozen=True, slots=True)
class Reached:
    """What answers, what every request asks of it, how it is tried before a run, and how many calls it takes."""

    engine: Engine
    parameters: Parameters
    probes: tuple[Probe, ...] = ()
    concurrency: int = CONCURRENCY


class Inferring:
    """unitxt's `infer` as an engine of whole batches.

    Each item of the batch has the messages as `source`, and the `task_data` of its instance. What it returns for an
    item, a text, is the reply; anything else is a failed call.
    """

    def __init__(self, inference_engine: Any, rows: Mapping[str, Any], policy: Sequence[str] | None) -> None:
        self._infer = inference_engine.infer
        self._rows = rows
        self._policy = {} if policy is None else {"data_classification_policy": list(policy)}
        self.__qualname__ = f"{type(inference_engine).__name__}.infer"

    def __call__(self, requests: Sequence[Request]) -> list[Any]:
        """One reply to each request, in the same order."""
        return list(self._infer([self._item(request) for request in requests]))

    def _item(self, request: Request) -> dict[str, Any]:
        row = self._rows.get(request.labels.example_id, {})
        return {"source": as_dicts(request.messages), "task_data": dict(row), **self._policy}


def check_engine(given: Any) -> None:
    """Raises UnitxtError where it is nothing that answers."""
    if not (callable(given) or any(hasattr(given, name) for name in ("infer", "complete", "complete_all"))):
        message = (
            f"inference_engine must be an engine of gavelkit's, a function from prompt to text, or an object with "
            f"infer(dataset), not {given!r}"
        )
        raise unitxt_error(message)


def reach(given: Any, rows: Mapping[str, Any], policy: Sequence[str] | None) -> Reached:
    """The engine, tried again and bounded as a judge's are. `rows` are the task data by the example's id."""
    check_engine(given)
    if isinstance(given, Endpoint):
        return Reached(given, given.parameters, given.probes, given.concurrency)
    parameters = Parameters(model_name(given))
    if hasattr(given, "infer"):
        return Reached(BatchedEngine(Inferring(given, rows, policy)), parameters)
    batched = batched_engine(given)
    if batched is not None:
        return Reached(batched, parameters)
    inner: Engine = given if hasattr(given, "complete") else CallableEngine(given)
    if isinstance(inner, Retrying):
        return Reached(inner, parameters)
    return Reached(Retrying(Ceiling(inner, CONCURRENCY), RetryPolicy(), clock=SystemClock()), parameters)


def ask_all(reached: Reached, conversations: Sequence[Sequence[Message]]) -> list[Completion | Failure]:
    """One answer to each conversation, in the same order; one batch where the engine takes batches."""
    requests = [Request(tuple(messages), reached.parameters) for messages in conversations]
    return on_loop(_answers(reached.engine, requests))


async def _answers(engine: Engine, requests: Sequence[Request]) -> list[Completion | Failure]:
    batched = batched_engine(engine)
    if batched is not None:
        return await batched.complete_all(requests)
    return await asyncio.gather(*(_answer(engine, request) for request in requests))


async def _answer(engine: Engine, request: Request) -> Completion | Failure:
    try:
        return await engine.complete(request)
    except CallError as error:
        return error.failure


def label_of(given: Any) -> str:
    """What the engine calls itself."""
    label = getattr(given, "label", None)
    return label if isinstance(label, str) and label else LABEL


def engine_id(given: Any) -> str:
    """The engine's own id; else the last part of its model's name, in lower case with `_` for `-` and `,` for `.`,
    and its label.
    """
    own = getattr(given, "get_engine_id", None)
    if own is not None:
        return str(own())
    name = model_name(given).rpartition("/")[2].replace("-", "_").replace(".", ",").lower()
    return f"{name}_{label_of(given)}"


def model_name(given: Any) -> str:
    """The model the engine names; else the function's name, or the class's."""
    for name in ("model_name", "model", "__name__"):
        value = getattr(given, name, None)
        if isinstance(value, str) and value:
            return "function" if value == "<lambda>" else value
    return type(given).__name__


def as_dicts(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Messages as prompts show them."""
    return [{"role": message.role, "content": message.content} for message in messages]
