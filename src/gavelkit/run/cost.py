"""What calls cost in USD, by their tokens and a price."""

from __future__ import annotations

from collections.abc import Iterable

from gavelkit.catalog import Price
from gavelkit.core.completion import Completion
from gavelkit.storage.reader import CallTotals


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
