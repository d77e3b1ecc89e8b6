"""The session that is ours: the shape of its replies, and when it tries again."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from tests.fake_clock import FakeClock
from tests.makers import chat_answer, chat_body, endpoint

from gavelkit.core.errors import CallError
from gavelkit.integrations.nemo_byob_config import JudgeConfig
from gavelkit.integrations.nemo_byob_session import JudgeSession, Reply, session_of
from gavelkit.simulator.server import HttpAnswer, HttpRequest


class Played:
    """Posts once to an endpoint that answers so, one answer a request and the last for ever."""

    def __init__(self, answers: Sequence[HttpAnswer], *, max_retries: int = 16) -> None:
        self.clock = FakeClock()
        self.seen: list[HttpRequest] = []
        self.reply: Reply | None = None
        self.error: CallError | None = None

        def answer(request: HttpRequest) -> HttpAnswer:
            self.seen.append(request)
            return answers[min(len(self.seen), len(answers)) - 1]

        session = JudgeSession(max_retries, clock=self.clock, spread=lambda: 1.0)
        with endpoint(answer) as url:
            try:
                self.reply = session.post(url, json={"a": "\u00e9"}, headers={"X-Mine": "yes"}, timeout=5)
            except CallError as error:
                self.error = error


OK = chat_answer(chat_body("GRADE: C"))


def test_it_posts_json_with_the_headers_given() -> None:
    played = Played([OK])
    (request,) = played.seen
    assert json.loads(request.body) == {"a": "\u00e9"}
    assert (request.headers["x-mine"], request.headers["user-agent"]) == ("yes", "gavelkit")
    assert played.reply is not None
    assert played.reply.status_code == 200
    assert played.reply.json() == json.loads(played.reply.text) == chat_body("GRADE: C")
    played.reply.raise_for_status()


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again(status: int) -> None:
    played = Played([chat_answer({}, status=status), OK])
    assert len(played.seen) == 2
    assert played.reply is not None
    assert played.reply.status_code == 200


def test_it_gives_up_after_so_many_retries_and_the_status_raises() -> None:
    played = Played([chat_answer({}, status=500)], max_retries=2)
    assert len(played.seen) == 3
    assert played.reply is not None
    with pytest.raises(CallError, match="HTTP 500"):
        played.reply.raise_for_status()


def test_waits_double_up_to_a_minute() -> None:
    played = Played([chat_answer({}, status=503)])
    assert len(played.seen) == 17
    assert played.clock.waits == [0.5, 1, 2, 4, 8, 16, 32, *[60] * 9]


def test_no_wait_is_shorter_than_the_server_asks_for() -> None:
    played = Played([chat_answer({}, status=429, headers={"retry-after": "7"}), OK])
    assert played.clock.waits == [7]


def test_a_server_that_asks_for_too_long_a_wait_ends_the_call() -> None:
    played = Played([chat_answer({}, status=429, headers={"retry-after": "3600"}), OK])
    assert played.clock.waits == []
    assert "3,600 s" in str(played.error)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_will_not_pass_is_not_tried_again(status: int) -> None:
    assert len(Played([chat_answer({}, status=status), OK]).seen) == 1


def test_a_redirect_is_not_followed() -> None:
    played = Played([chat_answer({}, status=307, headers={"location": "http://127.0.0.1:1/"}), OK])
    assert len(played.seen) == 1
    assert played.reply is not None
    with pytest.raises(CallError, match="redirects are not followed"):
        played.reply.raise_for_status()


def test_a_body_that_is_no_json_raises_when_it_is_read() -> None:
    played = Played([chat_answer(b"<html>")])
    assert played.reply is not None
    with pytest.raises(CallError, match="no JSON: '<html>'"):
        played.reply.json()


def test_a_lost_endpoint_raises_after_the_retries() -> None:
    clock = FakeClock()
    with pytest.raises(CallError):
        JudgeSession(3, clock=clock).post("http://127.0.0.1:9/v1", json={}, headers={}, timeout=5)
    assert len(clock.waits) == 3


def test_each_configuration_has_one_session_with_its_own_retries() -> None:
    first, same, other = (JudgeConfig("http://one/v1", "m", max_retries=count) for count in (0, 0, 5))
    assert session_of(first) is session_of(same)
    assert session_of(first) is not session_of(other)
