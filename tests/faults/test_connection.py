"""What a run makes of connections that fail: refused, silent, reset, cut, stale, distrusted, redirected."""

from __future__ import annotations

import itertools
import random
import ssl
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import trustme
from tests.makers import prompt_of, scoring

from gavelkit.simulator.server import HttpAnswer, HttpRequest

from .conftest import Bench, Endpoint, Play, error, expect, forever, listening

# Backoff doubles from 1 s: one retry waits 1 to 2 s, the next 1 to 4, the third 1 to 8.
ONE, TWO, THREE = (1.0, 2.0), (2.0, 6.0), (3.0, 14.0)

TRANSIENT: list[tuple[int, Play, str]] = [
    (5, "reset", "reset"),
    (5, "close", "reset"),
    (6, "reset_midway", "reset"),
    (7, "short", "protocol"),
    (8, "truncated_chunk", "protocol"),
]


@pytest.mark.parametrize(("row", "fault", "kind"), TRANSIENT)
def test_a_lost_reply_is_asked_for_again(bench: Bench, row: int, fault: Play, kind: str) -> None:
    outcome = bench.run(fault, fault, rows=1)
    expect(outcome, "ok", requests=3, waited=TWO)


@pytest.mark.parametrize(("row", "fault", "kind"), TRANSIENT)
def test_a_reply_that_is_lost_every_time_is_a_failed_call(bench: Bench, row: int, fault: Play, kind: str) -> None:
    outcome = bench.run(forever(fault))
    expect(outcome, "call_error", kind=kind, requests=4, waited=THREE)


def test_a_port_nobody_listens_on_ends_the_preflight_within_five_seconds(bench: Bench) -> None:
    endpoint = Endpoint([], bench.clock, preflight=True)
    with listening(endpoint) as server:
        server.down()
        outcome = bench.judge(endpoint, server, preflight_check=True)
    assert (outcome.code, outcome.requests, outcome.report) == (4, 0, None)
    assert f"http://127.0.0.1:{server.port}/v1" in outcome.message
    assert outcome.clock.now < 5


def test_a_server_that_is_away_for_three_seconds_costs_nobody_a_judgment(bench: Bench) -> None:
    endpoint = Endpoint([], bench.clock, preflight=False)
    with listening(endpoint) as server:

        def leave(request: HttpRequest) -> HttpAnswer:
            bench.clock.at(bench.clock.now + 3, server.up)
            return HttpAnswer(fault="refuse", fault_seconds=3600)

        endpoint._schedule = itertools.chain([scoring] * 5, [leave])
        outcome = bench.judge(endpoint, server, rows=20, concurrency=4, retry_attempts=5)
    expect(outcome, {"ok": 20}, requests=range(21, 25), waited=(3.0, 30.0))


def test_a_server_that_stays_away_is_given_up_and_the_run_can_be_resumed(bench: Bench) -> None:
    endpoint = Endpoint([scoring] * 10, bench.clock, preflight=False)
    with listening(endpoint) as server:
        endpoint._schedule = itertools.chain([scoring] * 10, [HttpAnswer(fault="refuse", fault_seconds=3600)])
        outcome = bench.judge(endpoint, server, rows=300, concurrency=4)
        assert outcome.code == 4, outcome.statuses
        assert outcome.statuses["pending"] >= 200
        assert 550 <= outcome.clock.now <= 750
        server.up()
        again = bench.judge(endpoint, server, rows=300, concurrency=4)
    assert (again.code, again.statuses) == (0, {"ok": 300})


@pytest.mark.real_time
def test_a_server_that_says_nothing_is_a_timeout(bench: Bench) -> None:
    outcome = bench.run(forever("silence"), timeout=0.1, retry_attempts=1)
    expect(outcome, "call_error", kind="timeout", requests=2, waited=ONE)


@pytest.mark.real_time
def test_a_body_that_drips_is_cut_off_at_the_deadline_and_its_place_is_free_again(bench: Bench) -> None:
    began = time.monotonic()
    outcome = bench.run("drip", "drip", rows=3, timeout=0.2)
    expect(outcome, {"ok": 3}, requests=5, waited=TWO)
    assert time.monotonic() - began < 1.5


