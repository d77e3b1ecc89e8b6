"""What a bring-your-own benchmark leaves: `byob_results.json` and `byob_predictions.jsonl`, out of the record."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gavelkit.core.answer import is_answer
from gavelkit.core.errors import TemplateError
from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Entry
from gavelkit.core.status import Status
from gavelkit.integrations.nemo_byob_model import Asked
from gavelkit.integrations.nemo_byob_registry import Benchmark
from gavelkit.integrations.nemo_byob_scoring import JUDGE_FAILURES, failures_of
from gavelkit.reports import replace_file
from gavelkit.stats.moments import Moments
from gavelkit.storage import open_reader

RESULTS = "byob_results.json"
PREDICTIONS = "byob_predictions.jsonl"

SCORED = "scored"
_DIGITS = 4
_METRIC = "pass@1"


@dataclass(slots=True)
class _Scores:
    """One key's numbers: of every scored sample, and of those in which no judge failed."""

    documented: Moments = field(default_factory=Moments)
    judged: Moments = field(default_factory=Moments)

    def add(self, value: float, *, failed: bool) -> None:
        self.documented.add(value)
        if not failed:
            self.judged.add(value)

    @property
    def as_dict(self) -> dict[str, Any]:
        n, mean = self.documented.n, self.documented.mean
        stddev = self.documented.stderr * math.sqrt(n - 1) if n > 1 else 0.0  # of the population
        return {
            "value": round(mean, _DIGITS),
            "stats": {
                "count": n,
                "mean": round(mean, _DIGITS),
                "stddev": round(stddev, _DIGITS),
                "stderr": round(stddev / math.sqrt(n), _DIGITS),
            },
            "judged": {
                "count": self.judged.n,
                "failed": n - self.judged.n,
                "mean": round(self.judged.mean, _DIGITS) if self.judged.n else None,
            },
        }


@dataclass(slots=True)
class Results:
    """What all samples come to. `statuses` counts them, `failures` the judges without a score, by key and status.

    `reasons` says why the first one was skipped, by its status; `judge_reasons` why a judge gave no score, by its key.
    """

    name: str
    statuses: Counter[str] = field(default_factory=Counter)
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)
    judge_reasons: dict[str, str] = field(default_factory=dict)
    judge_failed: int = 0
    _scores: dict[str, _Scores] = field(default_factory=dict)

    @property
    def samples(self) -> int:
        """How many there are, repeats counted each."""
        return self.statuses.total()

    @property
    def skipped(self) -> int:
        """How many of them have no scores."""
        return self.samples - self.statuses[SCORED]

    @property
    def scores(self) -> dict[str, dict[str, Any]]:
        """Each key's value, its statistics, and the same of the samples in which no judge failed."""
        return {name: self._scores[name].as_dict for name in sorted(self._scores)}

    @property
    def as_dict(self) -> dict[str, Any]:
        """The content of `byob_results.json`: nothing where nothing was scored."""
        if not self.statuses[SCORED]:
            return {}
        task = {
            "metrics": {_METRIC: {"scores": self.scores}},
            "samples": {**self.statuses, "judge_failed": self.judge_failed},
            "judge_failures": self.judge_failures,
        }
        return {"tasks": {self.name: task}}

    @property
    def judge_failures(self) -> dict[str, dict[str, int]]:
        """How many samples each judge gave no score, by status."""
        told: dict[str, dict[str, int]] = {}
        for (judge, status), count in sorted(self.failures.items()):
            told.setdefault(judge, {})[status] = count
        return told

    def add(self, judgment: Judgment, status: str) -> None:
        """Take in one sample. What is no finite number is left out of the statistics, true and false are 1 and 0."""
        self.statuses[status] += 1
        judges = {} if judgment.grade is None else judgment.grade.parts.get(JUDGE_FAILURES, {})
        if judgment.failure is not None and not judges:
            self.reasons.setdefault(status, _first(judgment, judgment.failure.message))
        if judgment.grade is None or status != SCORED:
            return
        failed = judgment.status.failed
        self.judge_failed += failed
        self.failures.update(failures_of(judgment.grade.parts))
        for judge, told in judges.items():
            self.judge_reasons.setdefault(judge, _first(judgment, told["error"]))
        for name, value in _returned(judgment).items():
            if isinstance(value, int | float) and math.isfinite(value):
                self._scores.setdefault(name, _Scores()).add(float(value), failed=failed)


