"""What a run may spend, over its folder's whole life: prices, caps, and what is noted of both in the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gavelkit.catalog import Price, price_of, read_prices
from gavelkit.core.answer import is_answer
from gavelkit.core.errors import ConfigError
from gavelkit.core.protocols import Engine, Judge
from gavelkit.engines import Budget, Ledger, SecondTry
from gavelkit.judges import AnyJudge
from gavelkit.judges.cut import Unread, unread_by
from gavelkit.run.answered import Answered
from gavelkit.run.cost import PRICES
from gavelkit.run.settings import RunSettings
from gavelkit.run.stop import Stop
from gavelkit.storage.totals import CallTotals

SPENT = "spent"
"""Under this name the record holds what was spent, failed calls and the pre-flight included."""
CAP_EXIT_CODE = 3


def prices_of(judges: Sequence[Judge], own: Path | None) -> dict[str, Price | None]:
    """The price of each judge that calls an endpoint; None where its models are several, or nobody lists it.

    Raises ConfigError.
    """
    listed = read_prices(own)
    asked = models_of(judges)
    return {name: price_of(models[0], listed) if len(models) == 1 else None for name, models in asked.items()}


def models_of(judges: Sequence[Judge]) -> dict[str, list[str]]:
    """The models that each judge's calls go to; a judge that calls no endpoint is left out."""
    return {judge.name: sorted({probe.model for probe in judge.probes}) for judge in judges if judge.probes}


def check_caps(prices: Mapping[str, Price | None], settings: RunSettings) -> None:
    """Raises ConfigError where a cap in USD is set for a model whose price is not known."""
    unknown = [name for name, price in prices.items() if price is None]
    if settings.max_cost is not None and unknown:
        message = (
            f"max_cost: the price of judge {unknown[0]!r}'s model is not known, so its cost cannot be capped; "
            f"list it in a file, prices: FILE, or cap the calls with max_requests"
        )
        raise ConfigError(message)


class Spending:
    """Wraps the judges' engines in one budget, and goes on where an earlier start stopped."""

    def __init__(
        self,
        prices: Mapping[str, Price | None],
        settings: RunSettings,
        stop: Stop,
        *,
        before: Mapping[str, Any],
        totals: Mapping[str, CallTotals],
    ) -> None:
        self._prices = prices
        self._capped = settings.max_cost is not None
        noted = before.get(SPENT) or {}
        stored = [(totals[name], price) for name, price in prices.items() if name in totals]
        cost = sum(price.cost(each.prompt_tokens, each.completion_tokens) for each, price in stored if price)
        self.ledger = Ledger(
            max_cost=settings.max_cost,
            max_requests=settings.max_requests,
            cost=max(float(noted.get("cost", 0.0)), cost),
            requests=max(int(noted.get("requests", 0)), sum(each.requests for each, _ in stored)),
            unknown=int(noted.get("unknown", 0)),
            on_cap=lambda message: stop.ask(message, exit_code=CAP_EXIT_CODE),
        )

    def wrapped(self, judge: Judge, engine: Engine) -> Engine:
        """The engine with the second try of a cut reply, and round both the budget; one that is no endpoint's as is."""
        if judge.name not in self._prices:
            return engine
        price = self._prices[judge.name]
        unread = _unread(judge)
        again = engine if unread is None else SecondTry(engine, unread)
        return Budget(again, self.ledger, cost=price.cost if price is not None and self._capped else None)

    @property
    def notes(self) -> dict[str, object]:
        """What the record keeps: what was spent so far, and at which prices."""
        ledger = self.ledger
        prices = {name: None if price is None else asdict(price) for name, price in self._prices.items()}
        return {SPENT: {"cost": ledger.cost, "requests": ledger.requests, "unknown": ledger.unknown}, PRICES: prices}


def _unread(judge: Judge) -> Unread | None:
    """How to tell which cut replies are worth a second try: those to a judge of ours, never a system's answers."""
    inner = judge.judge if isinstance(judge, Answered) else judge
    if not isinstance(inner, AnyJudge):
        return None
    unread = unread_by(inner)
    return lambda request, reply: not is_answer(request.labels.step) and unread(request, reply)
