"""context-bench's `evaluate`, as a run of ours: recorded as it goes, resumed by the same call, never paid for twice."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn

from tqdm import tqdm

from gavelkit.core.errors import DataError, UsageError
from gavelkit.core.event import Committed, Event, Observe, Planned, ignore
from gavelkit.core.identity import canonical
from gavelkit.core.limits import Limits
from gavelkit.core.report import Report
from gavelkit.datasets import RowMapping, Source, rows_source
from gavelkit.integrations.context_bench_answers import answering
from gavelkit.integrations.context_bench_datasets import load_dataset
from gavelkit.integrations.context_bench_evaluators import Answers, nobody, scoring
from gavelkit.integrations.context_bench_recorded import (
    Counter,
    CountTokens,
    recorded_rows,
    summaries,
    usual_metrics,
)
from gavelkit.integrations.context_bench_result import EvalResult
from gavelkit.integrations.context_bench_rows import Evaluator, Metric, System, refuse_others
from gavelkit.reports.wellformed import plain_json
from gavelkit.run import RunSettings, Stop, evaluate_async, on_loop
from gavelkit.run.answered import Answered

_DIGITS: Final = 12
_LINE_SECONDS: Final = 10.0


def evaluate(  # noqa: PLR0913 - the signature that context-bench's users know
    systems: Sequence[System],
    dataset: Iterable[Mapping[str, Any]] | str | Path,
    evaluators: Sequence[Evaluator],
    metrics: Sequence[Metric] | None = None,
    max_examples: int | None = None,
    progress: bool = True,  # noqa: FBT001, FBT002 - a place in that signature
    text_fields: Sequence[str] | None = None,
    max_workers: int | None = None,
    cache_dir: str | Path | None = None,
    *,
    count_tokens: CountTokens | None = None,
    retry_errors: bool = False,
    preflight_check: bool = True,
) -> EvalResult:
    """Let each system answer the first `max_examples` rows, score the answers, and compute the metrics of each system.

    `dataset` holds rows, or is a name or file for `load_dataset`. `max_workers` calls run at once, one where it is
    left out. With `cache_dir` the run is kept in a folder there: the same call goes on where it stopped, asks nothing
    that it holds, and tries failed calls again; `retry_errors` unreadable, refused and cut replies too. A failed system
    or evaluator costs its row alone. `count_tokens` counts those of a text; without it they are estimated.

    Raises EndpointError where an endpoint is unusable, which is tried beforehand with `preflight_check`; UsageError
    and DataError for what cannot be evaluated; StorageError.
    """
    evaluation = Evaluation(
        systems,
        dataset,
        evaluators,
        metrics=metrics,
        max_examples=max_examples,
        max_workers=max_workers,
        counter=Counter(count_tokens, text_fields),
        preflight_check=preflight_check,
    )
    with ExitStack() as opened:
        if cache_dir is None:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="gavelkit-")))
        else:
            folder = Path(cache_dir) / evaluation.digest
        observe = _Bar(opened).observe if progress else ignore
        evaluation.run(folder, observe=observe, retry_errors=retry_errors)
        return evaluation.result(folder, kept=cache_dir is not None)


class Evaluation:
    """What is evaluated, and the run that does so. More than `max_error_rate` of an evaluator's failed rows fail it.

    Raises UsageError and DataError for what cannot be evaluated.
    """

    def __init__(
        self,
        systems: Sequence[System],
        dataset: Iterable[Mapping[str, Any]] | str | Path,
        evaluators: Sequence[Evaluator],
        *,
        metrics: Sequence[Metric] | None = None,
        max_examples: int | None = None,
        max_workers: int | None = None,
        counter: Counter | None = None,
        preflight_check: bool = True,
        max_error_rate: float = 1.0,
    ) -> None:
        refuse_others("systems", systems, "process")
        refuse_others("evaluators", evaluators, "score")
        refuse_others("metrics", metrics or (), "compute")
        self.systems = [system.name for system in _distinct(systems)]
        self.evaluators = dict(_named(evaluators))
        rows = _rows(dataset, max_examples)
        self.originals = dict(_keyed(rows[:max_examples]))
        self._datasets = _datasets(rows)
        self._metrics = metrics
        self._max_workers = max_workers
        self._counter = counter or Counter()
        self._preflight = preflight_check
        limits = Limits(_workers(max_workers), max_error_rate)
        self._answerers = answering(systems, self.originals, workers=limits.concurrency)
        self._judges = tuple(self._answered(limits))

    @property
    def digest(self) -> str:
        """12 hex digits of what the systems, the evaluators and the datasets are; more rows do not change it."""
        material = canonical([[[judge.name, judge.asks.material] for judge in self._judges], self._datasets])
        return hashlib.blake2b(material.encode()).hexdigest()[:_DIGITS]

    def run(
        self, folder: Path, *, observe: Observe = ignore, stop: Stop | None = None, retry_errors: bool = False
    ) -> Report:
        """Ask and score what the folder does not hold. Raises what `evaluate_async` raises."""
        self._answerers[0].failures.clear()
        settings = RunSettings(retry_errors=retry_errors, preflight_check=self._preflight)
        work = evaluate_async(self._source, self._judges, folder=folder, settings=settings, observe=observe, stop=stop)
        return on_loop(work)

    def result(self, folder: Path, *, kept: bool = True) -> EvalResult:
        """What the folder holds of it. Raises StorageError."""
        rows = recorded_rows(folder, self.systems, self.originals, self.evaluators, self._counter)
        metrics = usual_metrics(rows) if self._metrics is None else self._metrics
        return EvalResult(
            rows,
            summaries(rows, self.systems, metrics),
            {name: sum(row.latency for row in rows if row.system == name) for name in self.systems},
            {
                "systems": self.systems,
                "evaluators": [evaluator.name for evaluator in self.evaluators.values()],
                "metrics": [metric.name for metric in metrics],
                "num_examples": len(self.originals),
                "max_workers": self._max_workers,
                "folder": str(folder) if kept else None,
                "token_counter": self._counter.name,
            },
        )

    def _answered(self, limits: Limits) -> Iterator[Answered]:
        answerers = self._answerers
        if not self._preflight:
            answerers = tuple(replace(each, probes=()) for each in answerers)
        places = threading.BoundedSemaphore(limits.concurrency)
        answers = Answers(self.originals, answerers[0].answers, places)
        for name, evaluator in self.evaluators.items():
            judge = scoring(evaluator, name, answers, limits=limits, preflight=self._preflight)
            yield Answered(judge, answerers)
        if not self.evaluators:
            yield Answered(nobody(limits), answerers)

    @property
    def _source(self) -> Source:
        rows = [{**_plain(row), "id": key} for key, row in self.originals.items()]
        names = dict.fromkeys(str(row.get("dataset") or "rows") for row in self.originals.values())
        name = ", ".join(names)
        return replace(rows_source(rows, RowMapping(answered=False), name=name), path=name)


class _Bar:
    """Shows on stderr how far a run is."""

    def __init__(self, opened: ExitStack) -> None:
        self._opened = opened
        self._bar: tqdm[NoReturn] | None = None

    def observe(self, event: Event) -> None:
        """Take in one event of the run."""
        if isinstance(event, Planned):
            every = 0.1 if sys.stderr.isatty() else _LINE_SECONDS
            bar: tqdm[NoReturn] = tqdm(
                total=event.judgments, initial=event.held, unit="score", file=sys.stderr, mininterval=every
            )
            self._bar = self._opened.enter_context(bar)
        elif isinstance(event, Committed) and self._bar is not None:
            self._bar.update(len(event.judgments))


def _workers(given: int | None) -> int:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
        message = f"max_workers is how many calls run at once, 1 or more, and not {given!r}"
        raise UsageError(message)
    return given or 1


def _distinct(systems: Sequence[System]) -> Sequence[System]:
    names = [system.name for system in systems]
    twice = [name for name in names if names.count(name) > 1]
    if not names or twice:
        message = f"two systems are called {twice[0]!r}; give each a name of its own" if twice else "name a system"
        raise UsageError(message)
    return systems


def _named(evaluators: Sequence[Evaluator]) -> Iterator[tuple[str, Evaluator]]:
    """Each by the name of its judge; of several with one name, the second gets a 2 behind it."""
    taken: set[str] = set()
    for evaluator in evaluators:
        yield _free(evaluator.name, taken, "{name} {number}"), evaluator


def _free(name: str, taken: set[str], form: str) -> str:
    chosen, number = name, 1
    while chosen in taken:
        number += 1
        chosen = form.format(name=name, number=number)
    taken.add(chosen)
    return chosen


def _rows(dataset: Iterable[Any] | str | Path, most: int | None) -> list[Mapping[str, Any]]:
    """Every row, of a dataset that is named at most so many."""
    if most is not None and most < 0:
        message = f"max_examples is how many rows are evaluated at most, and not {most}"
        raise UsageError(message)
    rows = list(load_dataset(dataset, most) if isinstance(dataset, str | Path) else dataset)
    if not rows[:most]:
        message = "there are no examples to evaluate"
        raise DataError(message)
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            message = f"example {number}: a dict is needed, not {type(row).__name__}"
            raise DataError(message)
    return rows


def _datasets(rows: Sequence[Mapping[str, Any]]) -> list[object]:
    """What tells datasets apart: their names, and where rows name none the first row."""
    names = sorted({str(row.get("dataset") or "") for row in rows})
    return [*names] if all(names) else [*names, plain_json(rows[0])]


def _keyed(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each row by an id that no other has: datasets side by side count alike."""
    taken: set[str] = set()
    for number, row in enumerate(rows):
        own = str(row.get("id", number)) or str(number)
        dataset = row.get("dataset")
        name = f"{dataset}: {own}" if dataset and own in taken else own
        yield _free(name, taken, "{name} ({number})"), row


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the record keeps of a row."""
    plain = plain_json(row, as_written=True)
    return plain if isinstance(plain, dict) else {}
