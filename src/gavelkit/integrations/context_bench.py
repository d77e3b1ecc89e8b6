"""context-bench's judge, evaluator and metrics under their own names. context-bench is not needed, nor any package."""

from __future__ import annotations

import json
import os
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from gavelkit.core.status import Status
from gavelkit.integrations.context_bench_breakdown import JudgeFailures, ParetoRank, PerDatasetBreakdown
from gavelkit.integrations.context_bench_metrics import CompressionRatio, CostOfPass, Latency, MeanScore, PassRate
from gavelkit.integrations.context_bench_quality import AnswerQuality
from gavelkit.integrations.context_bench_registry import get_metric, register_metric
from gavelkit.integrations.context_bench_rows import EvalRow, Evaluator, Metric, System

if TYPE_CHECKING:
    from gavelkit.integrations.context_bench_datasets import (
        dataset_names,
        load_dataset,
        load_jsonl,
        register_dataset,
    )
    from gavelkit.integrations.context_bench_reports import to_html, to_json, to_jsonl, to_markdown, to_table
    from gavelkit.integrations.context_bench_result import EvalResult
    from gavelkit.integrations.context_bench_run import evaluate
    from gavelkit.integrations.context_bench_systems import OpenAIProxy

__all__ = [
    "AnswerQuality",
    "CompressionRatio",
    "CostOfPass",
    "EvalResult",
    "EvalRow",
    "Evaluator",
    "JudgeFailures",
    "LLMJudge",
    "Latency",
    "MeanScore",
    "Metric",
    "OpenAIProxy",
    "ParetoRank",
    "PassRate",
    "PerDatasetBreakdown",
    "System",
    "dataset_names",
    "evaluate",
    "get_metric",
    "load_dataset",
    "load_jsonl",
    "register_dataset",
    "register_metric",
    "to_html",
    "to_json",
    "to_jsonl",
    "to_markdown",
    "to_table",
]

_HOMES: Final = {
    "EvalResult": "result",
    "OpenAIProxy": "systems",
    "dataset_names": "datasets",
    "evaluate": "run",
    "load_dataset": "datasets",
    "load_jsonl": "datasets",
    "register_dataset": "datasets",
    "to_html": "reports",
    "to_json": "reports",
    "to_jsonl": "reports",
    "to_markdown": "reports",
    "to_table": "reports",
}
"""Names that load when they are asked for: what they need is more than the judge may load."""


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(import_module(f"{__name__}_{home}"), name)


_RATING = re.compile(r"[1-5]")
_UNREADABLE: Final = 1
_STEPS: Final = 4.0
MAX_TOKENS: Final = 16
_BODY_CAP: Final = 8 * 1024 * 1024


