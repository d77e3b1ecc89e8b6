"""What a judge was asked, did and cost, in sentences that are safe for a terminal."""

from __future__ import annotations

from gavelkit.core.report import JudgeSummary
from gavelkit.core.status import Status
from gavelkit.reports.figures import counted, plain
from gavelkit.reports.terminal import printable


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
    """Its calls and tokens; `>=` where some replies came without their counts."""
    least = "" if judge.tokens_complete else ">= "
    cached = f" ({least}{judge.cached_tokens:,} cached)" if judge.cached_tokens else ""
    tokens = f"{least}{judge.prompt_tokens:,} tokens in{cached}, {least}{judge.completion_tokens:,} tokens out"
    return f"{counted(judge.calls, 'call')}, {tokens}"


def errors(judge: JudgeSummary) -> str:
    """Its error rate beside its maximum."""
    wanted = sum(n for status, n in judge.counts.items() if status not in {Status.SKIPPED, Status.PENDING})
    failed = sum(n for status, n in judge.counts.items() if status.failed)
    rate = f"{failed:,} of {wanted:,} failed ({100 * judge.error_rate:.2f} %)"
    most = f"{plain(100 * judge.max_error_rate)} %"
    if judge.too_many_failed:
        return f"!! {rate}: TOO MANY, above the maximum of {most}"
    return f"{rate}, within the maximum of {most}"


def failures(judge: JudgeSummary) -> str:
    """What failed, by kind, the most frequent first; empty where nothing did."""
    ordered = sorted(judge.failures.items(), key=lambda item: (-item[1], item[0]))
    kinds = ", ".join(f"{count:,} {printable(kind)}" for kind, count in ordered if count)
    return f"failures: {kinds}" if kinds else ""
