"""Parameter repair: what an endpoint refuses is asked for otherwise, found out once for all who use the endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.event import Noticed, Observe, ignore
from gavelkit.core.message import Parameters, Request
from gavelkit.core.protocols import Engine
from gavelkit.engines.changes import CHANGES, REFUSABLE, Change, form_type
from gavelkit.engines.effective import differing, everything
from gavelkit.engines.per_loop import PerLoop
from gavelkit.engines.refused_parameter import refused_parameters

_MOST_KEPT = 256  # a schema of each row's own would otherwise fill the memory


class RepairMemory:
    """What one endpoint and model refused, shared by all engines that call it.

    `strict` forbids any change: the refusal is fatal then. `observe` hears once of each change what it loses.
    """

    def __init__(self, *, strict: bool = False, observe: Observe = ignore) -> None:
        self.strict = strict
        self.made: tuple[Change, ...] = ()
        self.trials = 0
        self.accepted: set[frozenset[str]] = set()
        """What the endpoint took after a refusal, by the names alone: more like it need not be tried one by one."""
        self._tried: set[str] = set()
        self._observe = observe
        self._kept: dict[str, Parameters] = {}
        self._running: PerLoop[list[asyncio.Event]] = PerLoop(list)

    @property
    def trial(self) -> asyncio.Event | None:
        """The end of the trial under way on this loop."""
        running = self._running.get() if self.trials else ()
        return running[0] if running else None

    def repaired(self, asked: Parameters) -> Parameters:
        """What to send; the same object where nothing of it is refused."""
        found = self._kept.get(asked.text)
        if found is None:
            found = asked
            for change in self.made:
                found = change.make(found)
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[asked.text] = found
        return asked if found.text == asked.text else found

    def improve(self, error: CallError, asked: Parameters, sent: Parameters) -> bool:
        """Make the next change that may help past this error; False where there is none left to try."""
        if self.repaired(asked).text != sent.text:
            return True  # on another loop somebody found out meanwhile
        names = set(refused_parameters(error, everything(sent)))
        for change in CHANGES:
            if change.parameters & names and change.name not in self._tried and change.make(sent) is not sent:
                self._tried |= {each.name for each in CHANGES if each is change or change.instead in each.parameters}
                self._set({*self.made, change})
                return True
        return False

    def take_back(self, error: CallError, before: tuple[Change, ...]) -> None:
        """Undo those of the changes made since whose parameters this error refuses as ever."""
        names = set(refused_parameters(error, REFUSABLE))
        mistaken = {each for each in self.made if each not in before and (each.parameters | {each.instead}) & names}
        self._set({*self.made} - mistaken)

    @contextmanager
    def trying(self, model: str) -> Iterator[None]:
        """While one call finds out, others that are refused wait. At the end it is told what was changed."""
        before, running, ended = self.made, self._running.get(), asyncio.Event()
        running.append(ended)
        self.trials += 1
        try:
            yield
        finally:
            self.trials -= 1
            running.remove(ended)
            ended.set()
            for change in self.made:
                if change not in before:
                    self._observe(Noticed(f"model {model!r}: {change.says}"))

    def _set(self, changes: set[Change]) -> None:
        self.made = tuple(change for change in CHANGES if change in changes)
        self._kept.clear()


class Repairing:
    """An engine round an engine. `Completion.effective` says what was sent otherwise than asked.

    The first call that is refused tries, change by change; the others that are refused meanwhile, or would be, wait
    for its end and then send what it found. No change is tried twice, so nothing loops. The engine that stores
    replies stands outside, so they are kept under the key of what was asked.
    """

    def __init__(self, inner: Engine, memory: RepairMemory) -> None:
        self._inner = inner
        self._memory = memory

    async def complete(self, request: Request) -> Completion:
        """The reply. Raises CallError: the refusal, where nothing helps or nothing may be changed."""
        sent = request.parameters
        if self._memory.made or self._memory.trials:
            sent = await self._settled(sent)
        try:
            return await self._send(request, sent)
        except CallError as error:
            return await self._ask_otherwise(request, sent, error)

    async def _settled(self, asked: Parameters) -> Parameters:
        """What to send, once no trial is under way that changes it."""
        while (sent := self._memory.repaired(asked)) is not asked:
            trial = self._memory.trial
            if trial is None:
                break
            await trial.wait()
        return sent

    async def _ask_otherwise(self, request: Request, sent: Parameters, error: CallError) -> Completion:
        """After a refusal: as another call has found out, or as this one finds out."""
        memory, refused = self._memory, error.requests
        while _refuses(error, sent):
            if memory.strict:
                message = f"{error}; strict changes nothing of what is asked: set it as the endpoint takes it"
                raise CallError(error.kind, message, raw=error.failure.raw, fatal=True).after(refused)
            while (trial := memory.trial) is not None:
                await trial.wait()
            now = memory.repaired(request.parameters)
            if now.text == sent.text or _shape(now) not in memory.accepted:
                return await self._try(request, sent, error, refused)
            sent = now
            try:
                return await self._send(request, sent, refused=refused)
            except CallError as again:
                error = again
                refused += again.requests
        raise error.after(refused) from None

    async def _try(self, request: Request, sent: Parameters, error: CallError, refused: int) -> Completion:
        """Make one change after the other until the endpoint takes the request, or says something else."""
        memory, before, asked = self._memory, self._memory.made, request.parameters
        with memory.trying(asked.model):
            while memory.improve(error, asked, sent):
                sent = memory.repaired(asked)
                try:
                    completion = await self._send(request, sent, refused=refused)
                except CallError as again:
                    error = again
                    refused += again.requests
                else:
                    memory.accepted.add(_shape(sent))
                    return completion
            memory.take_back(error, before)
        raise error.after(refused) from None

    async def _send(self, request: Request, sent: Parameters, *, refused: int = 0) -> Completion:
        if sent is request.parameters:
            completion = await self._inner.complete(request)
            return replace(completion, attempts=completion.attempts + refused) if refused else completion
        completion = await self._inner.complete(replace(request, parameters=sent))
        effective = differing(request.parameters, sent)
        return replace(completion, attempts=completion.attempts + refused, effective=effective)


def _shape(sent: Parameters) -> frozenset[str]:
    return frozenset({*everything(sent), form_type(sent)})


def _refuses(error: CallError, sent: Parameters) -> bool:
    return bool(refused_parameters(error, everything(sent)))
