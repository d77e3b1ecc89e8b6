"""How many calls a run would make: the run's own judges on an engine that only counts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gavelkit.core.completion import Completion
from gavelkit.core.errors import NotYet
from gavelkit.core.hash_index import HashIndex
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine, Judge, ReplyStore
from gavelkit.datasets import Source
from gavelkit.judges.turns import ASSESSMENT
from gavelkit.run.folder import holds_run
from gavelkit.storage import open_reader

CHARACTERS_PER_TOKEN = 4
"""An estimate that holds for English; other languages and code take more tokens."""
_LIMITS = ("max_tokens", "max_completion_tokens")


@dataclass(slots=True)
class Calls:
    """What a judge would ask: `calls` to make, `held` replies that are on disk, and how much goes out and comes back.

    `most_completion_tokens` is None where a request sets no limit.
    """

    calls: int = 0
    held: int = 0
    characters: int = 0
    most_completion_tokens: int | None = 0

    @property
    def prompt_tokens(self) -> int:
        """An estimate."""
        return -(-self.characters // CHARACTERS_PER_TOKEN)

    def add(self, request: Request) -> None:
        """One call more."""
        self.calls += 1
        self.characters += sum(len(message.content) for message in request.messages)
        limit = _limit(request)
        known = self.most_completion_tokens
        self.most_completion_tokens = None if known is None or limit is None else known + limit


def _limit(request: Request) -> int | None:
    """The most tokens of a reply, None where the request does not say."""
    values = [request.parameters.values.get(name) for name in _LIMITS]
    return next((value for value in values if isinstance(value, int)), None)


class CountingEngine:
    """Counts each distinct request whose reply is not stored, once for all who share `seen`."""

    def __init__(self, store: ReplyStore | None, seen: HashIndex, calls: Calls) -> None:
        self._store = store
        self._seen = seen
        self._calls = calls

    async def complete(self, request: Request) -> Completion:
        """The stored reply, or what may stand for an assessment. Raises NotYet where there is none."""
        stored = None if self._store is None else self._store.find(request.key)
        short = int.from_bytes(request.key[:8], "little", signed=True)
        if self._seen.get(short) is None:
            self._seen.put(short, 1)
            if stored is None:
                self._calls.add(request)
            else:
                self._calls.held += 1
        if stored is not None:
            return stored
        if request.labels.step.endswith(ASSESSMENT):  # what is asked next is counted too, with the longest assessment
            limit = _limit(request) or 0
            return Completion(request.key.hex().ljust(limit * CHARACTERS_PER_TOKEN, "x"))
        raise NotYet


async def count_calls(
    source: Source | None, judges: Sequence[Judge], *, folder: Path, limit: int | None, repeat: int
) -> dict[str, Calls]:
    """What each judge would ask of its endpoint; of recorded replies and functions nothing is asked.

    The folder's replies count as held; without a source nothing is counted. Raises DataError or StorageError.
    """
    if source is None:
        return {}
    counted = {judge.name: Calls() for judge in judges}
    reader = open_reader(folder) if holds_run(folder) else None
    try:
        store, seen = None if reader is None else reader.replies(), HashIndex()
        asking = [judge.bind(partial(_counting, store, seen, counted[judge.name])) for judge in judges if judge.probes]
        for example in source.examples(limit=limit) if asking else ():
            await asyncio.sleep(0)  # where an interruption is heard
            for judge in asking:
                for number in range(repeat):
                    await judge(example, repeat=number)
    finally:
        if reader is not None:
            reader.close()
    return counted


def _counting(store: ReplyStore | None, seen: HashIndex, calls: Calls, _engine: Engine) -> Engine:
    return CountingEngine(store, seen, calls)
