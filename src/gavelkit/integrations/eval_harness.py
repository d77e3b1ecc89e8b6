"""eval_harness's judge of correctness and relevance: the same class, prompt placeholders, readings and errors."""

from __future__ import annotations

import inspect
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING, Any, NoReturn

from gavelkit.catalog import shipped_file
from gavelkit.core.errors import EmptyReply
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.engines import HttpClient, HttpClients, Ollama
from gavelkit.engines.ollama import LOCAL, MODEL
from gavelkit.run import on_loop

if TYPE_CHECKING:
    RUBRIC_PROMPT: str

__all__ = [  # noqa: RUF022 - by the alphabet alone, as every such list here
    "DEFAULT_MODEL",
    "DEFAULT_THRESHOLD",
    "JudgeParseError",
    "LLMJudgeScorer",
    "RUBRIC_PROMPT",
    "ScoreResult",
    "Scorer",
    "mean_scores",
]

DEFAULT_THRESHOLD = 0.7
DEFAULT_MODEL = MODEL

_SECONDS = 180.0
_TEMPERATURE = 0.0
_CONNECTIONS = 32
_TOP = 10
_BY_PATTERN = "(reasoning unparseable, scores extracted by regex fallback)"
_CORRECTNESS = re.compile(r'"?correctness"?\s*[:=]\s*(\d+)', re.IGNORECASE)
_RELEVANCE = re.compile(r'"?relevance"?\s*[:=]\s*(\d+)', re.IGNORECASE)
_NOT_SCORES = (KeyError, TypeError, ValueError)
"""What a text that is no object with two numbers raises."""
_NO_REPLY = (OverflowError, RecursionError)
"""What `Infinity` and brackets without end raise: by pattern the number 1e999 would read as a 1."""

JudgeFunction = Callable[[str], Awaitable[str]]


class JudgeParseError(RuntimeError):
    """The judge's reply holds no two scores. Never a score of 0: the answer was not judged."""


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """One verdict: whether it passed, its score from 0 to 1, and a line that says why.

    `parts` holds the two dimensions, each from 0 to 10; two results are equal whatever their parts.
    """

    passed: bool
    score: float
    reason: str
    parts: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)


class Scorer(ABC):
    """What scores an answer: a name and one coroutine."""

    name: str

    @abstractmethod
    async def score(self, question: str, output: str, expected: str) -> ScoreResult:
        """The verdict on an output, given the question and the expected answer."""


class LLMJudgeScorer(Scorer):
    """Asks a model for two scores and passes an answer whose mean, divided by ten, reaches the threshold.

    `judge_fn` takes the prompt and returns the judge's text; it may be a coroutine function, as anything that blocks
    must be. Without one, `model` is asked through Ollama at `api_base`, once, with temperature 0 and 180 seconds.
    Nothing is opened before the first score. Raises ValueError where the threshold lies outside 0 to 1.
    """

    name = "judge"

    def __init__(
        self,
        threshold: float = DEFAULT_THRESHOLD,
        judge_fn: JudgeFunction | None = None,
        model: str = DEFAULT_MODEL,
        *,
        api_base: str = LOCAL,
    ) -> None:
        if not 0.0 <= threshold <= 1.0:
            message = f"threshold must be in [0, 1], got {threshold}"
            raise ValueError(message)
        self.threshold = threshold
        self.model = model
        self._judge_fn = _through_ollama(model, api_base) if judge_fn is None else judge_fn

    def build_prompt(self, question: str, output: str, expected: str) -> str:
        """What the judge is sent, byte for byte."""
        return _rubric().format(question=question, expected=expected, output=output)

    async def score(self, question: str, output: str, expected: str) -> ScoreResult:
        """The verdict. Raises JudgeParseError, CallError where Ollama has no reply, and what `judge_fn` raises."""
        replied: Any = self._judge_fn(self.build_prompt(question, output, expected))
        raw = await replied if inspect.isawaitable(replied) else replied
        return self._result(*_parse_judge_response(raw))

    def score_sync(self, question: str, output: str, expected: str) -> ScoreResult:
        """The same for whoever has no event loop, or has one that runs. Raises what `score` raises."""
        return on_loop(self.score(question, output, expected))

    def _result(self, correctness: int, relevance: int, reasoning: str) -> ScoreResult:
        correctness, relevance = (max(0, min(_TOP, each)) for each in (correctness, relevance))
        score = (correctness + relevance) / (2 * _TOP)
        passed = score >= self.threshold
        reason = (
            f"correctness={correctness}/10 relevance={relevance}/10 "
            f"score={score:.3f} {'>=' if passed else '<'} threshold={self.threshold} | reasoning: {reasoning}"
        )
        return ScoreResult(passed, score, reason, {"correctness": correctness, "relevance": relevance})


def mean_scores(results: Iterable[ScoreResult]) -> dict[str, float]:
    """The mean of `score`, from 0 to 1, and of each dimension, from 0 to 10; empty where there are no results.

    A dimension's mean is over the results that have it.
    """
    kept = list(results)
    values = {"score": [each.score for each in kept]} if kept else {}
    for result in kept:
        for name, value in result.parts.items():
            values.setdefault(name, []).append(value)
    return {name: fmean(each) for name, each in values.items()}


def _parse_judge_response(raw: str) -> tuple[int, int, str]:
    """Correctness, relevance and reasoning: of the whole text as JSON, of its outermost braces, or by pattern.

    Raises JudgeParseError.
    """
    if not isinstance(raw, str):
        _refuse(raw)
    first, last = raw.find("{"), raw.rfind("}")
    for text in (raw, raw[first : last + 1] if 0 <= first < last else ""):
        try:
            read = json.loads(text)
            return int(read["correctness"]), int(read["relevance"]), str(read.get("reasoning", ""))
        except _NOT_SCORES:
            continue
        except _NO_REPLY:
            _refuse(raw)
    correctness, relevance = _CORRECTNESS.search(raw), _RELEVANCE.search(raw)
    if correctness is None or relevance is None:
        _refuse(raw)
    try:
        return int(correctness[1]), int(relevance[1]), _BY_PATTERN
    except ValueError:  # Python reads no number of more than some thousand digits
        _refuse(raw)


def _refuse(raw: object) -> NoReturn:
    message = f"Could not parse judge response: {raw!r}"
    raise JudgeParseError(message) from None


def _through_ollama(model: str, api_base: str) -> JudgeFunction:
    clients = HttpClients(lambda: HttpClient(connections=_CONNECTIONS, idle_timeout=_SECONDS))
    engine = Ollama(clients, api_base=api_base, timeout=_SECONDS)
    parameters = Parameters(model, {"temperature": _TEMPERATURE})

    async def generate(prompt: str) -> str:
        try:
            return (await engine.complete(Request((Message("user", prompt),), parameters))).text
        except EmptyReply as silent:
            return silent.completion.text

    return generate


@cache
def _rubric() -> str:
    return shipped_file("eval_harness_rubric.txt").read_text(encoding="utf-8").removesuffix("\n")


if not TYPE_CHECKING:  # a type checker knows the name above, and no others

    def __getattr__(name: str) -> object:
        if name == "RUBRIC_PROMPT":
            return _rubric()
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
