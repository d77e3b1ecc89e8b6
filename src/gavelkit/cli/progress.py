"""What a run shows while it goes on: a bar on a terminal, plain lines elsewhere, nothing with --quiet."""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import suppress
from typing import NoReturn, TextIO

from tqdm import tqdm

from gavelkit.core.event import CircuitClosed, CircuitOpened, Committed, Event, Noticed, Planned, Retried, Throttled
from gavelkit.reports import printable

_LINE_SECONDS = 10.0


class Progress:
    """Hears a run's events from its loop and writes to stderr. Only what is on disk counts as done."""

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._bar: tqdm[NoReturn] | None = None
        self._total: int | None = None
        self._held = 0
        self._done = 0
        self._tokens = 0
        self._failed: Counter[str] = Counter()
        self._retried = 0
        self._throttled: Throttled | None = None
        self._began = self._said = time.monotonic()

    def observe(self, event: Event) -> None:
        """Take in one event. Where nobody reads any more, the run goes on."""
        with suppress(OSError):
            self._take(event)

    def _take(self, event: Event) -> None:
        if isinstance(event, Committed):
            self._count(event)
        elif isinstance(event, Planned):
            self._plan(event)
        elif isinstance(event, Retried):
            self._retried += 1
        elif not self._quiet:
            self._tell(event)
        self._show()

    def _tell(self, event: Event) -> None:
        if isinstance(event, Noticed):
            self._write(event.message)
        elif isinstance(event, Throttled):
            self._throttled = event
        elif isinstance(event, CircuitOpened):
            self._write(f"the endpoint fails every call ({event.reason}); it is tried again in {event.seconds:,.0f} s")
        elif isinstance(event, CircuitClosed):
            self._write(f"the endpoint replies again, after {event.seconds:,.0f} s")

    def close(self) -> None:
        """Leave the last line standing."""
        with suppress(OSError):
            if self._bar is not None:
                self._bar.close()
            elif not self._quiet and self._done:
                self._write(self._line())

    def _plan(self, event: Planned) -> None:
        self._total, self._held = event.judgments, event.held
        self._began = self._said = time.monotonic()
        if self._quiet:
            return
        if event.seconds >= 1:
            self._write(f"rows and templates checked in {event.seconds:,.1f} s")
        if event.held:
            self._write(f"{event.held:,} judgments are on disk already")
        if self._stream.isatty():
            remaining = None if event.judgments is None else max(0, event.judgments - event.held)
            self._bar = tqdm(total=remaining, file=self._stream, unit="judgment", dynamic_ncols=True, smoothing=0.1)

    def _count(self, event: Committed) -> None:
        self._done += len(event.judgments)
        for judgment in event.judgments:
            if judgment.status.failed:
                kind = judgment.failure.kind if judgment.failure else None
                self._failed[str(kind or judgment.status)] += 1
            for step in judgment.steps:
                usage = step.completion.usage
                self._tokens += (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)

    def _show(self) -> None:
        if self._quiet:
            return
        if self._bar is not None:
            self._bar.set_postfix_str(self._details(), refresh=False)
            self._bar.update(self._done - self._bar.n)
        elif time.monotonic() - self._said >= _LINE_SECONDS:
            self._said = time.monotonic()
            self._write(self._line())

    def _line(self) -> str:
        seconds = max(time.monotonic() - self._began, 0.001)
        rate = self._done / seconds
        due = None if self._total is None else self._total - self._held
        if due is not None and due < self._done:
            due = None  # replies held already were read again as well
        remaining = None if due is None else due - self._done
        of = "" if due is None else f" of {due:,}"
        left = f", {_duration(remaining / rate)} left" if remaining and rate else ""
        details = self._details()
        return f"{self._done:,}{of} judged, {rate:,.0f}/s{left}{', ' + details if details else ''}"

    def _details(self) -> str:
        parts = [f"{self._tokens:,} tokens"] if self._tokens else []
        parts += [f"{count:,} {kind}" for kind, count in self._failed.most_common()]
        if self._retried:
            parts.append(f"{self._retried:,} retried")
        if self._throttled is not None:
            parts.append(f"at most {self._throttled.limit:,} at once ({self._throttled.reason})")
        return ", ".join(parts)

    def _write(self, text: str) -> None:
        if self._bar is not None:
            self._bar.write(printable(text, lines=True), file=self._stream)
        else:
            print(printable(text, lines=True), file=self._stream, flush=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
