"""A report as plain text for people."""

from __future__ import annotations

from collections.abc import Iterator

from gavelkit.core.report import JudgeSummary, Report
from gavelkit.core.status import Status
from gavelkit.reports.figures import counted, plain
from gavelkit.reports.grid import grid
from gavelkit.reports.terminal import printable, wrapped

_NARROWEST = 80
_WIDEST = 100


def render_table(report: Report, *, width: int = _WIDEST) -> str:
    """The whole report within `width` columns (held between 80 and 100), ending in a line feed.

    First what is unfinished, then a row per judge and system, then what each judge did and cost, then the notes.
    Every name in it is safe for a terminal.
    """
    fitting = max(_NARROWEST, min(width, _WIDEST))
    blocks = [
        list(_heading(report, fitting)),
        [*grid(report, width=fitting), *_legend(report, fitting)],
        [line for judge in report.judges for line in _judge(judge, fitting)],
        [line for note in report.notes for line in wrapped(f"note: {printable(note)}", fitting)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _heading(report: Report, width: int) -> Iterator[str]:
    if report.folder:
        yield from wrapped(f"run {printable(report.folder)}", width)
    if not report.finished:
        yield f"unfinished: {report.planned - report.pending:,} of {report.planned:,}"


def _legend(report: Report, width: int) -> Iterator[str]:
    names = {metric.name for metric in report.metrics}
    words = []
    if "mean_ok" in names:
        words.append("mean ok: over the judgments that came.")
    if "mean_failures_worst" in names:
        words.append("at worst: the mean with every failed judgment at the worst end of the scale.")
    if words:
        yield ""
        yield from wrapped(" ".join(words), width)


def _judge(judge: JudgeSummary, width: int) -> Iterator[str]:
    yield from wrapped(f"{printable(judge.name)}: {_asked(judge)}", width)
    for text in (_cost(judge), _errors(judge), _failures(judge)):
        if text:
            yield from wrapped(text, width, indent="  ")


def _asked(judge: JudgeSummary) -> str:
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


def _cost(judge: JudgeSummary) -> str:
    least = "" if judge.tokens_complete else ">= "
    cached = f" ({least}{judge.cached_tokens:,} cached)" if judge.cached_tokens else ""
    tokens = f"{least}{judge.prompt_tokens:,} tokens in{cached}, {least}{judge.completion_tokens:,} tokens out"
    return f"{counted(judge.calls, 'call')}, {tokens}"


def _errors(judge: JudgeSummary) -> str:
    wanted = sum(n for status, n in judge.counts.items() if status not in {Status.SKIPPED, Status.PENDING})
    failed = sum(n for status, n in judge.counts.items() if status.failed)
    rate = f"{failed:,} of {wanted:,} failed ({100 * judge.error_rate:.2f} %)"
    most = f"{plain(100 * judge.max_error_rate)} %"
    if judge.too_many_failed:
        return f"!! {rate}: TOO MANY, above the maximum of {most}"
    return f"{rate}, within the maximum of {most}"


def _failures(judge: JudgeSummary) -> str:
    ordered = sorted(judge.failures.items(), key=lambda item: (-item[1], item[0]))
    kinds = ", ".join(f"{count:,} {printable(kind)}" for kind, count in ordered if count)
    return f"failures: {kinds}" if kinds else ""
