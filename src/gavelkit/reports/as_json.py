"""A report as one JSON document.

schema      1
folder      the run's folder
planned, pending, finished
metrics     [{name, judge, system, value, n, planned, failed, counts, stderr, interval, reason}]
            `system` is "" where rows hold one unnamed response; `counts` has all ten statuses and adds up to
            `planned`; `interval` is {low, high, level, method} or null; `reason` says why `value`, `stderr` or
            `interval` is null, and is null itself where nothing is missing; `win_rate` is of one system in all its
            contests, and has no `stderr`
judges      [{name, model, preset, scale, higher_is_better, threshold, max_error_rate, error_rate,
            too_many_failed, counts, failures, calls, prompt_tokens, completion_tokens, cached_tokens,
            tokens_complete, position_bias, usd, price}]
            `failures` counts by kind; tokens and `usd` are lower bounds where `tokens_complete` is false;
            `position_bias` is the share of the judgments made in both orders that changed, {value, n, interval,
            reason} or null; `usd` is what the stored replies cost, null where nobody knows, and `price` says why
contests    of each pairwise judge, as in `reports/standings_json.py`
gates       [{gate, judge, bound, value, system, interval, passed, reason}]
            `value` is null where there is none, and `reason` says why; `system` names the one that decides where the
            gate is for all of several; `interval` is {low, high} or null
notes       [text]
details     what else the run recorded, keys sorted
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from gavelkit.core.gate import GateResult
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.status import Status
from gavelkit.reports.standings_json import contests_json, figure_json, interval_json
from gavelkit.reports.wellformed import plain_json, well_formed

SCHEMA = 1


def report_json(report: Report) -> str:
    """The report in the schema above, keys in a fixed order, ASCII only (safe on any terminal), without NaN."""
    document = {
        "schema": SCHEMA,
        "folder": well_formed(report.folder),
        "planned": report.planned,
        "pending": report.pending,
        "finished": report.finished,
        "metrics": [_metric(metric) for metric in report.metrics],
        "judges": [_judge(judge) for judge in report.judges],
        "contests": [contests_json(each) for each in report.contests],
        "gates": [_gate(gate) for gate in report.gates],
        "notes": [well_formed(note) for note in report.notes],
        "details": plain_json(report.details),
    }
    # DEL is the one control character that the json module leaves as it is.
    return json.dumps(document, indent=2, allow_nan=False).replace("\x7f", "\\u007f") + "\n"


def _metric(metric: Metric) -> dict[str, object]:
    return {
        "name": well_formed(metric.name),
        "judge": well_formed(metric.judge),
        "system": well_formed(metric.system),
        "value": plain_json(metric.value),
        "n": metric.n,
        "planned": metric.planned,
        "failed": metric.failed,
        "counts": _counts(metric.counts),
        "stderr": plain_json(metric.stderr),
        "interval": interval_json(metric.interval),
        "reason": well_formed(metric.reason) or None,
    }


def _judge(judge: JudgeSummary) -> dict[str, object]:
    return {
        "name": well_formed(judge.name),
        "model": well_formed(judge.model),
        "preset": well_formed(judge.preset),
        "scale": well_formed(judge.scale),
        "higher_is_better": judge.higher_is_better,
        "threshold": judge.threshold,
        "max_error_rate": judge.max_error_rate,
        "error_rate": judge.error_rate,
        "too_many_failed": judge.too_many_failed,
        "counts": _counts(judge.counts),
        "failures": plain_json(judge.failures),
        "calls": judge.calls,
        "prompt_tokens": judge.prompt_tokens,
        "completion_tokens": judge.completion_tokens,
        "cached_tokens": judge.cached_tokens,
        "tokens_complete": judge.tokens_complete,
        "position_bias": judge.position_bias and figure_json(judge.position_bias),
        "usd": judge.cost,
        "price": well_formed(judge.price) or None,
    }


def _gate(gate: GateResult) -> dict[str, object]:
    return {
        "gate": well_formed(gate.gate),
        "judge": well_formed(gate.judge),
        "bound": gate.bound,
        "value": plain_json(gate.value),
        "system": well_formed(gate.system) or None,
        "interval": gate.interval and dict(zip(("low", "high"), map(plain_json, gate.interval), strict=True)),
        "passed": gate.passed,
        "reason": well_formed(gate.reason) or None,
    }


def _counts(counts: Mapping[Status, int]) -> dict[str, int]:
    return {status.value: counts.get(status, 0) for status in Status}
