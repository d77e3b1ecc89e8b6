"""One tree, each branch with the exit code it ends a command with."""

from __future__ import annotations

import pytest

from gavelkit.core import errors
from gavelkit.core.errors import CallError, EndpointError, Interrupted, ParseError, RunFailed
from gavelkit.core.failure import RETRYABLE, FailureKind
from gavelkit.core.report import Report

REPORT = Report("runs/x", (), ())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("GavelError", 1),
        ("UsageError", 2),
        ("ConfigError", 2),
        ("DataError", 2),
        ("TemplateError", 2),
        ("RunFailed", 3),
        ("EndpointError", 4),
        ("StorageError", 5),
        ("RunHeld", 5),
    ],
)
def test_every_error_of_the_tree_has_the_exit_code_drawn_above_it(name: str, code: int) -> None:
    error: type[errors.GavelError] = getattr(errors, name)
    assert issubclass(error, errors.GavelError)
    assert error.exit_code == code
    drawn = [line.split() for line in (errors.__doc__ or "").splitlines() if name in line.split()]
    assert drawn, f"{name} is not drawn in the tree"


def test_a_report_rides_along_with_what_ended_its_run() -> None:
    assert RunFailed("m", REPORT).report is REPORT
    assert EndpointError("m", REPORT).report is REPORT
    assert EndpointError("m").report is None


@pytest.mark.parametrize("code", [129, 130, 143])
def test_an_interruption_carries_its_signals_exit_code(code: int) -> None:
    error = Interrupted("m", REPORT, exit_code=code)
    assert (error.exit_code, error.report) == (code, REPORT)


@pytest.mark.parametrize("kind", list(FailureKind))
def test_whether_a_call_is_tried_again_follows_from_its_kind(kind: FailureKind) -> None:
    assert CallError(kind, "m").retryable is (kind in RETRYABLE)
    assert not CallError(kind, "m", fatal=True).retryable


def test_a_server_that_knows_better_decides_about_retrying() -> None:
    assert CallError(FailureKind.BAD_REQUEST, "m", retryable=True).retryable
    assert not CallError(FailureKind.SERVER, "m", retryable=False).retryable


def test_a_call_error_is_a_failure_in_waiting() -> None:
    error = CallError(FailureKind.RATE_LIMIT, "slow down", raw="body", retry_after=2.5, fatal=True)
    failure = error.failure
    assert (failure.kind, failure.message, failure.raw, failure.fatal) == ("rate_limit", "slow down", "body", True)
    assert (error.retry_after, str(error)) == (2.5, "slow down")


def test_a_call_error_names_what_the_server_refused() -> None:
    error = CallError(FailureKind.UNSUPPORTED_PARAM, "m", param="temperature", code="unsupported_value")
    assert (error.param, error.code, error.requests) == ("temperature", "unsupported_value", 1)
    assert (CallError(FailureKind.SERVER, "m").param, CallError(FailureKind.SERVER, "m").code) == ("", "")


def test_the_end_of_several_requests_is_the_same_error_otherwise() -> None:
    error = CallError(
        FailureKind.BAD_REQUEST, "m", raw="r", retry_after=2.0, fatal=True, retryable=True, param="p", code="c"
    )
    last = error.after(3)
    assert (error.requests, last.requests) == (1, 3)
    assert (last.failure, last.retry_after, last.retryable, last.param, last.code) == (
        error.failure, 2.0, True, "p", "c"
    )  # fmt: skip
    assert str(error.after(3, message="m (3 requests)")) == "m (3 requests)"


def test_whether_fewer_calls_at_once_may_help_follows_from_the_kind_unless_given() -> None:
    overloaded = {kind for kind in FailureKind if CallError(kind, "m").overloaded}
    assert overloaded == {FailureKind.RATE_LIMIT, FailureKind.TIMEOUT}
    assert CallError(FailureKind.SERVER, "m", overloaded=True).after(3).overloaded


def test_a_parse_error_has_no_kind_unless_given() -> None:
    assert ParseError("m").kind is None
    assert ParseError("m", kind=FailureKind.EMPTY).kind is FailureKind.EMPTY
