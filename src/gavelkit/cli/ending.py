"""How a command ends: every error becomes a message on stderr, a report where there is one, and an exit code."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from gavelkit.core.errors import EndpointError, GavelError, Interrupted, RunFailed, StorageError
from gavelkit.reports import printable

_RESUMABLE = (EndpointError, Interrupted, StorageError)
_JUDGING = frozenset({"run", "score", "pairwise", "byob", "context-bench"})


def ended(command: Callable[[], int], given: Sequence[str]) -> int:
    """The command's exit code, or that of the error that ended it."""
    try:
        return command()
    except BrokenPipeError:
        raise
    except GavelError as error:
        say(f"gavel: {error}")
        if isinstance(error, RunFailed):
            say("  everything judged is kept; the same command again tries the failed calls once more,")
            say("  and with --retry-errors unreadable replies too")
        elif isinstance(error, _RESUMABLE) and _JUDGING.intersection(given[:1]):
            report = getattr(error, "report", None)
            began = report is not None or not isinstance(error, EndpointError)
            say(f"  to go on: {resume_command(given, report.folder if report else '', began=began)}")
        return error.exit_code
    except KeyboardInterrupt:
        say("gavel: interrupted")
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort, so that nobody meets a bare traceback
        if os.environ.get("GAVEL_TRACEBACK"):
            traceback.print_exc()
        say(f"gavel: this is a bug of gavelkit: {type(error).__name__}: {error}")
        say("  set GAVEL_TRACEBACK=1 to see where; what was judged is kept")
        return 1


def resume_command(given: Sequence[str], folder: str, *, began: bool = True) -> str:
    """The command that goes on, as one can paste it; `--new-run` would begin again, so its folder stands instead.

    Where no run `began`, it is the same command.
    """
    again = [each for each in given if each != "--new-run" or not began]
    into = _into(folder, given) if folder and len(again) < len(given) else []
    return shlex.join(["gavel", *again, *into])


def _into(folder: str, given: Sequence[str]) -> list[str]:
    """The flag that names a run's folder; `gavel byob` is told the one in which it lies."""
    return ["--output-dir", str(Path(folder).parent)] if "byob" in given[:1] else ["-o", folder]


def say(text: str) -> None:
    """A line for the reader, beside the results. Where nobody reads any more, the work goes on."""
    with suppress(OSError):
        print(printable(text, lines=True), file=sys.stderr, flush=True)