class LLMJudge:
    """Rates a response from 1 to 5 by a model behind an OpenAI-compatible endpoint, and places the rating on 0 to 1.

    Requests go to `{base_url}/v1/chat/completions`. Without an `api_key` the one in `OPENAI_API_KEY` is sent, where
    there is one. `timeout` is in seconds. Each call to `score` is one request, with no retry.
    """

    def __init__(self, base_url: str, model: str = "gpt-4", api_key: str | None = None, timeout: float = 60.0) -> None:
        self._base_url = base_url.removesuffix("/")
        self._model = model
        self._api_key = api_key or os.environ.get("OPENAI_API_KEY")
        self._timeout = timeout
        self._last = _Last()

    def __reduce__(self) -> tuple[type[LLMJudge], tuple[object, ...]]:
        """What ended last stays in its thread; everything else can be copied and sent to other processes."""
        return type(self), (self._base_url, self._model, self._api_key, self._timeout)

    @property
    def name(self) -> str:
        """`llm_judge`."""
        return "llm_judge"

    @property
    def base_url(self) -> str:
        """Where it asks, without the path."""
        return self._base_url

    @property
    def model(self) -> str:
        """The model's name, as it is sent."""
        return self._model

    @property
    def last_status(self) -> Status | None:
        """How this thread's last `score` ended; only `ok` stands for a rating that was given. None before the first."""
        return self._last.status

    @property
    def last_error(self) -> str:
        """Why this thread's last `score` ended otherwise than `ok`, in words; empty where it did not."""
        return self._last.error

    @property
    def last_reply(self) -> str:
        """What the model said to this thread's last `score`, word for word; empty where it said nothing."""
        return self._last.reply

    @contextmanager
    def asked_through(self, ask: Callable[[str], str]) -> Iterator[None]:
        """Inside the block this thread's prompts go to `ask`, which gives the reply, instead of the endpoint."""
        before, self._last.ask = self._last.ask, ask
        try:
            yield
        finally:
            self._last.ask = before

    def score(self, original: Mapping[str, Any], processed: Mapping[str, Any]) -> dict[str, float]:
        """Judge `processed["response"]` as an answer to `original["question"]`, else to `original["context"]`.

        Gives `{"judge_score": (rating - 1) / 4}`. An empty response is 0.0 and asks nobody; a failed call and an
        unreadable reply are 0.0 too, and `last_status` tells them from a rating of 1.
        """
        score, self._last.status, self._last.error = self._judged(original, processed)
        return {"judge_score": score}

    def _judged(self, original: Mapping[str, Any], processed: Mapping[str, Any]) -> tuple[float, Status, str]:
        self._last.reply = ""
        response = str(processed.get("response", ""))
        if not response:
            return 0.0, Status.INVALID_INPUT, "the response is empty"
        prompt = template().format(
            question=str(original.get("question", original.get("context", ""))),
            reference=str(original.get("answer", "")),
            response=response,
        )
        try:
            reply = self._last.reply = (self._last.ask or self._call_judge)(prompt)
            score = (self._parse_rating(reply) - 1) / _STEPS
        except Exception as error:  # noqa: BLE001 - whatever fails is 0.0, so that a benchmark goes on
            return 0.0, *self._told(error)
        if _RATING.search(reply) is None:
            return score, Status.PARSE_ERROR, "the reply has no digit from 1 to 5"
        return score, Status.OK, ""

    def _call_judge(self, prompt: str) -> str:
        """The text of the model's reply."""
        if not self._base_url.lower().startswith(("http://", "https://")):
            raise _NoReplyError(Status.CALL_ERROR, "base_url does not begin with http:// or https://")
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
        }
        request = urllib.request.Request(  # noqa: S310 - the scheme is looked at above
            f"{self._base_url}/v1/chat/completions",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
            method="POST",
        )
        if self._api_key:
            request.add_unredirected_header("Authorization", f"Bearer {self._api_key}")
        return _content(_body(request, self._timeout))

    @staticmethod
    def _parse_rating(text: str) -> int:
        """The first digit from 1 to 5, wherever it stands; 1 where there is none."""
        found = _RATING.search(text.strip())
        return int(found.group()) if found else _UNREADABLE

    def _told(self, error: Exception) -> tuple[Status, str]:
        """What an error comes to. Words that others wrote stay out where a key could be among them."""
        if isinstance(error, _NoReplyError):
            return error.status, str(error)
        if isinstance(error, urllib.error.HTTPError):
            error.close()
            return Status.CALL_ERROR, f"HTTP {error.code}"
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, TimeoutError):
            return Status.CALL_ERROR, f"no reply within {self._timeout:g} seconds"
        if isinstance(reason, OSError):
            return Status.CALL_ERROR, f"no connection: {reason}"
        return Status.CALL_ERROR, f"the call failed: {type(error).__name__}"


class _Last(threading.local):
    """How the last call of a thread ended, so that parallel workers read their own."""

    status: Status | None = None
    error: str = ""
    reply: str = ""
    ask: Callable[[str], str] | None = None


class _NoReplyError(Exception):
    """There is no text to read a rating in, and what that counts as."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


@cache
def template() -> str:
    """The prompt. Read past the catalogue's reader, which loads packages that this judge does without."""
    file = files("gavelkit").joinpath("catalog", "templates", "context_bench.txt")
    return file.read_text(encoding="utf-8").removesuffix("\n")


def _body(request: urllib.request.Request, timeout: float) -> bytes:
    with urllib.request.urlopen(request, timeout=timeout) as response:  # noqa: S310 - the caller looked at the scheme
        body: bytes = response.read(_BODY_CAP + 1)
        url = getattr(response, "url", None)
    if isinstance(url, str) and url != request.full_url:  # a stand-in for urlopen need not know it
        raise _NoReplyError(Status.CALL_ERROR, "the endpoint redirects; what another address says is no reply")
    if len(body) > _BODY_CAP:
        raise _NoReplyError(Status.CALL_ERROR, f"the reply is longer than {_BODY_CAP:,} bytes")
    return body


def _content(body: bytes) -> str:
    choice = json.loads(body.decode())["choices"][0]
    message, cut = choice["message"], choice.get("finish_reason") == "length"
    content = message["content"]
    if cut and not _RATING.search(content or ""):
        raise _NoReplyError(Status.TRUNCATED, f"the reply was cut at {MAX_TOKENS} tokens before its rating")
    if content is None and message.get("refusal"):
        raise _NoReplyError(Status.REFUSED, "the model refused to answer")
    if not isinstance(content, str):
        raise _NoReplyError(Status.PARSE_ERROR, "the reply has no text")
    return content
