"""How long a server asks to wait, in every form that servers use, and what is no hint."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.engines.hints import beyond, retry_after

DATE = "Wed, 21 Oct 2026 07:28:00 GMT"


def hint(headers: Mapping[str, str], *, limited: bool = True) -> float | None:
    return retry_after(headers.get, limited=limited)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        (" 7.5 ", 7.5),
        ("86400", 86400.0),
        ("1m30s", 90.0),
        ("0", None),
        ("-5", None),
        ("+5", None),
        ("nan", None),
        ("inf", None),
        ("1e3", None),
        ("soon", None),
        ("\u00b2", None),
        ("\u0665", None),
        (".", None),
        ("1.2.3", None),
        ("", None),
        ("9" * 4301, None),
        ("9" * 39 + "s", 1e39),
        ("9" * 4301 + "s", None),
    ],
)
def test_retry_after_in_seconds_or_nothing(text: str, seconds: float | None) -> None:
    assert hint({"retry-after": text}) == seconds


def test_milliseconds_are_finer_and_win_where_they_can_be_read() -> None:
    assert hint({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    assert hint({"retry-after-ms": "soon", "retry-after": "9"}) == 9
    assert hint({}) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30.0),
        ("Wednesday, 21-Oct-26 07:28:30 GMT", 30.0),
        ("Wed Oct 21 07:28:30 2026", 30.0),
        ("Wed, 21 Oct 2026 09:28:30 +0200", 30.0),
        ("Thu, 22 Oct 2026 07:28:00 GMT", 86400.0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("Wed, 21 Oct 2026 07:27:00 GMT", None),
        ("Wed, 21 Oct 99999999999 07:28:00 GMT", None),
        ("Wed, 99 Oct 2026 07:28:30 GMT", None),
        (":", None),
    ],
)
def test_a_date_is_read_against_the_replys_own_and_never_our_clock(text: str, seconds: float | None) -> None:
    assert hint({"retry-after": text, "date": DATE}) == seconds
    assert hint({"retry-after": text}) is None
    assert hint({"retry-after": text, "date": "yesterday"}) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("1m30s", 90.0),
        ("250ms", 0.25),
        ("1.5s", 1.5),
        ("1h0m0s", 3600.0),
        ("1d", 86400.0),
        ("12", 12.0),
        ("0s", None),
        ("0", None),
        ("-1s", None),
        ("s", None),
        ("m1", None),
        ("1s1m", None),
    ],
)
def test_a_reset_is_a_duration_or_plain_seconds(text: str, seconds: float | None) -> None:
    for name in ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset"):
        assert hint({name: text}) == seconds
        assert hint({name: text}, limited=False) is None


def test_a_reset_counts_only_where_nothing_remains() -> None:
    resets = {"x-ratelimit-reset-requests": "2s", "x-ratelimit-reset-tokens": "40s"}
    assert hint(resets) == 2
    assert hint({**resets, "x-ratelimit-remaining-tokens": "0"}) == 40
    assert hint({**resets, "x-ratelimit-remaining-tokens": "900"}) == 2
    assert hint({**resets, "x-ratelimit-remaining-tokens": "9", "x-ratelimit-remaining-requests": "9"}) is None
    assert hint({**resets, "x-ratelimit-remaining-tokens": "0", "x-ratelimit-remaining-requests": "0"}) == 40
    assert hint({**resets, "x-ratelimit-remaining-tokens": "some"}) == 2
    assert hint({**resets, "retry-after": "7"}) == 7


@pytest.mark.parametrize("text", ["1792567710", "1792567710000"])
def test_a_reset_that_counts_from_1970_is_read_against_the_replys_date(text: str) -> None:
    assert hint({"x-ratelimit-reset": text, "date": DATE}) == 30
    assert hint({"x-ratelimit-reset": text}) is None


@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset", "date"]), st.text()))
def test_whatever_a_server_sends_a_hint_is_a_time_or_none(headers: dict[str, str]) -> None:
    found = hint(headers)
    assert found is None or found > 0


def test_a_wait_that_is_too_long_is_an_end() -> None:
    error = CallError(FailureKind.RATE_LIMIT, "HTTP 429", raw="slow", retry_after=301)
    assert beyond(error, 301) is None
    assert beyond(CallError(FailureKind.RATE_LIMIT, "HTTP 429"), 301) is None
    end = beyond(error, 300)
    assert end is not None
    assert (end.kind, end.failure.fatal, end.failure.raw, end.retryable) == (error.kind, True, "slow", False)
    assert str(end) == "HTTP 429; the server asks to wait 301 s, longer than 300 s"
