"""What calls cost in USD, by their tokens and a price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gavelkit.catalog import Price
from gavelkit.core.completion import Completion
from gavelkit.storage.totals import CallTotals

PRICES = "prices"
"""Under this name the record holds the price of each judge that calls an endpoint, null where nobody lists it."""
MODELS = "models"
"""Under this name it holds the models that each such judge's calls go to."""


def recorded_price(meta: Mapping[str, Any], judge: str, *, model: str) -> tuple[Price | None, str]:
    """The price that a run recorded for a judge, and what to say of it; nothing where the judge calls no endpoint."""
    prices = meta.get(PRICES) or {}
    if judge not in prices:
        return None, ""
    several = (meta.get(MODELS) or {}).get(judge, ())
    if len(several) > 1:
        return None, f"its calls go to {len(several)} models ({', '.join(several)}), whose costs are not told apart"
    if prices[judge] is None:
        return None, f"the price of {model!r} is not known; name a file of prices"
    price = Price(**{**prices[judge], "models": tuple(prices[judge]["models"])})
    return price, f"by {price.source}{f' of {price.as_of}' if price.as_of else ''}"


def spent(totals: CallTotals, price: Price, *, uncounted: float = 0.0) -> float:
    """What a judge's stored calls cost; each call whose tokens nobody counted is taken at `uncounted`."""
    return price.cost(totals.prompt_tokens, totals.completion_tokens) + totals.uncounted * uncounted


def cost_of(completions: Iterable[Completion], price: Price) -> float | None:
    """What the replies of one judgment cost; None where the endpoint did not count the tokens of one.

    Equal prompts share one reply, so over all judgments this may come to more than was paid.
    """
    cost = 0.0
    for completion in completions:
        usage = completion.usage
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        cost += price.cost(usage.prompt_tokens, usage.completion_tokens)
    return cost
