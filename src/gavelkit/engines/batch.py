"""An engine that answers a whole batch of requests at a time: a Python function, or somebody's own engine."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, EndpointError, GavelError, NotYet
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.message import Request
from gavelkit.core.protocols import BatchEngine
from gavelkit.core.threads import in_thread

Answer = str | Completion | Failure | Exception | None
BatchFunction = Callable[[list[Request]], Iterable[Answer]] | Callable[[list[Request]], Awaitable[Iterable[Answer]]]


class BatchedEngine:
    """Hands a list of requests to a function, or to an object's `complete_all`, and checks what comes back.

    There is one answer to each request, in the same order: a text, a Completion, or what went wrong as a Failure or
    an exception; None is a failed call. A plain function runs in a thread, so it may block. Two of these engines are
    equal where they ask the same object, so that what several judges ask of it goes out together.
    """

    def __init__(self, answering: BatchEngine | BatchFunction) -> None:
        self._answering = answering
        function: Any = getattr(answering, "complete_all", answering)
        self._function: Callable[[list[Request]], Any] = function
        self.__qualname__: str = getattr(answering, "__qualname__", type(answering).__qualname__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BatchedEngine) and self._answering is other._answering

    def __hash__(self) -> int:
        return id(self._answering)

    async def complete(self, request: Request) -> Completion:  # noqa: ARG002 - an engine's own signature
        """Raises NotYet: a single request waits for its batch."""
        raise NotYet

    async def complete_all(self, requests: Sequence[Request]) -> list[Completion | Failure]:
        """One answer to each request, in the same order. Raises EndpointError where the batch as a whole failed."""
        try:
            answers = _listed(await self._call(list(requests)))
        except GavelError:
            raise
        except Exception as error:
            message = f"{self.__qualname__} failed on a batch of {len(requests)}: {type(error).__name__}: {error}"
            raise EndpointError(message) from error
        if len(answers) != len(requests):
            message = (
                f"{self.__qualname__} gave {len(answers)} answers to a batch of {len(requests)} requests; "
                f"there must be one to each, in the same order, None where there is none"
            )
            raise EndpointError(message)
        return [_checked(answer) for answer in answers]

    async def _call(self, requests: list[Request]) -> object:
        function = self._function
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - an object with an async __call__ is one too
        ):
            return await function(requests)
        answers = await in_thread(function, requests)
        return await answers if inspect.isawaitable(answers) else answers


def batched_engine(engine: Any) -> BatchedEngine | None:
    """The engine as one that answers whole batches, None where it cannot."""
    if isinstance(engine, BatchedEngine):
        return engine
    return BatchedEngine(engine) if hasattr(engine, "complete_all") else None


def _listed(answers: object) -> list[object]:
    if not isinstance(answers, Iterable) or isinstance(answers, str | bytes | Mapping):
        message = f"a list of answers is needed, not {type(answers).__name__}"
        raise TypeError(message)
    return list(answers)


def _checked(answer: object) -> Completion | Failure:
    """The answer to one request as the rest of a run knows it."""
    if isinstance(answer, Completion | Failure):
        return answer
    if isinstance(answer, str):
        return Completion(answer, finish_reason="stop")
    if isinstance(answer, CallError):
        return answer.failure
    if isinstance(answer, Exception):
        return Failure(f"{type(answer).__name__}: {answer}", kind=FailureKind.INTERNAL)
    what = "None" if answer is None else f"{type(answer).__name__}, which is no text"
    return Failure(f"the engine returned {what}", kind=FailureKind.DECODE)
