"""context-bench's evaluators as judges of a run: their scores are kept whole, and each failure costs its own row."""

from __future__ import annotations

import math
import urllib.error
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from numbers import Real
from threading import BoundedSemaphore
from time import perf_counter
from typing import Any, Final

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Range
from gavelkit.core.errors import CallError
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.identity import Identity
from gavelkit.core.limits import Limits
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.probe import Probe
from gavelkit.core.status import Status
from gavelkit.core.threads import in_thread
from gavelkit.engines import Retrying, RetryPolicy, SystemClock
from gavelkit.engines.refusal import refusal
from gavelkit.integrations.context_bench import MAX_TOKENS, LLMJudge, template
from gavelkit.integrations.context_bench_answers import Originals, processed_of
from gavelkit.integrations.context_bench_identity import identity_of
from gavelkit.integrations.context_bench_quality import AnswerQuality
from gavelkit.integrations.context_bench_rows import Evaluator
from gavelkit.integrations.context_bench_systems import reach_bench
from gavelkit.judges import Asking, FunctionJudge, Scored

NOBODY: Final = "responses"
"""The judge where there is no evaluator: it only lets the systems answer."""
_SHORTEST_KEY: Final = 16
"""A shorter one is part of too many words."""
WHEN_TOLD_TO_WAIT: Final = RetryPolicy(5)
"""How often a judge is asked again that answers 429, 503 or 529; whatever else fails is its page's 0.0 at once."""
_SHARES: Final = (AnswerQuality, LLMJudge)
"""Whose scores lie between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What scoring reads: the rows as given, what systems answered, and a place for each score under way."""

    originals: Originals
    given: Mapping[tuple[str, str], Completion]
    places: BoundedSemaphore


def scoring(evaluator: Evaluator, name: str, answers: Answers, *, limits: Limits, preflight: bool) -> FunctionJudge:
    """An evaluator as the judge of this name. Where it asks a model, the replies are kept, and asked for once."""
    scale = Criterion(name, Range(0.0, 1.0)) if isinstance(evaluator, _SHARES) else None
    function = partial(_score, evaluator, name, answers)
    if not isinstance(evaluator, LLMJudge):
        return FunctionJudge(name, function, Identity(_evaluator(evaluator)), scale=scale, limits=limits)
    parameters = _parameters(evaluator)
    return FunctionJudge(
        name,
        function,
        Identity({**_evaluator(evaluator), "parameters": parameters.values, "prompt": template()}),
        reading=Identity({"rating": "the first digit from 1 to 5"}),
        engines={name: Retrying(_JudgeEngine(evaluator), WHEN_TOLD_TO_WAIT, clock=SystemClock())},
        scale=scale,
        model=evaluator.model,
        limits=limits,
        probes=_probes(evaluator, name) if preflight else (),
    )


def nobody(limits: Limits) -> FunctionJudge:
    """A judge that says nothing."""
    return FunctionJudge(NOBODY, lambda *_: Scored(None, status=Status.ABSTAINED), Identity({}), limits=limits)


def _evaluator(evaluator: Evaluator) -> dict[str, object]:
    return {"evaluator": identity_of(evaluator)}


def _parameters(judge: LLMJudge) -> Parameters:
    return Parameters(judge.model, {"temperature": 0, "max_tokens": MAX_TOKENS})


def _score(evaluator: Evaluator, name: str, answers: Answers, example: Example, system: str, asking: Asking) -> Scored:
    original, processed = dict(answers.originals[example.id]), processed_of(answers.given[system, example.id])
    through: AbstractContextManager[None] = nullcontext()
    if isinstance(evaluator, LLMJudge):
        through = evaluator.asked_through(partial(_ask, asking, name, _parameters(evaluator)))
    with answers.places, through:
        scores = dict(evaluator.score(original, processed))
        # Read at once: whoever scores next, in this thread or, of another's evaluator, in any, writes its own.
        status, error, reply = (getattr(evaluator, f"last_{each}", None) for each in ("status", "error", "reply"))
    return _scored(scores, status, str(error or ""), str(reply or ""))


def _ask(asking: Asking, name: str, parameters: Parameters, prompt: str) -> str:
    """The model's reply, by way of the record. Raises what the judge's own call raised."""
    try:
        return asking.complete(name, [Message("user", prompt)], parameters).text
    except CallError as error:
        raise _root(error) from None


def _root(error: BaseException) -> BaseException:
    """What the judge's own call raised, however often it was tried."""
    while isinstance(error, CallError) and (before := error.__cause__ or error.__context__) is not None:
        error = before
    return error


def _scored(scores: Mapping[str, Any], status: object, error: str, reply: str) -> Scored:
    parts = {str(name): _number(value) for name, value in scores.items()}
    ended = Status.OK if status is None else _status(status)
    if ended.failed:
        return Scored(None, Grade("", reply, parts), ended, Failure(error or str(status), raw=reply))
    main = next((value for value in parts.values() if isinstance(value, float) and math.isfinite(value)), None)
    if main is None or ended is not Status.OK:
        return Scored(None, Grade("", reply, parts), Status.ABSTAINED)
    return Scored(main, Grade(main, reply, parts))


def _status(told: object) -> Status:
    """How an evaluator says that it ended; a word that nobody knows is a failed call, and is not lost."""
    try:
        status = Status(str(told))
    except ValueError:
        return Status.CALL_ERROR
    return Status.CALL_ERROR if status is Status.PENDING else status


def _number(value: Any) -> Any:
    """A number of whatever package as a float; anything else as it is."""
    return float(value) if isinstance(value, Real) or hasattr(value, "__float__") else value


class _JudgeEngine:
    """Calls the judge's model as the judge does: urllib, one request. What it may be worth trying again, it says."""

    def __init__(self, judge: LLMJudge) -> None:
        self._judge = judge

    async def complete(self, request: Request) -> Completion:
        """The reply's text. Raises CallError, of which the judge's own error is the cause."""
        judge, prompt = self._judge, request.messages[-1].content
        began = perf_counter()
        try:
            text = await in_thread(judge._call_judge, prompt)  # noqa: SLF001 - the name on its page
        except urllib.error.HTTPError as error:
            error.close()
            told = refusal(error.code, b"", partial(_header, error))
            raise CallError(told.kind, str(told), retry_after=told.retry_after, retryable=told.overloaded) from error
        except Exception as error:
            message = f"the judge has no reply: {type(error).__name__}"
            raise CallError(FailureKind.INTERNAL, message, retryable=False) from error
        reply = _without(judge._api_key, str(text))  # noqa: SLF001 - it is shown to nobody
        return Completion(reply, finish_reason="stop", seconds=perf_counter() - began)


def _header(error: urllib.error.HTTPError, name: str) -> str | None:
    value = error.headers.get(name)
    return None if value is None else str(value)


def _without(key: str | None, text: str) -> str:
    """A reply without the key that it was asked with, should it repeat it: a record keeps no key."""
    return text.replace(key, "(key)") if key and len(key) >= _SHORTEST_KEY else text


def _probes(judge: LLMJudge, name: str) -> tuple[Probe, ...]:
    """How its endpoint is tried; a judge that calls a model in a way of its own is not."""
    if "_call_judge" in vars(judge) or type(judge)._call_judge is not LLMJudge._call_judge:  # noqa: SLF001 - as above
        return ()
    _, probes = reach_bench(judge.base_url, judge.model, api_key=judge._api_key, name=name, concurrency=1)  # noqa: SLF001 - it is shown to nobody
    return probes
