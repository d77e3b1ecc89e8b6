"""What `LOGLEVEL` asks to see, on stderr. Loggers are called `gavelkit.<room>`."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from gavelkit.cli.ending import say

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class _OnStderr(logging.Handler):
    """Writes as every other message does: no control characters, and no end where nobody reads any more."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        say(self.format(record))


def show_logs(variables: Mapping[str, str]) -> None:
    """Show the package's log from `LOGLEVEL` up, `WARNING` where it says nothing usable."""
    asked = variables.get("LOGLEVEL", "").strip().upper()
    level = asked if asked in _LEVELS else "WARNING"
    if asked and asked != level:
        say(f"LOGLEVEL {asked!r} is none of {', '.join(_LEVELS)}; {level} is taken")
    log = logging.getLogger("gavelkit")
    log.setLevel(level)
    if not any(isinstance(handler, _OnStderr) for handler in log.handlers):
        handler = _OnStderr()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        log.addHandler(handler)
