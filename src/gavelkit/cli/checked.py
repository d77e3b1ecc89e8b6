"""What `gavel check` found: the calls a run would make, what they are likely to cost, in lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from gavelkit.catalog import Price, price_of
from gavelkit.core.example import Example
from gavelkit.core.slot import subject
from gavelkit.judges import AnyJudge
from gavelkit.run.check import Planned
from gavelkit.run.conclude import describe_scale
from gavelkit.run.estimate import CHARACTERS_PER_TOKEN, Calls


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a judge would ask; `calls` is None where it asks no endpoint, or where nothing could be counted."""

    judge: AnyJudge
    calls: Calls | None
    price: Price | None

    @classmethod
    def made(cls, judge: AnyJudge, calls: Calls | None, prices: Sequence[Price]) -> Self:
        """With the price of the judge's model, where one is known."""
        return cls(judge, calls if judge.probes else None, price_of(judge.parameters.model, prices))

    @property
    def cost(self) -> float | None:
        """The most it can cost in USD, by the estimate of its prompt's tokens; None where that is not known."""
        calls = self.calls
        if calls is None or calls.calls == 0:
            return 0.0 if calls is not None or not self.judge.probes else None
        if self.price is None or calls.most_completion_tokens is None:
            return None
        return self.price.cost(calls.prompt_tokens, calls.most_completion_tokens)


@dataclass(frozen=True, slots=True)
class Checked:
    """A configuration that a run could begin with, and the folder it would go on in."""

    plan: Planned
    estimates: tuple[Estimate, ...]
    folder: str

    @property
    def cost(self) -> float | None:
        """The most all judges can cost, None where one of them is not known."""
        costs = [estimate.cost for estimate in self.estimates]
        return None if None in costs else sum(cost for cost in costs if cost is not None)


def price_lines(checked: Checked) -> Iterator[str]:
    """Each judge's calls, tokens and price, and the sum where there are several."""
    for estimate in checked.estimates:
        yield f"{estimate.judge.name}: {_calls(estimate)}"
    asking = [estimate for estimate in checked.estimates if estimate.judge.probes]
    if len(asking) > 1:
        cost = checked.cost
        yield f"together: {'the price is not known' if cost is None else f'at most {told_usd(cost)}'}"


def _calls(estimate: Estimate) -> str:
    calls = estimate.calls
    if not estimate.judge.probes:
        return "no calls: the replies are recorded"
    if calls is None:
        return "calls not counted: the rows can be read only once"
    held = f", {calls.held:,} replies are on disk" if calls.held else ""
    if not calls.calls:
        return f"no calls{held or ': another judge asks the same'}"
    most = calls.most_completion_tokens
    replies = "replies without a limit" if most is None else f"at most {most:,} completion tokens"
    tokens = f"about {calls.prompt_tokens:,} prompt tokens (an estimate: characters / {CHARACTERS_PER_TOKEN})"
    several = "s" if calls.calls > 1 else ""
    return f"{calls.calls:,} call{several} to make{held}; {tokens}, {replies}; {_price(estimate)}"


def _price(estimate: Estimate) -> str:
    price, cost = estimate.price, estimate.cost
    if price is None:
        model = estimate.judge.parameters.model
        return f"the price of {model!r} is not known; name a file of prices with --prices"
    rate = f"{price.input:g} in, {price.output:g} out per million tokens"
    said = f"{rate}, by {price.source}{f' of {price.as_of}' if price.as_of else ''}; check your provider"
    return f"{'without a limit' if cost is None else f'at most {told_usd(cost)}'} ({said})"


def told_usd(cost: float) -> str:
    """Four decimals below a dollar, two from there on."""
    return f"{cost:,.4f} USD" if cost < 1 else f"{cost:,.2f} USD"


def checked_json(checked: Checked, *, preflight: str) -> dict[str, Any]:
    """The same as a document; what is not known is null."""
    plan = checked.plan
    return {
        "folder": checked.folder,
        "rows": plan.rows if plan.complete else None,
        "judgments": plan.total if plan.complete else None,
        "judges": [_judge(estimate, checked.plan.first.get(estimate.judge.name)) for estimate in checked.estimates],
        "usd_at_most": checked.cost,
        "preflight": preflight,
    }


def _judge(estimate: Estimate, first: Example | None) -> dict[str, Any]:
    judge, calls, price = estimate.judge, estimate.calls, estimate.price
    return {
        "name": judge.name,
        "model": judge.parameters.model,
        "parser": judge.reader,
        "scale": describe_scale(judge.criterion) or None,
        "first_prompt": None if first is None else _prompt(judge, first),
        "asks_an_endpoint": bool(judge.probes),
        "calls": None if calls is None else calls.calls,
        "replies_on_disk": None if calls is None else calls.held,
        "prompt_tokens_estimate": None if calls is None else calls.prompt_tokens,
        "completion_tokens_at_most": None if calls is None else calls.most_completion_tokens,
        "price": None if price is None else _rate(price),
        "usd_at_most": estimate.cost,
    }


def _prompt(judge: AnyJudge, example: Example) -> dict[str, Any]:
    messages = judge.first_prompt(example)
    return {
        "place": example.place,
        "system": subject(judge.plan(example)[0].systems),
        "messages": [{"role": message.role, "content": message.content} for message in messages],
    }


def _rate(price: Price) -> dict[str, Any]:
    return {
        "usd_per_million_prompt_tokens": price.input,
        "usd_per_million_completion_tokens": price.output,
        "as_of": price.as_of or None,
        "source": price.source,
    }
