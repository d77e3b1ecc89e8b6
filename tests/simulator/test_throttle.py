"""The limit on requests per second, and how a refusal says when to come again."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime

import pytest

from gavelkit.simulator.app import App
from gavelkit.simulator.script import Script
from gavelkit.simulator.throttle import Bucket, Hint, Limit, hint_headers
from gavelkit.simulator.wire import HttpRequest


def test_a_burst_passes_and_then_so_many_a_second() -> None:
    now = [0.0]
    bucket = Bucket(Limit(rate=2, burst=3), lambda: now[0])
    passed = []
    for moment in (0.0, 0.0, 0.0, 0.0, 0.4, 0.5, 0.9, 1.0, 9.0, 9.0, 9.0, 9.0):
        now[0] = moment
        passed.append(bucket.refusal() is None)
    assert passed == [True, True, True, False, False, True, False, True, True, True, True, False]


@pytest.mark.parametrize(
    ("seconds", "hint", "headers"),
    [
        (0.2, "seconds", {"retry-after": "1"}),
        (1.2, "seconds", {"retry-after": "2"}),
        (0.2, "milliseconds", {"retry-after-ms": "200"}),
        (0.25, "reset", {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "250ms"}),
        (7, "reset", {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "7s"}),
        (90, "reset", {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}),
        (3, "none", {}),
    ],
)
def test_a_hint_is_never_shorter_than_the_wait(seconds: float, hint: Hint, headers: dict[str, str]) -> None:
    assert dict(hint_headers(seconds, hint)) == headers


def test_a_date_is_by_the_servers_own_clock() -> None:
    there = dict(hint_headers(20, "date", skew=-3600))
    here = dict(hint_headers(20, "date"))
    wait = parsedate_to_datetime(there["retry-after"]) - parsedate_to_datetime(there["date"])
    assert wait.total_seconds() == 20
    apart = parsedate_to_datetime(here["date"]) - parsedate_to_datetime(there["date"])
    assert 3599 <= apart.total_seconds() <= 3601


def test_a_script_with_a_limit_refuses_what_comes_too_fast() -> None:
    app = App(Script(reply="x", limit=Limit(rate=1, burst=2)), now=lambda: 0.0)
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello"}]}).encode()
    answers = [app(HttpRequest("POST", "/v1/chat/completions", {}, body)) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[2].headers == (("retry-after", "1"),)
    assert json.loads(answers[2].body)["error"]["code"] == "rate_limit_exceeded"
    assert app(HttpRequest("GET", "/v1/models", {}, b"")).status == 200
