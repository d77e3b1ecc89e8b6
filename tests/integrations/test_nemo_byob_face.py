"""A judge's session inside a run: whom a post goes to, and what comes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.integrations.nemo_byob import JudgeConfig, ScorerInput, judge_call, judge_score
from gavelkit.integrations.nemo_byob_face import Face, Failed
from gavelkit.judges import Asking

URL = "http://127.0.0.1:9/v1"


class Heard:
    """An engine that keeps what it is asked."""

    def __init__(self, reply: str = "GRADE: C", *, error: CallError | None = None) -> None:
        self.requests: list[Request] = []
        self._reply, self._error = reply, error

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        if self._error is not None:
            raise self._error
        return Completion(self._reply)


def with_face(engines: Mapping[str, Engine], judges: Mapping[str, JudgeConfig], work: Callable[[Face], Any]) -> Any:
    """What `work` makes of a face, in a thread beside the loop, as in a run."""

    async def run() -> Any:
        asking = Asking(engines, Slot("qa", "0", ("m",)), asyncio.get_running_loop())
        return await asyncio.to_thread(work, Face(asking, judges))

    return asyncio.run(run())


def test_a_post_asks_the_runs_engine_word_for_word() -> None:
    heard = Heard()
    config = JudgeConfig(URL, "a", temperature=None, max_new_tokens=7)
    form = {"type": "json_object"}
    reply = with_face({"judge": heard}, {"judge": config}, lambda face: judge_call(config, "Say.", face, form))
    (request,) = heard.requests
    assert reply == "GRADE: C"
    assert [(each.role, each.content) for each in request.messages] == [("user", "Say.")]
    assert json.loads(request.parameters.text) == {
        "model": "a",
        "temperature": None,
        "top_p": 1.0,
        "max_tokens": 7,
        "response_format": form,
    }
    assert (request.labels.example_id, request.labels.step) == ("0", "judge")


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (JudgeConfig(URL, "a"), "judge"),
        (JudgeConfig(URL, "b"), "judge_1"),
        (JudgeConfig(URL, "a", temperature=1.0), "judge_2"),
        (JudgeConfig(URL, "a", temperature=0.5), "judge"),
    ],
)
def test_a_post_goes_to_the_judge_whose_settings_fit_best(asked: JudgeConfig, name: str) -> None:
    judges = {"judge": JudgeConfig(URL, "a"), "judge_1": JudgeConfig(URL, "b")}
    judges["judge_2"] = JudgeConfig(URL, "a", temperature=1.0)
    engines = {key: Heard() for key in judges}
    with_face(engines, judges, lambda face: judge_call(asked, "Say.", face))
    assert [key for key, heard in engines.items() if heard.requests] == [name]


def test_a_post_that_is_no_judges_goes_out_by_a_session_of_its_own() -> None:
    heard = Heard()
    other = JudgeConfig("http://127.0.0.1:1/v1", "a")
    face: Callable[[Face], Any] = lambda each: each._judge(other.endpoint, {"model": "a"}, {}, 1.0)  # noqa: E731 - read where it stands
    assert with_face({"judge": heard}, {"judge": JudgeConfig(URL, "a")}, face) is None


def test_the_reply_has_the_shape_of_one_of_requests() -> None:
    heard = Heard("hello")
    payload = {"model": "a", "messages": [{"role": "user", "content": "Say."}]}

    def post(face: Face) -> Any:
        return face.post(f"{URL}/chat/completions", json=payload, headers={}, timeout=1.0)

    reply = with_face({"judge": heard}, {"judge": JudgeConfig(URL, "a")}, post)
    reply.raise_for_status()
    assert reply.status_code == 200
    assert reply.json()["choices"][0]["message"]["content"] == "hello"
    assert json.loads(reply.text) == reply.json()


def test_a_payload_without_messages_is_a_bad_request() -> None:
    def post(face: Face) -> Any:
        return face.post(f"{URL}/chat/completions", json={"model": "a"}, headers={}, timeout=1.0)

    with pytest.raises(CallError, match="needs messages"):
        with_face({"judge": Heard()}, {"judge": JudgeConfig(URL, "a")}, post)


def scoring(heard: Heard) -> tuple[dict[str, Any], list[Failed]]:
    config = JudgeConfig(URL, "a")

    def work(face: Face) -> Any:
        sample = ScorerInput("Paris", "Paris", {}, config={"judge": config, "_judge_session": face})
        return judge_score(sample), face.failed

    found: tuple[dict[str, Any], list[Failed]] = with_face({"judge": heard}, {"judge": config}, work)
    return found


def test_a_failed_call_is_a_call_error_and_its_kind_is_kept_for_the_record() -> None:
    result, (failed,) = scoring(Heard(error=CallError(FailureKind.AUTH, "the key is wrong", fatal=True)))
    assert (result["judge_grade"], result["judge_error"]) == ("CALL_ERROR", "the key is wrong")
    assert failed == Failed("judge", Status.CALL_ERROR, Failure("the key is wrong", FailureKind.AUTH, fatal=True))


def test_an_unreadable_reply_is_told_and_a_good_one_is_not() -> None:
    _, (failed,) = scoring(Heard("Who knows?"))
    assert (failed.status, failed.failure.kind) == (Status.PARSE_ERROR, None)
    assert scoring(Heard())[1] == []
