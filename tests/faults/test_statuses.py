"""What a run makes of HTTP statuses: refused, limited, out of quota, broken for one row, for a while, or for good."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from tests.makers import prompt_of, scoring

from gavelkit.core.event import Event
from gavelkit.simulator.server import HttpAnswer, HttpRequest
from gavelkit.simulator.throttle import Bucket, Hint, Limit, hint_headers

from .conftest import Bench, Endpoint, Outcome, Play, body, error, expect, forever, listening, says

NONE, ONE, TWO, THREE = (0.0, 0.0), (1.0, 2.0), (2.0, 6.0), (3.0, 14.0)
TOO_LONG = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."
RENAMED = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
ONLY_ONE = (
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
)
FORM = {"reasoning": "Because.", "score": 7}

# The row, what every request gets, the kind of the failure, the requests, and the seconds waited.
LASTING: list[tuple[int, Play, str, int, tuple[float, float]]] = [
    (41, error(400, code="context_length_exceeded"), "input_too_long", 1, NONE),
    (41, error(400, message=TOO_LONG), "input_too_long", 1, NONE),
    (45, 400, "bad_request", 1, NONE),
    (45, 422, "bad_request", 1, NONE),
    (47, 403, "forbidden", 1, NONE),
    (50, 408, "timeout", 4, THREE),
    (50, 409, "server", 4, THREE),
    (51, 413, "input_too_long", 1, NONE),
    (52, 423, "bad_request", 1, NONE),
    (52, 425, "bad_request", 1, NONE),
    (52, 451, "forbidden", 1, NONE),
    (59, 500, "server", 4, THREE),
    (59, 501, "server", 1, NONE),
    (62, error(500, headers={"x-should-retry": "false"}), "server", 1, NONE),
    (62, error(400, headers={"x-should-retry": "true"}), "bad_request", 4, THREE),
]


@pytest.mark.parametrize(
    ("row", "play", "kind", "requests", "waited"), LASTING, ids=[f"{n}-{x[0]}" for n, x in enumerate(LASTING)]
)
def test_a_status_has_its_kind_and_its_number_of_requests(
    bench: Bench, row: int, play: Play, kind: str, requests: int, waited: tuple[float, float]
) -> None:
    expect(bench.run(forever(play)), "call_error", kind=kind, requests=requests, waited=waited)


PASSING: list[tuple[int, Play]] = [
    *((50, status) for status in (408, 409)),
    *((59, status) for status in (500, 502, 503, 504, 529, 520, 521, 522, 523, 524)),
    (53, 429),
    (62, error(400, headers={"x-should-retry": "true"})),
]


@pytest.mark.parametrize(("row", "play"), PASSING, ids=[f"{n}-{x[0]}" for n, x in enumerate(PASSING)])
def test_a_status_that_passes_costs_one_retry(bench: Bench, row: int, play: Play) -> None:
    expect(bench.run(play), "ok", requests=2, waited=ONE)


# The row, what every request gets, and the kind of the failure that ends the run.
FATAL: list[tuple[int, Play, str]] = [
    (46, 401, "auth"),
    (48, error(404, code="model_not_found"), "model_not_found"),
    (49, body(b"<h1>Not Found</h1>", status=404), "model_not_found"),
    (57, error(429, code="insufficient_quota"), "quota"),
    (57, error(429, message="You exceeded your current quota, please check your plan."), "quota"),
    (57, error(400, code="billing_hard_limit_reached"), "quota"),
    (57, 402, "quota"),
]


@pytest.mark.parametrize(("row", "play", "kind"), FATAL, ids=[f"{n}-{x[0]}" for n, x in enumerate(FATAL)])
@pytest.mark.parametrize("before", [0, 50])
def test_what_only_a_person_can_mend_ends_the_run_within_one_round(
    bench: Bench, row: int, play: Play, kind: str, before: int
) -> None:
    outcome = bench.run(itertools.repeat(scoring, before), forever(play), rows=200, concurrency=8)
    assert outcome.code == 4
    assert outcome.requests <= before + 8
    failed = outcome.statuses["call_error"]
    assert outcome.kinds == {kind: failed}
    assert outcome.statuses == {
        **({"ok": before} if before else {}),
        "call_error": failed,
        "pending": 200 - before - failed,
    }
    assert outcome.clock.now == 0


def test_a_key_is_never_shown_though_the_endpoint_repeats_it(bench: Bench) -> None:
    key = "sk-secret-0123456789"
    play = error(401, message=f"Incorrect API key provided: {key}. Or was it sk-secr*****6789?")
    outcome = bench.run(forever(play), environment={"LLM_JUDGE_API_KEY": key})
    assert outcome.log[0].headers["authorization"] == f"Bearer {key}"
    assert outcome.code == 4
    told = outcome.message + str(outcome.judgments) + outcome.notices
    assert "secr" not in told
    assert all(b"sk-secret" not in path.read_bytes() for path in bench.folder.iterdir())


@pytest.mark.parametrize("play", [400, 422, error(404, code="model_not_found"), 401, 403])
def test_a_status_that_the_preflight_meets_ends_the_run_before_it_begins(bench: Bench, play: Play) -> None:
    outcome = bench.run(forever(play), preflight_check=True)
    assert (outcome.code, outcome.requests, outcome.report) == (4, 1, None)


def test_a_model_that_is_not_there_names_those_that_are(bench: Bench) -> None:
    outcome = bench.run(forever(error(404, code="model_not_found")), preflight_check=True)
    assert "it offers another" in outcome.message


def test_one_bad_request_costs_one_row(bench: Bench) -> None:
    outcome = bench.run(scoring, 400, rows=20)
    expect(outcome, {"ok": 19, "call_error": 1}, requests=20, code=0)


def test_four_forbidden_rows_in_a_row_cost_only_themselves(bench: Bench) -> None:
    outcome = bench.run(scoring, 403, 403, 403, 403, scoring, 403, rows=100)
    expect(outcome, {"ok": 95, "call_error": 5}, requests=100, code=0)


def test_five_forbidden_rows_in_a_row_end_the_run(bench: Bench) -> None:
    outcome = bench.run(scoring, forever(403), rows=100)
    expect(outcome, {"ok": 1, "call_error": 5, "pending": 94}, requests=6, code=4)


def unsupported(name: str, message: str, *, code: str = "unsupported_parameter") -> Play:
    """An endpoint that refuses a request which holds this field."""

    def play(request: HttpRequest) -> HttpAnswer:
        if name in json.loads(request.body):
            return error(400, message=message, type="invalid_request_error", param=name, code=code)
        return scoring(request)

    return play


def refused(outcome: Outcome) -> int:
    return sum(seen.answer.status == 400 for seen in outcome.log)


def effective(outcome: Outcome) -> list[dict[str, Any] | None]:
    made = [judgment.steps[0].completion.effective for judgment in outcome.judgments]
    return [None if each is None else dict(each) for each in made]


def test_max_tokens_is_renamed_once_for_all(bench: Bench) -> None:
    outcome = bench.run(forever(unsupported("max_tokens", RENAMED)), rows=300, concurrency=256, max_tokens=77)
    expect(outcome, {"ok": 300}, requests=range(301, 300 + 257 + 1))
    assert 1 <= refused(outcome) <= 256
    assert outcome.log[-1].body["max_completion_tokens"] == 77
    assert all(each is not None and "max_completion_tokens" in each for each in effective(outcome))


def test_one_row_at_a_time_pays_one_request_for_the_repair(bench: Bench) -> None:
    outcome = bench.run(forever(unsupported("max_tokens", RENAMED)), rows=10)
    expect(outcome, {"ok": 10}, requests=11)


def test_a_temperature_that_is_refused_is_left_out_recorded_and_remarked_upon(bench: Bench) -> None:
    play = unsupported("temperature", ONLY_ONE, code="unsupported_value")
    outcome = bench.run(forever(play), rows=10)
    expect(outcome, {"ok": 10}, requests=11)
    assert all(each == {"temperature": None} for each in effective(outcome))
    assert outcome.notices.count("temperature") >= 1
    assert "temperature" not in outcome.log[-1].body


def test_a_schema_that_is_refused_becomes_an_object_and_then_the_prompt_alone(bench: Bench) -> None:
    def play(request: HttpRequest) -> HttpAnswer:
        form = json.loads(request.body).get("response_format")
        if form is not None:
            message = f"Invalid parameter: 'response_format' of type '{form['type']}' is not supported with this model."
            return error(400, message=message, param="response_format")
        return says('{"reasoning": "Because.", "score": 7}')

    outcome = bench.run(forever(play), rows=5, response_format=FORM)
    expect(outcome, {"ok": 5}, requests=7)
    kinds = [(seen.body.get("response_format") or {}).get("type") for seen in outcome.log]
    assert kinds == ["json_schema", "json_object", None, None, None, None, None]
    assert all(each == {"response_format": None} for each in effective(outcome))


def test_log_probabilities_that_are_refused_are_left_out(bench: Bench) -> None:
    play = unsupported("logprobs", "Unsupported parameter: 'logprobs' is not supported with this model.")
    outcome = bench.run(forever(play), rows=5, extra_body={"logprobs": True, "top_logprobs": 5})
    expect(outcome, {"ok": 5}, requests=6)
    assert "top_logprobs" not in outcome.log[-1].body


def limited(seconds: float, hint: Hint, *, status: int = 429, skew: float = 0.0) -> HttpAnswer:
    return error(status, headers=dict(hint_headers(seconds, hint, skew=skew)))


# The row, the refusal, and the seconds it asks for.
HINTED: list[tuple[int, Play, float]] = [
    (53, limited(7, "seconds"), 7),
    (53, error(429, headers={"retry-after": "7.5"}), 7.5),
    (54, limited(20, "date"), 20),
    (54, limited(20, "date", skew=3600), 20),
    (54, limited(20, "date", skew=-3600), 20),
    (55, limited(2.5, "milliseconds"), 2.5),
    (55, limited(90, "reset"), 90),
    (55, limited(7, "reset"), 7),
    (55, error(429, headers={"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "9"}), 0),
    (55, error(429, headers={"x-ratelimit-reset-tokens": "4m0s", "x-ratelimit-remaining-tokens": "0"}), 240),
    (55, error(429, headers={"x-ratelimit-reset": "12"}), 12),
    (59, limited(7, "seconds", status=503), 7),
    (59, limited(7, "seconds", status=529), 7),
]


@pytest.mark.parametrize(("row", "play", "seconds"), HINTED, ids=[f"{n}-{x[0]}" for n, x in enumerate(HINTED)])
def test_nothing_is_asked_before_the_time_that_the_server_named(
    bench: Bench, row: int, play: Play, seconds: float
) -> None:
    outcome = bench.run(scoring, play, rows=3)
    expect(outcome, {"ok": 3}, requests=4, waited=(seconds, seconds + 2.01))
    assert outcome.gaps[1] >= seconds
    assert outcome.gaps[2] == 0


@pytest.mark.parametrize("text", ["0", "-5", "nan", "inf", "soon", "\u00b2", "9" * 4301, ""])
def test_a_hint_that_makes_no_sense_is_none(bench: Bench, text: str) -> None:
    outcome = bench.run(error(429, headers={"retry-after": text}))
    expect(outcome, "ok", requests=2, waited=ONE)


def test_a_hint_longer_than_anybody_waits_ends_the_run_without_a_wait(bench: Bench) -> None:
    outcome = bench.run(scoring, forever(limited(86400, "seconds")), rows=20)
    assert outcome.code == 4
    assert (outcome.requests, outcome.clock.now) == (2, 0)
    assert "86,400" in outcome.message or "24 h" in outcome.message
    assert outcome.statuses["pending"] >= 18


def test_who_is_told_to_wait_does_not_hammer_and_goes_on_afterwards(bench: Bench) -> None:
    def storm(request: HttpRequest) -> HttpAnswer:
        return limited(5, "seconds") if bench.clock.now < 60 else scoring(request)

    outcome = bench.run(forever(storm), rows=400, concurrency=32, retry_attempts=20)
    expect(outcome, {"ok": 400}, waited=(60.0, 90.0))
    assert sum(seen.time < 60 for seen in outcome.log) <= 2 * 32 + 60
    assert outcome.requests <= 400 + 2 * 32 + 60


def test_a_limit_on_requests_per_second_is_kept_without_a_failure(bench: Bench) -> None:
    limit = Bucket(Limit(rate=50, burst=50), lambda: bench.clock.now)
    outcome = bench.run(forever(lambda request: limit.refusal() or scoring(request)), rows=500, concurrency=64)
    assert (outcome.code, outcome.statuses) == (0, {"ok": 500})
    assert outcome.requests <= 500 * 1.25


def test_one_poisonous_row_costs_only_itself(bench: Bench) -> None:
    def play(request: HttpRequest) -> HttpAnswer:
        return error(500) if "What is 7?" in prompt_of(request) else scoring(request)

    outcome = bench.run(forever(play), rows=60, concurrency=4)
    expect(outcome, {"ok": 59, "call_error": 1}, requests=63, waited=THREE, code=0)
    assert outcome.kinds == {"server": 1}


@pytest.mark.parametrize("status", [500, 503])
def test_a_dead_endpoint_costs_few_requests_and_the_run_can_be_resumed(bench: Bench, status: int) -> None:
    events: list[Event] = []
    endpoint = Endpoint(forever(status), bench.clock, preflight=False)
    with listening(endpoint) as server:
        outcome = bench.judge(endpoint, server, rows=2000, concurrency=32)
        events += outcome.events
        assert outcome.code == 4, outcome.statuses
        assert outcome.requests <= 200 + 32
        assert outcome.statuses["pending"] >= 1700
        assert 550 <= outcome.clock.now <= 750
        endpoint._schedule = iter(())
        again = bench.judge(endpoint, server, rows=2000, concurrency=32)
    assert (again.code, again.statuses) == (0, {"ok": 2000})
