"""One line of the log for each call. No key of an account and no header ever comes here."""

from __future__ import annotations

import logging

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.failure import Failure
from gavelkit.core.message import Request
from gavelkit.core.status import Status

_LOG = logging.getLogger("gavelkit.judges")
_SHOWN = 200


def log_call(request: Request, status: Status, completion: Completion | None, failure: Failure | None) -> None:
    """Tell how a call ended: its key, status and tokens, and how a reply begins that could not be read."""
    if not _LOG.isEnabledFor(logging.DEBUG):
        return
    usage = completion.usage if completion else Usage()
    kind = f" ({failure.kind})" if failure and failure.kind else ""
    stored = ", stored" if completion and completion.replayed else ""
    tokens = f"{_count(usage.prompt_tokens)} tokens in, {_count(usage.completion_tokens)} out"
    shown = f": {completion.text[:_SHOWN]!r}" if completion and status.failed else ""
    whose = f"judge {request.labels.judge}, row {request.labels.example_id}"
    _LOG.debug("call %s: %s: %s", request.key.hex(), whose, f"{status}{kind}, {tokens}{stored}{shown}")


def _count(tokens: int | None) -> str:
    return "?" if tokens is None else str(tokens)
