"""What a judge was asked, did and cost, in sentences that are safe for a terminal."""

from __future__ import annotations

from gavelkit.core.interval import Interval
from gavelkit.core.report import JudgeSummary, Report
from gavelkit.core.status import Status
from gavelkit.reports.figures import counted, percent, plain
from gavelkit.reports.terminal import printable


def done(report: Report, judge: JudgeSummary) -> list[str]:
    """What it cost, what failed, and how steady it was where no standings tell that, a line each."""
    steady = "" if any(each.judge == judge.name for each in report.contests) else turned(judge)
    return [text for text in (cost(judge), errors(judge), failures(judge), steady) if text]


def asked(judge: JudgeSummary) -> str:
    """Its scale, threshold, model and preset."""
    words = [f"scale {printable(judge.scale)}" if judge.scale else "no scale"]
    words.append("higher is better" if judge.higher_is_better else "lower is better")
    if judge.threshold is not None:
        side = "at least" if judge.higher_is_better else "at most"
        words.append(f"passed with {side} {plain(judge.threshold)}")
    if judge.model:
        words.append(f"model {printable(judge.model)}")
    if judge.preset:
        words.append(f"preset {printable(judge.preset)}")
    return ", ".join(words)


def cost(judge: JudgeSummary) -> str:
    """Its calls, tokens and price; `>=` where some replies came without their counts."""
    least = "" if judge.tokens_complete else ">= "
    cached = f" ({least}{judge.cached_tokens:,} cached)" if judge.cached_tokens else ""
    tokens = f"{least}{judge.prompt_tokens:,} tokens in{cached}, {least}{judge.completion_tokens:,} tokens out"
    paid = "" if judge.cost is None else f", {least}{usd(judge.cost)} {printable(judge.price)}"
    return f"{counted(judge.calls, 'call')}, {tokens}{paid}"


def usd(cost: float) -> str:
    """Four decimals below a dollar, two from there on."""
    return f"{cost:,.4f} USD" if cost < 1 else f"{cost:,.2f} USD"


def errors(judge: JudgeSummary) -> str:
    """Its error rate beside its maximum."""
    wanted = sum(n for status, n in judge.counts.items() if status not in {Status.SKIPPED, Status.PENDING})
    failed = sum(n for status, n in judge.counts.items() if status.failed)
    rate = f"{failed:,} of {wanted:,} failed ({100 * judge.error_rate:.2f} %)"
    most = f"{plain(100 * judge.max_error_rate)} %"
    if judge.too_many_failed:
        return f"!! {rate}: TOO MANY, above the maximum of {most}"
    return f"{rate}, within the maximum of {most}"


def turned(judge: JudgeSummary) -> str:
    """How much of what it said changed with the order; empty where nothing was judged in both."""
    found = judge.position_bias
    if found is None or found.value is None:
        return ""
    within = f", {told_level(found.interval)} {shares(found.interval)}" if found.interval else ""
    changed = f"{round(found.value * found.n):,} of {counted(found.n, 'judgment')}"
    return f"{changed} changed with the order ({percent(found.value)}{within})"


def told_level(interval: Interval) -> str:
    """`95 % interval`."""
    return f"{100 * interval.level:g} % interval"


def shares(interval: Interval) -> str:
    """The ends of an interval in percent: `4.1 to 31.0 %`."""
    return f"{100 * interval.low:.1f} to {percent(interval.high)}"


def failures(judge: JudgeSummary) -> str:
    """What failed, by kind, the most frequent first; empty where nothing did."""
    ordered = sorted(judge.failures.items(), key=lambda item: (-item[1], item[0]))
    kinds = ", ".join(f"{count:,} {printable(kind)}" for kind, count in ordered if count)
    return f"failures: {kinds}" if kinds else ""