def test_a_connection_that_is_stale_each_time_costs_neither_a_failure_nor_a_wait(bench: Bench) -> None:
    outcome = bench.run(forever("stale"), rows=200, concurrency=8)
    expect(outcome, {"ok": 200}, requests=200)
    assert outcome.clock.waits == []


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def _expired() -> dict[str, Any]:
    from datetime import UTC, datetime  # noqa: PLC0415 - one case alone

    return {"not_before": datetime(2020, 1, 1, tzinfo=UTC), "not_after": datetime(2021, 1, 1, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("host", "trusted", "dates"),
    [("127.0.0.1", False, {}), ("judge.example", True, {}), ("127.0.0.1", True, _expired())],
    ids=["self-signed", "wrong host", "expired"],
)
@pytest.mark.parametrize("preflight", [True, False])
def test_a_certificate_that_cannot_be_trusted_is_no_endpoint(
    bench: Bench,
    tmp_path: Path,
    authority: trustme.CA,
    host: str,
    dates: dict[str, Any],
    *,
    trusted: bool,
    preflight: bool,
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host, **dates).configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    environment = {"SSL_CERT_FILE": str(tmp_path / "ca.pem")} if trusted else {}
    outcome = bench.run(scheme="https", tls=context, environment=environment, preflight_check=preflight)
    assert (outcome.requests, outcome.clock.now) == (0, 0)
    assert "certificate" in (outcome.message if preflight else str(outcome.judgments[0].failure))
    assert outcome.code == (4 if preflight else 3)
    assert outcome.kinds == ({} if preflight else {"tls": 1})


def test_a_certificate_of_a_trusted_authority_is_an_endpoint(
    bench: Bench, tmp_path: Path, authority: trustme.CA
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    outcome = bench.run(scheme="https", tls=context, environment={"SSL_CERT_FILE": str(tmp_path / "ca.pem")})
    expect(outcome, "ok", requests=1)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_never_followed(bench: Bench, status: int) -> None:
    landed: list[HttpRequest] = []

    def land(request: HttpRequest) -> HttpAnswer:
        landed.append(request)
        return scoring(request)

    with listening(land) as elsewhere:
        target = f"http://127.0.0.1:{elsewhere.port}/secret/path?key=hush"
        outcome = bench.run(forever(error(status, headers={"location": target})))
    expect(outcome, "call_error", kind="redirect", requests=1)
    told = str(outcome.judgments[0].failure)
    assert "127.0.0.1" in told
    assert "hush" not in told
    assert landed == []


@pytest.mark.parametrize("fault", ["garbage", "huge_header"])
def test_what_is_no_http_is_asked_for_once_more_and_no_further(bench: Bench, fault: Play) -> None:
    outcome = bench.run(forever(fault))
    expect(outcome, "call_error", kind="protocol", requests=2, waited=ONE)


@pytest.mark.parametrize("fault", ["garbage", "huge_header"])
def test_what_is_no_http_once_costs_one_retry(bench: Bench, fault: Play) -> None:
    outcome = bench.run(fault)
    expect(outcome, "ok", requests=2, waited=ONE)


JUDGMENTS = 3000


def test_chaos_costs_no_judgment_and_few_requests(bench: Bench) -> None:
    """One in twenty connections is closed, one request in twenty gets a 500 and one a 429, at most thrice for a row."""
    asked: Counter[str] = Counter()

    def chaotic(request: HttpRequest) -> HttpAnswer:
        prompt = prompt_of(request)
        asked[prompt] += 1
        drawn = random.Random(f"{prompt} {asked[prompt]}").random()  # noqa: S311 - a schedule that is always the same
        if asked[prompt] > 3 or drawn > 0.15:
            return scoring(request)
        return HttpAnswer(fault="close") if drawn < 0.05 else error(500 if drawn < 0.1 else 429)

    outcome = bench.run(forever(chaotic), rows=JUDGMENTS, concurrency=32)
    expect(outcome, {"ok": JUDGMENTS}, requests=range(JUDGMENTS, int(1.25 * JUDGMENTS)), waited=(1.0, 2000.0))
    places = Counter(judgment.slot.example_id for judgment in outcome.judgments)
    assert len(places) == places.total() == JUDGMENTS
