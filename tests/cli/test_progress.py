"""What a run shows while it goes on: a bar on a terminal, plain lines elsewhere, nothing where nobody reads."""

from __future__ import annotations

import io
import re

import pytest

from gavelkit.cli import progress
from gavelkit.cli.progress import Progress
from gavelkit.core.completion import Completion, Usage
from gavelkit.core.event import CircuitClosed, CircuitOpened, Committed, Noticed, Planned, Retried, Throttled
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status

SLOT = Slot("j", "1", ("",))
OK = Judgment(SLOT, Status.OK, 7.0, steps=(Step("judge", Completion("x", usage=Usage(1000, 200))),))
LATE = Judgment(SLOT, Status.CALL_ERROR, failure=Failure("slow", FailureKind.TIMEOUT))
ODD = Judgment(SLOT, Status.PARSE_ERROR, failure=Failure("odd"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Gone(io.StringIO):
    def write(self, _text: str) -> int:
        raise BrokenPipeError


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The monotonic time; a test moves it on."""
    now = [100.0]
    monkeypatch.setattr("gavelkit.cli.progress.time.monotonic", lambda: now[0])
    return now


def lines(stream: io.StringIO) -> list[str]:
    return stream.getvalue().splitlines()


def test_elsewhere_there_is_a_line_every_ten_seconds_and_one_at_the_end(time: list[float]) -> None:
    stream = io.StringIO()
    shown = Progress(stream=stream)
    shown.observe(Planned(100, 20, 0.1))
    assert lines(stream) == ["20 judgments are on disk already"]
    time[0] += 5
    shown.observe(Committed((OK,) * 10))
    assert len(lines(stream)) == 1
    time[0] += 5
    shown.observe(Committed((OK,) * 10))
    assert lines(stream)[1] == "20 of 80 judged, 2/s, 0:30 left, 24,000 tokens"
    time[0] += 3
    shown.observe(Committed((OK,)))
    shown.close()
    assert lines(stream)[2:] == ["21 of 80 judged, 2/s, 0:37 left, 25,200 tokens"]


def test_failures_and_retries_are_counted_by_kind(time: list[float]) -> None:
    stream = io.StringIO()
    shown = Progress(stream=stream)
    shown.observe(Planned(None, 0, 0.0))
    shown.observe(Retried("j", FailureKind.SERVER, 1.0))
    time[0] += 10
    shown.observe(Committed((LATE, LATE, ODD)))
    assert lines(stream) == ["3 judged, 0/s, 2 timeout, 1 parse_error, 1 retried"]


def test_an_endpoint_that_has_too_much_to_do_is_told_with_the_calls_it_gets_now(time: list[float]) -> None:
    stream = io.StringIO()
    shown = Progress(stream=stream)
    shown.observe(Planned(None, 0, 0.0))
    shown.observe(Throttled(22, 1.0, "rate_limit"))
    shown.observe(Throttled(15, 1.0, "rate_limit"))
    time[0] += 10
    shown.observe(Committed((OK,)))
    assert lines(stream) == ["1 judged, 0/s, 1,200 tokens, at most 15 at once (rate_limit)"]


def test_an_endpoint_that_fails_every_call_is_told_at_once_and_again_when_it_replies(time: list[float]) -> None:
    stream = io.StringIO()
    shown = Progress(stream=stream)
    shown.observe(Planned(10, 0, 0.0))
    shown.observe(CircuitOpened(10.0, "HTTP 503: down\x1b[31m"))
    shown.observe(CircuitClosed(1234.6))
    assert lines(stream) == [
        "the endpoint fails every call (HTTP 503: down\\x1b[31m); it is tried again in 10 s",
        "the endpoint replies again, after 1,235 s",
    ]


def test_a_long_check_is_told_and_notices_are_shown_safely(time: list[float]) -> None:
    stream = io.StringIO()
    shown = Progress(stream=stream)
    shown.observe(Planned(10, 0, 2.5))
    shown.observe(Noticed("read again: evil\x1b[31m"))
    shown.close()
    assert lines(stream) == ["rows and templates checked in 2.5 s", "read again: evil\\x1b[31m"]


def test_what_was_held_and_is_read_again_is_no_share_of_what_is_due(time: list[float]) -> None:
    stream = io.StringIO()
    shown = Progress(stream=stream)
    shown.observe(Planned(10, 10, 0.0))
    shown.observe(Committed((OK,) * 10))
    shown.close()
    assert lines(stream)[-1].startswith("10 judged, ")


def test_on_a_terminal_there_is_a_bar() -> None:
    stream = Terminal()
    shown = Progress(stream=stream)
    shown.observe(Planned(10, 4, 0.0))
    shown.observe(Noticed("by the way"))
    shown.observe(Committed((OK, LATE)))
    shown.close()
    text = stream.getvalue()
    assert "by the way" in text
    assert re.search(r"2/6 \[", text)
    assert "1,200 tokens, 1 timeout" in text


def test_a_bar_without_an_end_counts() -> None:
    stream = Terminal()
    shown = Progress(stream=stream)
    shown.observe(Planned(None, 0, 0.0))
    shown.observe(Committed((OK,) * 3))
    shown.close()
    assert "3judgment" in stream.getvalue()


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_quiet_is_quiet(stream: io.StringIO) -> None:
    shown = Progress(quiet=True, stream=stream)
    troubles = (Retried("j", FailureKind.SERVER, 1.0), Throttled(1, 1.0, "server"), CircuitOpened(1.0, "x"))
    for event in (Planned(10, 4, 2.0), Noticed("x"), *troubles, CircuitClosed(1.0), Committed((OK,))):
        shown.observe(event)
    shown.close()
    assert stream.getvalue() == ""


def test_where_nobody_reads_any_more_the_run_goes_on() -> None:
    shown = Progress(stream=Gone())
    for event in (Planned(10, 4, 2.0), Noticed("x"), Committed((OK,))):
        shown.observe(event)
    shown.close()


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0:00"), (61, "1:01"), (3600, "1:00:00"), (36061, "10:01:01")])
def test_a_duration_in_hours_minutes_and_seconds(seconds: float, words: str) -> None:
    assert progress._duration(seconds) == words
