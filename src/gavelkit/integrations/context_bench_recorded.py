"""context-bench's rows and figures, read from the record of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gavelkit.core.answer import answer_step
from gavelkit.core.completion import Completion
from gavelkit.core.judgment import Judgment
from gavelkit.core.status import Status
from gavelkit.engines.tokens import CHARACTERS_PER_TOKEN
from gavelkit.integrations.context_bench_answers import Originals, processed_of
from gavelkit.integrations.context_bench_breakdown import JudgeFailures
from gavelkit.integrations.context_bench_metrics import MeanScore, PassRate
from gavelkit.integrations.context_bench_rows import EvalRow, Evaluator, Metric
from gavelkit.storage import open_reader

CountTokens = Callable[[str], int]
"""How many tokens a text has."""

_USAGE: Final = ("prompt_tokens", "completion_tokens", "total_tokens")
_NO_TEXT: Final = frozenset({"id", "dataset"})
"""What a row is called is nothing that a system reads."""


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts the tokens of an example's or an output's texts, those of `fields` alone where they are given."""

    count: CountTokens | None = None
    fields: Sequence[str] | None = None

    @property
    def name(self) -> str:
        """What counts, in words."""
        if self.count is None:
            return f"an estimate: characters / {CHARACTERS_PER_TOKEN}"
        return str(getattr(self.count, "__qualname__", type(self.count).__qualname__))

    def tokens(self, told: Mapping[str, Any]) -> int:
        """The tokens of all texts at the top; of an output without any of the `fields` those of its response."""
        chosen = [name for name in (self.fields or ()) if name in told]
        names = chosen or (
            ["response"] if self.fields is not None and "response" in told else [*told.keys() - _NO_TEXT]
        )
        return sum(self._one(told[name]) for name in names if isinstance(told[name], str))

    def _one(self, text: str) -> int:
        return -(-len(text) // CHARACTERS_PER_TOKEN) if self.count is None else self.count(text)


def recorded_rows(
    folder: Path, systems: Sequence[str], originals: Originals, evaluators: Mapping[str, Evaluator], counter: Counter
) -> list[EvalRow]:
    """A row for each example that a system answered, or failed on; system by system, in the order of the examples.

    `evaluators` are by the names of their judges. Raises StorageError.
    """
    found: dict[tuple[str, str], dict[str, Judgment]] = {}
    reader = open_reader(folder)
    try:
        for entry in reader.entries():
            slot = entry.judgment.slot
            found.setdefault((slot.systems[0], slot.example_id), {})[slot.judge] = entry.judgment
    finally:
        reader.close()
    return [
        _row(system, (number, original), judgments, evaluators, counter)
        for system in systems
        for number, (key, original) in enumerate(originals.items())
        if (judgments := found.get((system, key)))
    ]


def _row(
    system: str,
    numbered: tuple[int, Mapping[str, Any]],
    judgments: Mapping[str, Judgment],
    evaluators: Mapping[str, Evaluator],
    counter: Counter,
) -> EvalRow:
    number, original = numbered
    answer = _answer(system, judgments)
    processed = {} if answer is None else processed_of(answer)
    scores, metadata = _scores(judgments, evaluators) if answer is not None else ({}, _failed(judgments))
    return EvalRow(
        system=system,
        example_id=original.get("id", number),
        scores=scores,
        input_tokens=counter.tokens(original),
        output_tokens=counter.tokens(processed),
        metadata={**_usage(processed), **metadata},
        latency=0.0 if answer is None else answer.seconds,
        dataset=str(original.get("dataset", "")),
    )


def _answer(system: str, judgments: Mapping[str, Judgment]) -> Completion | None:
    steps = (step for judgment in judgments.values() for step in judgment.steps)
    return next((step.completion for step in steps if step.name == answer_step(system)), None)


def _scores(
    judgments: Mapping[str, Judgment], evaluators: Mapping[str, Evaluator]
) -> tuple[dict[str, float], dict[str, Any]]:
    """All scores, of two with one name the later evaluator's; and how those ended that say so, or raised."""
    scores: dict[str, float] = {}
    told: dict[str, Any] = {}
    for name, evaluator in evaluators.items():
        judgment = judgments.get(name)
        if judgment is None:
            continue
        parts = judgment.grade.parts if judgment.grade else {}
        scores |= {score: math.nan if value is None else value for score, value in parts.items()}
        why = judgment.failure.message if judgment.failure else ""
        if hasattr(evaluator, "last_status"):
            told |= {"judge_status": _ended(judgment.status), "judge_error": why}
        elif judgment.status.failed:
            told.setdefault("evaluator_errors", {})[name] = why
    return scores, told if told.get("judge_error") else {n: each for n, each in told.items() if n != "judge_error"}


def _ended(status: Status) -> str:
    """An evaluator that gave no number and says that all went well has not failed."""
    return str(Status.OK if status is Status.ABSTAINED else status)


def _failed(judgments: Mapping[str, Judgment]) -> dict[str, Any]:
    judgment = next(iter(judgments.values()))
    return {"status": str(judgment.status), "error": judgment.failure.message if judgment.failure else ""}


def _usage(processed: Mapping[str, Any]) -> dict[str, int]:
    usage = processed.get("api_usage")
    return {name: usage[name] for name in _USAGE if name in usage} if isinstance(usage, Mapping) else {}


def summaries(
    rows: Sequence[EvalRow], systems: Sequence[str], metrics: Sequence[Metric]
) -> dict[str, dict[str, float]]:
    """The figures of each system by name, and how often it, an evaluator or the judge failed."""
    return {name: _figures([row for row in rows if row.system == name], metrics) for name in systems}


def usual_metrics(rows: Sequence[EvalRow]) -> list[Metric]:
    """What is computed where nobody says: mean and pass rate of the first score that is a number."""
    field = next((name for row in rows for name, score in row.scores.items() if _is_number(score)), "score")
    return [MeanScore(field), PassRate(score_field=field)]


def _is_number(score: Any) -> bool:
    return isinstance(score, int | float)


def _figures(rows: Sequence[EvalRow], metrics: Sequence[Metric]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for metric in metrics:
        figures |= metric.compute(rows)
    if any("judge_status" in row.metadata for row in rows):
        figures |= JudgeFailures().compute(rows)
    return figures | dict(_failures(rows))


def _failures(rows: Sequence[EvalRow]) -> Iterator[tuple[str, float]]:
    for figure, mark in (("system_failed", "error"), ("evaluator_failed", "evaluator_errors")):
        if count := sum(mark in row.metadata for row in rows):
            yield figure, float(count)
