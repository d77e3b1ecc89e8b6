"""A judge's session inside a run: it looks like one of `requests`, and posts go through the run's own engines."""

from __future__ import annotations

import json as json_text
from collections.abc import Mapping
from dataclasses import dataclass
from threading import local
from typing import Any

from gavelkit.core.errors import CallError
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.message import Message, Parameters
from gavelkit.core.status import Status
from gavelkit.integrations.nemo_byob_config import JudgeConfig
from gavelkit.integrations.nemo_byob_session import session_of
from gavelkit.judges import Asking

_APART = frozenset({"model", "messages", "response_format"})


@dataclass(frozen=True, slots=True)
class GateReply:
    """What came through the run: always an answer, since every failure is raised before."""

    content: str
    status_code: int = 200

    @property
    def text(self) -> str:
        """The body as an endpoint would send it."""
        return json_text.dumps(self.json())

    def raise_for_status(self) -> None:
        """Raises nothing."""

    def json(self) -> dict[str, Any]:
        """The body, as far as anybody reads it."""
        return {"choices": [{"index": 0, "message": {"role": "assistant", "content": self.content}}]}


@dataclass(frozen=True, slots=True)
class Failed:
    """A judge that gave no score: its key, how it ended, why, and the step of its reply where it gave one."""

    judge: str
    status: Status
    failure: Failure
    step: str = ""


class Face:
    """The session of every judge of one sample. What is posted is recorded, replayed on resume, and tried again.

    `judges` are the settings by the name of the run's engine. A post that is none of theirs goes out by a session of
    its own, and leaves nothing in the record. `failed` are the judges without a score so far, in order. A scorer's own
    threads may share it.
    """

    def __init__(self, asking: Asking, judges: Mapping[str, JudgeConfig]) -> None:
        self.failed: list[Failed] = []
        self._asking = asking
        self._judges = judges
        self._here = local()

    def post(self, url: str, *, json: Mapping[str, Any], headers: Mapping[str, str], timeout: float) -> Any:
        """The reply to a request for a chat completion. Raises CallError; NotYet while the run only reads again."""
        self._here.failure, self._here.step = None, ""
        name = self._judge(url, json, headers, timeout)
        if name is None:
            config = JudgeConfig(url, str(json.get("model")), request_timeout=timeout)
            return session_of(config).post(url, json=json, headers=headers, timeout=timeout)
        try:
            completion = self._asking.complete(name, _messages(json), _parameters(json))
        except CallError as error:
            self._here.failure = error.failure
            raise
        self._here.step = next(step.name for step in self._asking.steps if step.completion is completion)
        return GateReply(completion.text)

    def told(self, judge_key: str, result: Mapping[str, Any]) -> None:
        """Take in what `judge_score` made of the last reply."""
        status = result.get("judge_status")
        if status is None:
            return
        failure = getattr(self._here, "failure", None) or Failure(str(result.get("judge_error", "")))
        self.failed.append(Failed(judge_key, Status(status), failure, getattr(self._here, "step", "")))

    def _judge(self, url: str, payload: Mapping[str, Any], headers: Mapping[str, str], timeout: float) -> str | None:
        """The engine of the judge whose settings fit best; None where nobody has this address and model."""
        found = [
            name
            for name, config in self._judges.items()
            if config.endpoint == url and config.model_id == payload.get("model")
        ]
        wanted = (headers.get("Authorization"), timeout, *(payload.get(each) for each in _SENT))
        for name in found:
            if _sends(self._judges[name]) == wanted:
                return name
        return found[0] if found else None


_SENT = ("temperature", "top_p", "max_tokens")


def _sends(config: JudgeConfig) -> tuple[Any, ...]:
    """What tells two judges of one address and model apart on the wire."""
    key = config.resolve_api_key()
    authorization = None if key is None else f"Bearer {key}"
    return (authorization, config.request_timeout, config.temperature, config.top_p, config.max_new_tokens)


def _messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    try:
        return tuple(Message(str(each["role"]), str(each["content"])) for each in payload["messages"])
    except (KeyError, TypeError) as error:
        message = "what is posted needs messages, each with role and content"
        raise CallError(FailureKind.BAD_REQUEST, message) from error


def _parameters(payload: Mapping[str, Any]) -> Parameters:
    values = {name: value for name, value in payload.items() if name not in _APART}
    form = payload.get("response_format")
    return Parameters(str(payload["model"]), values, "" if form is None else json_text.dumps(form))