def _first(judgment: Judgment, why: str) -> str:
    return f"sample {judgment.slot.example_id}: {why}"


def write_results(
    folder: Path, benchmark: Benchmark, asked: Asked, *, repeats: int, response_field: str = ""
) -> Results:
    """Write both files beside the finished run's record. Raises StorageError; what stood there before stays then."""
    results = Results(benchmark.normalized_name)
    reader = open_reader(folder)
    try:
        with replace_file(folder / PREDICTIONS) as file:
            for entry in reader.entries(as_in_data=True):
                status = status_of(entry.judgment, answered=bool(response_field))
                results.add(entry.judgment, status)
                line = prediction(entry, benchmark, asked, status=status, repeated=repeats > 1)
                file.write(_json(line) + b"\n")
    finally:
        reader.close()
    with replace_file(folder / RESULTS) as file:
        file.write(_json(results.as_dict, indent=2) + b"\n")
    return results


def status_of(judgment: Judgment, *, answered: bool = False) -> str:
    """What became of a sample, in the words of its page; where rows came `answered`, no model could fail."""
    if judgment.grade is not None:
        return SCORED
    if judgment.status is Status.INVALID_INPUT:
        return "skipped_missing_field"
    if answered or any(is_answer(step.name) for step in judgment.steps):
        return "skipped_scorer_error"
    return "skipped_model_error"


def prediction(entry: Entry, benchmark: Benchmark, asked: Asked, *, status: str, repeated: bool) -> dict[str, Any]:
    """One line of `byob_predictions.jsonl`. The keys of its page first, then what a judge said and how it failed."""
    judgment, example = entry.judgment, entry.example
    failure = None if judgment.failure is None else judgment.failure.message
    scored = status == SCORED
    line: dict[str, Any] = {
        "sample_id": int(example.id),
        "prompt": _prompt(asked, entry),
        "response": _response(entry, status),
        "target": example.doc.get(benchmark.target_field, ""),
        "scores": _returned(judgment) if scored else None,
        "status": status,
        "error": None if scored else failure,
        "metadata": example.doc,
        **({"repeat": judgment.slot.repeat} if repeated else {}),
    }
    if scored and judgment.status.failed:
        line |= {"judge_status": judgment.status.value, "judge_error": failure}
    if judgment.grade is not None and JUDGE_FAILURES in judgment.grade.parts:
        line[JUDGE_FAILURES] = judgment.grade.parts[JUDGE_FAILURES]
    replies = {step.name: step.completion.text for step in judgment.steps if not is_answer(step.name)}
    return {**line, "judge_replies": replies}


def _returned(judgment: Judgment) -> Mapping[str, Any]:
    """What the scorer returned."""
    parts = {} if judgment.grade is None else judgment.grade.parts
    return {name: value for name, value in parts.items() if name != JUDGE_FAILURES}


def _prompt(asked: Asked, entry: Entry) -> str:
    try:
        return asked(entry.example)[-1].content
    except TemplateError:
        return ""


def _response(entry: Entry, status: str) -> Any:
    if status in {"skipped_model_error", "skipped_missing_field"}:
        return None
    return entry.example.responses.get(entry.judgment.slot.systems[0])


def _json(value: Any, *, indent: int | None = None) -> bytes:
    """Strict JSON: what is no finite number is null. With an indent keys are sorted."""
    text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, sort_keys=indent is not None, default=str)
    return text.encode("utf-8", "backslashreplace")


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(name): _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value
