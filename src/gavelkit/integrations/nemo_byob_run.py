"""A bring-your-own benchmark from its rows to its results: the model answers, the scorer scores, all in one record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gavelkit.core.errors import RunFailed
from gavelkit.core.event import Observe, ignore
from gavelkit.core.report import Report
from gavelkit.integrations.nemo_byob_files import Results, write_results
from gavelkit.integrations.nemo_byob_plan import Choices, Model, Planned, plan
from gavelkit.integrations.nemo_byob_registry import Benchmark
from gavelkit.run import RunSettings, Stop, evaluate_async, on_loop


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a benchmark came to: the run's folder and report, what stands in the files, and why it failed if it did."""

    folder: Path
    report: Report
    results: Results
    failed: RunFailed | None = None


def run_benchmark(
    benchmark: Benchmark,
    *,
    output_dir: str | Path,
    model: Model | None = None,
    choices: Choices = Choices(),  # noqa: B008 - frozen
    observe: Observe = ignore,
) -> Outcome:
    """Run a benchmark, and write `byob_results.json` and `byob_predictions.jsonl` beside its record.

    They lie in `output_dir`, in a folder of the benchmark's normalized name; the same call goes on there where an
    earlier one stopped. Raises UsageError before anything is asked; RunFailed once both files are written;
    EndpointError, StorageError or Interrupted once everything so far is on disk.
    """
    planned = plan(benchmark, output_dir=output_dir, model=model, choices=choices, observe=observe)
    outcome = carry_out(planned, choices, observe=observe, stop=Stop())
    if outcome.failed is not None:
        raise outcome.failed
    return outcome


def carry_out(planned: Planned, choices: Choices, *, observe: Observe, stop: Stop) -> Outcome:
    """Run what is planned, and write its files. Raises as `run_benchmark` does, but for RunFailed, which it returns."""
    settings = RunSettings(repeat=choices.n_repeats, limit=choices.limit, retry_errors=choices.retry_errors)
    failed: RunFailed | None = None
    try:
        report = on_loop(
            evaluate_async(
                planned.source,
                [planned.judge],
                folder=planned.folder,
                settings=settings,
                facts={"byob": planned.benchmark.name},
                observe=observe,
                stop=stop,
            )
        )
    except RunFailed as error:
        failed, report = error, error.report
    results = write_results(
        planned.folder,
        planned.benchmark,
        planned.asked,
        repeats=choices.n_repeats,
        response_field=planned.response_field,
    )
    if failed is None and choices.fail_on_skip and results.skipped:
        message = f"{results.skipped} of {results.samples} samples were skipped (--fail-on-skip)"
        failed = RunFailed(message, report)
    return Outcome(planned.folder, report, results, failed)
