"""Stored replies: asked once, kept before anybody reads them, never paid for twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from gavelkit.core.completion import Completion
from gavelkit.core.errors import NotYet
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine, Journal, ReplyStore

InFlight = dict[bytes, asyncio.Future[Completion]]
"""The calls under way, by key."""


class Replaying:
    """The outermost engine of a run: a stored reply where there is one, else the inner engine's, stored at once.

    Equal requests in flight at the same time share one call, those of all who share `in_flight`.
    """

    def __init__(
        self, inner: Engine, store: ReplyStore, journal: Journal, *, in_flight: InFlight | None = None
    ) -> None:
        self._inner = inner
        self._store = store
        self._journal = journal
        self._in_flight: InFlight = {} if in_flight is None else in_flight

    async def complete(self, request: Request) -> Completion:
        """The reply, with its number in the record. Raises what the inner engine raises."""
        stored = self._store.find(request.key)
        if stored is not None:
            return stored
        asked = self._in_flight.get(request.key)
        if asked is not None:
            return await self._shared(request, asked)
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._in_flight[request.key] = future
        try:
            completion = self._journal.reply(request, await self._inner.complete(request))
        except asyncio.CancelledError:
            future.cancel()
            raise
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # nobody else may be waiting, and that is no mistake
            raise
        else:
            future.set_result(completion)
            return completion
        finally:
            del self._in_flight[request.key]

    async def _shared(self, request: Request, asked: asyncio.Future[Completion]) -> Completion:
        """What another's call brings. Where whoever made it was cancelled, the question is still to be asked."""
        await asyncio.wait({asked})
        if asked.cancelled():
            return await self.complete(request)
        return replace(asked.result(), replayed=True)


class StoredOnly:
    """The engine of a pass that makes no call: what is not stored has not come yet."""

    def __init__(self, store: ReplyStore) -> None:
        self._store = store

    async def complete(self, request: Request) -> Completion:
        """The stored reply. Raises NotYet where there is none."""
        stored = self._store.find(request.key)
        if stored is None:
            raise NotYet
        return stored
