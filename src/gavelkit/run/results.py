"""What `results.json` holds: each judge's mean by task, and beside it all that a reader needs to trust the number."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from typing import Any

from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.status import Status
from gavelkit.reports.standings_json import contests_json, figure_json, interval_json
from gavelkit.reports.wellformed import plain_json

SEVERAL = "several systems were judged; each stands under systems"


def results_document(meta: Mapping[str, Any], report: Report, keys: Mapping[str, str], task: str) -> dict[str, Any]:
    """The document without its time and its files. `keys` says what each judge is called in it."""

    def by_task(values: Callable[[JudgeSummary, list[Metric]], object]) -> dict[str, object]:
        found = {keys[judge.name]: values(judge, _means(report, judge)) for judge in report.judges}
        return {task: {key: plain_json(value) for key, value in found.items()}}

    return {
        "results": by_task(lambda _, means: _only(means, lambda mean: mean.value)),
        "stderr": by_task(lambda _, means: _only(means, lambda mean: mean.stderr)),
        "interval": by_task(lambda _, means: _only(means, lambda mean: interval_json(mean.interval))),
        "n": by_task(lambda _, means: _only(means, lambda mean: mean.n)),
        "counts": by_task(lambda judge, _: _counts(judge.counts)),
        "reason": by_task(lambda _, means: (means[0].reason or None) if len(means) == 1 else SEVERAL),
        "bounds": by_task(lambda _, means: _only(means, lambda mean: _bounds(report, mean))),
        "systems": by_task(lambda _, means: {mean.system: _system(report, mean) for mean in means if mean.system}),
        "contests": {task: {keys[each.judge]: contests_json(each) for each in report.contests}},
        "gates": [
            {"gate": plain_json(gate.gate), "value": gate.value, "passed": gate.passed, "found": plain_json(gate.found)}
            for gate in report.gates
        ],
        "config": _config(meta, report, keys),
        "versions": {"gavelkit": meta.get("version"), "python": platform.python_version()},
    }


def _means(report: Report, judge: JudgeSummary) -> list[Metric]:
    return [metric for metric in report.metrics if metric.judge == judge.name and metric.name == "mean"]


def _only(means: list[Metric], value: Callable[[Metric], object]) -> object:
    """The value of the one system; of several there is none that speaks for all."""
    return value(means[0]) if len(means) == 1 else None


def _bounds(report: Report, mean: Metric) -> dict[str, object]:
    """The mean with every failed judgment at the scale's worst, and at its best."""
    names = {"worst": "mean_failures_worst", "best": "mean_failures_best"}
    return {end: report.metric(mean.judge, name, system=mean.system).value for end, name in names.items()}


def _system(report: Report, mean: Metric) -> dict[str, object]:
    return {
        "mean": mean.value,
        "stderr": mean.stderr,
        "interval": interval_json(mean.interval),
        "bounds": _bounds(report, mean),
        "n": mean.n,
        "counts": _counts(mean.counts),
        "reason": mean.reason or None,
    }


def _counts(counts: Mapping[Status, int]) -> dict[str, int]:
    return {status.value: counts.get(status, 0) for status in Status}


def _config(meta: Mapping[str, Any], report: Report, keys: Mapping[str, str]) -> dict[str, Any]:
    run = {name: plain_json(meta.get(name)) for name in ("data", "map", "repeat", "on_failure", "interval")}
    return {**run, "judges": {keys[judge.name]: _judge(judge) for judge in report.judges}}


def _judge(judge: JudgeSummary) -> object:
    return plain_json(
        {
            "name": judge.name,
            "model": judge.model,
            "preset": judge.preset or None,
            "scale": judge.scale or None,
            "higher_is_better": judge.higher_is_better,
            "threshold": judge.threshold,
            "max_error_rate": judge.max_error_rate,
            "error_rate": judge.error_rate,
            "position_bias": judge.position_bias and figure_json(judge.position_bias),
        }
    )
