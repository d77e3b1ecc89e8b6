"""Every error gavelkit raises, in one tree, each with the exit code it ends a command with.

GavelError                          1
├── UsageError                      2   a setting, flag, file or row that cannot be used
│   ├── ConfigError                     a configuration file, setting or variable
│   ├── DataError                       a row of the data, with file, line and field
│   └── TemplateError                   a prompt template, with its line and the first row that fails
├── RunFailed                       3   finished, but too much failed; carries the report
├── EndpointError                   4   the endpoint is unusable; the run can be resumed; carries the report
├── StorageError                    5   the run folder cannot be read or written
│   └── RunHeld                         another process writes this run
└── Interrupted                130, 143, 129   a signal, or a cap (3); the run can be resumed; carries the report

Signals between rooms, never seen by a user:
CallError     an engine has no reply and says why
└── EmptyReply    a reply in which nobody said anything
NotYet        an engine has no reply yet, which is no failure
ParseError    a parser found no verdict in its place
OutOfRange    a grade lies outside its scale
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gavelkit.core.completion import Completion
from gavelkit.core.failure import RETRYABLE, Failure, FailureKind

if TYPE_CHECKING:
    from gavelkit.core.report import Report


class GavelError(Exception):
    """The root. `exit_code` is what a command returns when this error ends it."""

    exit_code = 1


class UsageError(GavelError):
    """Something the user gave cannot be used; nothing was called and nothing is lost."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration file, setting, flag or environment variable is wrong."""


class DataError(UsageError):
    """A row of the data is wrong. The message starts with `file:line`."""


class TemplateError(UsageError):
    """A prompt template is wrong, or a row lacks what it names."""


class RunFailed(GavelError):
    """The run finished and is kept, but a judge failed too often. `report` holds what it concluded."""

    exit_code = 3

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report


class EndpointError(GavelError):
    """The endpoint refuses every call (key, quota, model). What was not begun is pending; `report` holds the rest.

    `report` is None where the pre-flight failed: nothing was begun.
    """

    exit_code = 4

    def __init__(self, message: str, report: Report | None = None) -> None:
        super().__init__(message)
        self.report = report


class StorageError(GavelError):
    """The run folder cannot be read or written. What was reported as done is on disk."""

    exit_code = 5


class RunHeld(StorageError):
    """Another living process is writing this run."""


class Interrupted(GavelError):
    """A signal stopped the run after the replies in flight were stored. The same command resumes it."""

    def __init__(self, message: str, report: Report, *, exit_code: int = 130) -> None:
        super().__init__(message)
        self.report = report
        self.exit_code = exit_code


class CallError(Exception):
    """An engine has no reply. `failure` says why; `retry_after` is the server's hint in seconds.

    `retryable` is True where a second try may well succeed; it follows from the kind unless given. `param` and `code`
    are the parameter that the server's error is about and its name for the error, where it says so. `overloaded` is
    True where fewer calls at once may help; it follows from the kind unless given. `requests` is how many requests
    were made in vain. `most_retries` bounds how often this is tried again, whatever a user allows.
    """

    def __init__(  # noqa: PLR0913 - each by keyword; an error tells what a reply told, and replies tell much
        self,
        kind: FailureKind,
        message: str,
        *,
        raw: str = "",
        retry_after: float | None = None,
        fatal: bool = False,
        retryable: bool | None = None,
        param: str = "",
        code: str = "",
        overloaded: bool | None = None,
        most_retries: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.failure = Failure(kind=kind, message=message, raw=raw, fatal=fatal)
        self.retry_after = retry_after
        self.retryable = (kind in RETRYABLE and not fatal) if retryable is None else retryable
        self.param = param
        self.code = code
        self.overloaded = kind in {FailureKind.RATE_LIMIT, FailureKind.TIMEOUT} if overloaded is None else overloaded
        self.most_retries = most_retries
        self.requests = 1

    def after(self, requests: int, *, message: str = "") -> CallError:
        """The same error as the end of so many requests, with another message where one is given."""
        failure = self.failure
        error = CallError(
            self.kind,
            message or failure.message,
            raw=failure.raw,
            retry_after=self.retry_after,
            fatal=failure.fatal,
            retryable=self.retryable,
            param=self.param,
            code=self.code,
            overloaded=self.overloaded,
            most_retries=self.most_retries,
        )
        error.requests = requests
        return error


class EmptyReply(CallError):
    """A reply in which nobody said anything: worth another try, and where that ends so too, a reply all the same."""

    def __init__(self, message: str, completion: Completion, *, most_retries: int) -> None:
        super().__init__(FailureKind.EMPTY, message, retryable=True, most_retries=most_retries)
        self.completion = completion


class NotYet(Exception):
    """An engine has no reply for this request yet."""


class ParseError(Exception):
    """A parser found no verdict in its place. Never a guess: `kind` is None, EMPTY or AMBIGUOUS."""

    def __init__(self, message: str, *, kind: FailureKind | None = None) -> None:
        super().__init__(message)
        self.kind = kind


class OutOfRange(Exception):
    """A grade was read but lies outside its scale."""
