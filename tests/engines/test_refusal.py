"""What a status and an error body mean: the table of kinds, what is fatal, what is tried again."""

from __future__ import annotations

import json

import pytest

from gavelkit.core.errors import CallError
from gavelkit.core.failure import FailureKind
from gavelkit.engines.refusal import refusal

K = FailureKind


def refused(status: int, body: object = b"", **headers: str) -> CallError:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return refusal(status, data, named.get)


@pytest.mark.parametrize(
    ("status", "kind", "retryable", "fatal"),
    [
        (400, K.BAD_REQUEST, False, False),
        (401, K.AUTH, False, True),
        (402, K.QUOTA, False, True),
        (403, K.FORBIDDEN, False, False),
        (404, K.MODEL_NOT_FOUND, False, True),
        (405, K.BAD_REQUEST, False, False),
        (408, K.TIMEOUT, True, False),
        (409, K.SERVER, True, False),
        (413, K.INPUT_TOO_LONG, False, False),
        (422, K.BAD_REQUEST, False, False),
        (423, K.BAD_REQUEST, False, False),
        (425, K.BAD_REQUEST, False, False),
        (429, K.RATE_LIMIT, True, False),
        (451, K.FORBIDDEN, False, False),
        (500, K.SERVER, True, False),
        (501, K.SERVER, False, False),
        (505, K.SERVER, False, False),
        (502, K.SERVER, True, False),
        (503, K.SERVER, True, False),
        (504, K.SERVER, True, False),
        (520, K.SERVER, True, False),
        (524, K.SERVER, True, False),
        (529, K.SERVER, True, False),
        (204, K.BAD_REQUEST, False, False),
    ],
)
def test_a_bare_status_has_its_kind(status: int, kind: FailureKind, *, retryable: bool, fatal: bool) -> None:
    error = refused(status)
    assert (error.failure.kind, error.retryable, error.failure.fatal) == (kind, retryable, fatal)
    assert str(error).startswith(f"HTTP {status}")


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"code": "insufficient_quota", "message": "x"}, K.QUOTA),
        (429, {"type": "insufficient_quota"}, K.QUOTA),
        (429, {"message": "You exceeded your current quota, please check your plan"}, K.QUOTA),
        (403, {"code": "billing_hard_limit_reached"}, K.QUOTA),
        (429, {"code": "billing_not_active"}, K.QUOTA),
        (400, {"code": "context_length_exceeded"}, K.INPUT_TOO_LONG),
        (400, {"message": "This model's maximum context length is 4096 tokens"}, K.INPUT_TOO_LONG),
        (400, {"message": "the request exceeds the context window"}, K.INPUT_TOO_LONG),
        (400, {"message": "Prompt is too long: 9 tokens"}, K.INPUT_TOO_LONG),
        (400, {"code": "unsupported_parameter", "param": "max_tokens"}, K.UNSUPPORTED_PARAM),
        (400, {"code": "unsupported_value", "param": "temperature"}, K.UNSUPPORTED_PARAM),
        (403, {"message": "You are not allowed to request logprobs from this model"}, K.UNSUPPORTED_PARAM),
        (404, {"code": "model_not_found"}, K.MODEL_NOT_FOUND),
        (400, {"message": "The model `gpt-9` does not exist"}, K.MODEL_NOT_FOUND),
        (400, {"message": "model not found, try pulling it first"}, K.MODEL_NOT_FOUND),
        (500, {"message": "the cache entry does not exist"}, K.SERVER),
        (400, {"code": "content_filter"}, K.FILTERED),
        (403, {"type": "content_policy_violation"}, K.FILTERED),
        (429, {"code": "rate_limit_exceeded", "message": "Limit 3/min"}, K.RATE_LIMIT),
    ],
)
def test_the_words_of_the_body_say_more_than_the_status(status: int, error: object, kind: FailureKind) -> None:
    found = refused(status, {"error": error})
    assert found.failure.kind is kind
    assert found.failure.fatal == (kind in {K.QUOTA, K.MODEL_NOT_FOUND})


@pytest.mark.parametrize(
    ("error", "param", "code"),
    [
        ({"param": "temperature", "code": "unsupported_value"}, "temperature", "unsupported_value"),
        ({"param": None, "code": 400}, "", ""),
        ({"message": "x"}, "", ""),
    ],
)
def test_the_parameter_and_the_code_are_kept_where_they_are_texts(error: object, param: str, code: str) -> None:
    found = refused(400, {"error": error})
    assert (found.param, found.code) == (param, code)


