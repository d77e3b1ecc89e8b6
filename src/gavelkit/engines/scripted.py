"""Replies written beforehand, given out in order: the engine of tests."""

from __future__ import annotations

from collections.abc import Iterable

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request

Turn = str | Completion | CallError | NotYet


class ScriptedEngine:
    """Gives each call the next reply, raises the next error, and keeps the requests it saw."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        self._turns = iter(turns)
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        """The next reply. Raises CallError once the script has ended."""
        self.requests.append(request)
        turn = next(self._turns, None)
        if turn is None:
            message = f"the script has {len(self.requests) - 1} replies and was asked for one more"
            raise CallError(FailureKind.NOT_RECORDED, message)
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, Completion) else Completion(text=turn, finish_reason="stop")
