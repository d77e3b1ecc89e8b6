"""Why a finished run fails, once everything is written."""

from __future__ import annotations

from collections.abc import Iterator

from gavelkit.core.report import Report


def complaints(report: Report, *, on_failure: str) -> Iterator[str]:
    """Each judge that failed too often, each gate that is not met, and failures that are to be raised."""
    for judge in report.judges:
        if judge.too_many_failed:
            rates = f"{judge.error_rate:.1%} of its judgments failed, and {judge.max_error_rate:.1%} may"
            yield f"judge {judge.name!r}: {rates}"
    for gate in report.gates:
        if not gate.passed:
            yield f"gate {gate}"
    if on_failure == "raise" and any(metric.failed for metric in report.metrics):
        yield "judgments failed, and on_failure is raise"
