"""The gate of an endpoint: one for all who call the same model there with the same key."""

from __future__ import annotations

from weakref import WeakSet

from gavelkit.core.clock import Clock
from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.event import Observe, ignore
from gavelkit.core.message import Request
from gavelkit.core.protocols import Engine
from gavelkit.engines.entrance import Entrance, GateRules
from gavelkit.engines.per_loop import PerLoop
from gavelkit.engines.retry_budget import RetryBudget

MOST_AUTO = 256


class Gate:
    """Holds what is known of an endpoint: how many calls it takes at once, when it wants the next, whether it lives.

    Every judge joins before its first call. The sum of what they join with is the limit that the gate starts with
    and never exceeds. Each event loop has an entrance of its own.
    """

    def __init__(self, rules: GateRules | None = None, *, clock: Clock, observe: Observe = ignore) -> None:
        self.rules = rules or GateRules()
        self.budget = RetryBudget()
        self._clock = clock
        self._observe = observe
        self._joined: list[tuple[int, bool]] = []
        self._known: WeakSet[Entrance] = WeakSet()
        self._entrances = PerLoop(self._make)

    def join(self, concurrency: int) -> None:
        """A judge with so many calls at once at most."""
        self._join(concurrency, auto=False)

    def join_auto(self, most: int = MOST_AUTO) -> None:
        """A judge that takes as many calls at once as the endpoint welcomes: 32 first, up to `most`."""
        self._join(most, auto=True)

    @property
    def most(self) -> int:
        """The calls at once that the gate never exceeds."""
        return sum(most for most, _ in self._joined)

    def entrance(self) -> Entrance:
        """The running loop's own."""
        return self._entrances.get()

    def reopen(self) -> None:
        """Forget on this loop that the endpoint failed, as at the beginning of a run: its user may have mended it."""
        self.entrance().forget()

    def _join(self, most: int, *, auto: bool) -> None:
        self._joined.append((most, auto))
        for entrance in self._known:
            entrance.widen(most, auto=auto)

    def _make(self) -> Entrance:
        if not self._joined:
            message = "nobody has joined the gate, so it would let nobody in"
            raise ValueError(message)
        entrance = Entrance(self.rules, clock=self._clock, observe=self._observe)
        for most, auto in self._joined:
            entrance.widen(most, auto=auto)
        self._known.add(entrance)
        return entrance


class Gated:
    """An engine round a provider: each of its requests goes through the gate."""

    def __init__(self, inner: Engine, gate: Gate) -> None:
        self._inner = inner
        self._gate = gate
        self._budget = gate.budget

    async def complete(self, request: Request) -> Completion:
        """The inner engine's reply. Raises CallError, a fatal one without a request where the endpoint is useless."""
        entrance = self._gate.entrance()
        place = entrance.enter() or await entrance.turn(request)
        self._budget.requests += 1
        try:
            completion = await self._inner.complete(request)
        except CallError as error:
            last = entrance.failed(place, error)
            if last is error:
                raise
            raise last from error
        except BaseException:
            entrance.leave(place)
            raise
        entrance.succeeded(place, completion)
        return completion
