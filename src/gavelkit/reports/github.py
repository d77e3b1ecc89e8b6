"""A report as annotations that GitHub shows beside a job: errors for what failed, notices of means and win rates."""

from __future__ import annotations

from collections.abc import Iterator

from gavelkit.core.gate import WIN_RATE
from gavelkit.core.report import Metric, Report
from gavelkit.reports.figures import number
from gavelkit.reports.judge_lines import errors
from gavelkit.reports.terminal import printable


def github_annotations(report: Report) -> Iterator[str]:
    """The commands, a line each; nothing in a name can end its line, its property or begin another command."""
    for judge in report.judges:
        if judge.too_many_failed:
            yield _command("error", f"gavel: {judge.name}: too many failed", errors(judge).removeprefix("!! "))
    for gate in report.gates:
        if not gate.passed:
            yield _command("error", f"gavel: {gate.gate}", str(gate))
    lower = {judge.name for judge in report.judges if not judge.higher_is_better}
    compared = {each.judge for each in report.contests}
    for metric in report.metrics:
        if metric.name == (WIN_RATE if metric.judge in compared else "mean"):
            told = _told(metric) + (" (lower is better)" if metric.judge in lower and metric.name == "mean" else "")
            yield _command("notice", f"gavel: {metric.judge}", told)


def _told(metric: Metric) -> str:
    name = metric.name.replace("_", " ")
    subject = f"{metric.judge}[{metric.system}]" if metric.system else metric.judge
    if metric.value is None:
        return f"{subject}: no {name}: {metric.reason}"
    interval = metric.interval
    level = f", {100 * interval.level:.0f} % interval" if interval else ""
    within = f"{level} {number(interval.low)} to {number(interval.high)}" if interval else ""
    return f"{subject}: {name} {number(metric.value)}{within}, n {metric.n:,}, {metric.failed:,} failed"


def _command(kind: str, title: str, message: str) -> str:
    named = _data(title).replace(":", "%3A").replace(",", "%2C")
    return printable(f"::{kind} title={named}::{_data(message)}")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
