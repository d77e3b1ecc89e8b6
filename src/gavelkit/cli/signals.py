"""Signals ask a run to stop: once, and what is in flight is finished; twice, and it ends at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from gavelkit.run import Stop

_NAMES = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "the terminal was closed"}


@contextmanager
def stopping(stop: Stop) -> Iterator[None]:
    """While this holds, SIGINT, SIGTERM and SIGHUP ask `stop`; a second one ends the process at once."""

    def ask(number: int, _frame: FrameType | None) -> None:
        code = 128 + number
        if stop.asked:
            os._exit(code)
        stop.ask(_NAMES[signal.Signals(number)], exit_code=code)
        with suppress(OSError, RuntimeError):  # the terminal may be gone, or be written to at this very moment
            sys.stderr.write("\nfinishing what is in flight; once more to stop at once\n")

    before = {number: signal.signal(number, ask) for number in _NAMES}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