@pytest.mark.parametrize(
    ("body", "kind", "retryable"),
    [
        ({"error": {"code": 429, "message": "slow"}}, K.RATE_LIMIT, True),
        ({"error": {"code": 401, "message": "who?"}}, K.AUTH, False),
        ({"error": {"code": 502, "message": "upstream"}}, K.SERVER, True),
        ({"error": {"code": "rate_limit_exceeded"}}, K.RATE_LIMIT, True),
        ({"error": {"type": "rate_limit_error"}}, K.RATE_LIMIT, True),
        ({"error": {"type": "authentication_error"}}, K.AUTH, False),
        ({"error": {"code": "invalid_api_key"}}, K.AUTH, False),
        ({"error": {"code": "insufficient_quota"}}, K.QUOTA, False),
        ({"error": {"code": True, "message": "odd"}}, K.SERVER, True),
        ({"error": {"message": "out of memory"}}, K.SERVER, True),
        ({"error": "plain words"}, K.SERVER, True),
    ],
)
def test_an_error_inside_a_200_is_read_like_the_status_it_names(
    body: object, kind: FailureKind, *, retryable: bool
) -> None:
    error = refused(200, body)
    assert (error.failure.kind, error.retryable) == (kind, retryable)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": " no luck "}}, "HTTP 400: no luck"),
        ({"message": "at the top"}, "HTTP 400: at the top"),
        ({"error": "plain words"}, "HTTP 400: plain words"),
        ({"error": ["odd"]}, "HTTP 400: ['odd']"),
        ([1], "HTTP 400: [1]"),
        (b"not json", "HTTP 400: not json"),
        (b"\xe9t\xe9", "HTTP 400: \ufffdt\ufffd"),
        (b"[" * 100_000, f"HTTP 400: {'[' * 200}"),
        (b"", "HTTP 400"),
        ({"error": None}, 'HTTP 400: {"error": null}'),
    ],
)
def test_the_message_is_the_bodys_own_where_it_has_one(body: object, message: str) -> None:
    assert str(refused(400, body)) == message


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, "HTTP 401: the endpoint refuses the key"),
        (402, "HTTP 402: the account has no quota left"),
        (404, "HTTP 404: the endpoint has no such model or path (a base URL usually ends in /v1)"),
    ],
)
def test_what_only_a_user_can_mend_says_what_to_mend(status: int, message: str) -> None:
    assert str(refused(status)) == message
    assert str(refused(status, {"error": {"message": "Sorry."}})) == f"{message}: Sorry."


def test_a_key_that_the_endpoint_repeats_is_not_kept() -> None:
    error = refused(401, {"error": {"message": "Incorrect API key provided: sk-proj-****************wxyz Look here."}})
    assert "wxyz" not in str(error) + error.failure.raw
    assert str(error).endswith("Incorrect API key provided: sk-... Look here.")
    assert "sk-" in str(refused(400, {"error": {"message": "a task-oriented risk-averse sk-"}}))


def test_a_message_without_end_is_cut() -> None:
    assert len(str(refused(400, {"error": {"message": "x" * 1_000_000}}))) < 2100


def test_the_first_two_thousand_bytes_of_the_body_are_kept() -> None:
    assert refused(500, b"\xe9" + b"x" * 5000).failure.raw == "\ufffd" + "x" * 1999


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_only_its_host_is_named(status: int) -> None:
    error = refused(status, location="https://evil.example:8443/path?token=hush")
    assert error.failure.kind is K.REDIRECT
    assert not error.retryable
    assert "evil.example" in str(error)
    assert "hush" not in str(error)
    assert "path" not in str(error)


@pytest.mark.parametrize("location", ["", "/relative", "http://[broken"])
def test_a_redirect_to_nowhere_is_still_a_redirect(location: str) -> None:
    error = refused(302, location=location) if location else refused(302)
    assert error.failure.kind is K.REDIRECT
    assert "an unnamed place" in str(error)


@pytest.mark.parametrize(
    ("status", "header", "retryable"),
    [(500, "false", False), (500, "FALSE ", False), (400, "true", True), (500, "maybe", True), (400, "", False)],
)
def test_a_server_may_say_itself_whether_to_try_again(status: int, header: str, *, retryable: bool) -> None:
    assert refused(status, x_should_retry=header).retryable is retryable


@pytest.mark.parametrize("status", [401, 402, 404])
def test_what_is_fatal_is_never_tried_again_whatever_a_server_says(status: int) -> None:
    assert not refused(status, x_should_retry="true").retryable


def test_the_hint_rides_along_with_the_error() -> None:
    assert refused(503, retry_after="12").retry_after == 12
    assert refused(503).retry_after is None


def test_a_limits_reset_is_a_hint_where_the_limit_was_met() -> None:
    assert refused(429, x_ratelimit_reset_requests="6s").retry_after == 6
    assert refused(503, x_ratelimit_reset_requests="6s").retry_after is None


@pytest.mark.parametrize(
    ("status", "overloaded"),
    [(429, True), (503, True), (529, True), (408, True), (500, False), (502, False), (400, False)],
)
def test_fewer_calls_at_once_may_help_an_endpoint_with_too_much_to_do(status: int, *, overloaded: bool) -> None:
    assert refused(status).overloaded is overloaded
