"""`gavel byob FILE.py`: run a bring-your-own benchmark, by the flags that its users know."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from typing import Any

from gavelkit.cli.announce import tell_calls
from gavelkit.cli.ending import say
from gavelkit.cli.flags import add_output, read_as
from gavelkit.cli.progress import Progress
from gavelkit.cli.signals import stopping
from gavelkit.config.setting import Kind, number, whole
from gavelkit.core.errors import ConfigError
from gavelkit.integrations.nemo_byob_files import PREDICTIONS, RESULTS, SCORED, Results
from gavelkit.integrations.nemo_byob_load import load_benchmark
from gavelkit.integrations.nemo_byob_plan import Choices, Model, Planned, plan
from gavelkit.integrations.nemo_byob_run import Outcome, carry_out
from gavelkit.reports import printable
from gavelkit.reports.columns import Columns
from gavelkit.run import Stop, pointing

_WIDTH = 100
_TYPES = ("chat", "completions", "completions_logprob")


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("file", metavar="FILE.py", help="the file that declares the benchmark; it is run as a program")
    parser.add_argument("--benchmark-name", metavar="NAME", default="", help="which benchmark, where there are several")
    parser.add_argument("--output-dir", metavar="DIR", required=True, help="the folder of its results and its record")
    _add_model(parser)
    _add_data(parser)
    _add_running(parser)
    add_output(parser)


def _add_model(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--model-url", metavar="URL", help="the base URL of the model under test; an empty path becomes /v1")
    add("--model-id", metavar="MODEL", help="the model under test")
    add(
        "--model-type",
        choices=_TYPES,
        help="chat, or completions of a base model, in place of endpoint_type",
    )
    add("--api-key-name", metavar="VARIABLE", help="the environment variable that holds the model's key")
    _number(parser, "--temperature", number(least=0), 0.0, "the model's sampling temperature")
    _number(parser, "--max-tokens", whole(least=1), 4096, "the most tokens of its response")
    _number(parser, "--top-p", number(least=0, most=1), 1.0, "its nucleus sampling")
    _number(parser, "--timeout-per-sample", number(above=0), 120.0, "seconds that the model may take for one sample")
    _number(parser, "--request-timeout", number(above=0), None, "the same, where it shall differ")
    _number(parser, "--max-retries", whole(), 3, "how often a failed call of the model is tried again")
    _number(parser, "--retry-backoff", number(least=0), 0.5, "the shortest wait before another try, in seconds")


def _add_data(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--dataset", metavar="FILE", help="the rows, in place of those that the file names")
    add("--response-field", metavar="NAME", help="the column that holds the response; no model answers then")
    _number(parser, "--limit-samples", whole(least=1), None, "the first so many rows only")
    _number(parser, "--n-repeats", whole(least=1, most=256), 1, "how often each row is answered and scored")
    _number(parser, "--num-fewshot", whole(), None, "so many examples before each prompt, in place of the file's")
    _number(parser, "--fewshot-seed", whole(), 42, "the seed by which examples are drawn")


def _add_running(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    _number(parser, "--parallelism", whole(least=1), 32, "how many samples are worked on at once")
    _number(parser, "--max-error-rate", number(least=0, most=1), 0.1, "the share of failed samples that is too much")
    add("--fail-on-skip", action="store_true", help="exit code 3 where a sample was skipped")
    add("--save-predictions", action="store_true", help="changes nothing: the predictions are always written")
    add("--retry-errors", action="store_true", help="try samples again whose judge gave no readable grade")
    add("--new-run", action="store_true", help="begin again in a new folder beside the old one")


def run(options: argparse.Namespace) -> int:
    """Run the benchmark, and show its results. What the file itself prints goes to stderr."""
    with redirect_stdout(sys.stderr):
        outcome = _outcome(options, Progress(quiet=options.quiet))
    _show(outcome, as_json=options.json)
    if outcome.failed is not None:
        raise outcome.failed
    return 0


def _outcome(options: argparse.Namespace, progress: Progress) -> Outcome:
    benchmark = load_benchmark(options.file, options.benchmark_name)
    choices = _choices(options)
    planned = plan(
        benchmark,
        output_dir=options.output_dir,
        model=_model(options),
        choices=choices,
        observe=progress.observe,
    )
    if not options.quiet:
        _announce(planned, choices)
    stop = Stop()
    with stopping(stop):
        try:
            observe = pointing(progress.observe, planned.folder)
            return carry_out(planned, choices, observe=observe, stop=stop)
        finally:
            progress.close()


def _choices(options: argparse.Namespace) -> Choices:
    return Choices(
        dataset=options.dataset,
        response_field=options.response_field,
        limit=options.limit_samples,
        parallelism=options.parallelism,
        n_repeats=options.n_repeats,
        num_fewshot=options.num_fewshot,
        fewshot_seed=options.fewshot_seed,
        fail_on_skip=options.fail_on_skip,
        max_error_rate=options.max_error_rate,
        retry_errors=options.retry_errors,
        new_run=options.new_run,
    )


def _model(options: argparse.Namespace) -> Model | None:
    """The model under test, None where none is named. Raises ConfigError where half of it is."""
    url, name = options.model_url, options.model_id
    if not url and not name:
        return None
    if not (url and name):
        message = f"--model-url and --model-id belong together; {'--model-url' if name else '--model-id'} is missing"
        raise ConfigError(message)
    return Model(
        url=url,
        model_id=name,
        api_key_name=options.api_key_name,
        endpoint_type=options.model_type,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        top_p=options.top_p,
        seconds=options.request_timeout or options.timeout_per_sample,
        max_retries=options.max_retries,
        backoff=options.retry_backoff,
    )


def _announce(planned: Planned, choices: Choices) -> None:
    say(f"running {planned.benchmark.name} over {planned.source.path} into {planned.folder}")
    tell_calls(dict.fromkeys(planned.endpoints, choices.parallelism))


def _show(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        text = json.dumps(outcome.results.as_dict, indent=2, sort_keys=True)
    else:
        files = [f"{outcome.folder / name}" for name in (RESULTS, PREDICTIONS)]
        text = "\n".join([*_lines(outcome.results), "", *files])
    sys.stdout.write(printable(text, lines=True) + "\n")


def _lines(results: Results) -> Iterator[str]:
    """A row for each score, then how the samples ended, and every judge's failures, each with its first reason."""
    if results.scores:
        yield from _grid([("score", "value", "stderr", "n", "failed", "mean without"), *_rows(results)])
    else:
        yield "no sample has a score that is a finite number"
    yield ""
    ended = ", ".join(f"{count:,} {status}" for status, count in sorted(results.statuses.items()))
    yield f"{results.name}: {results.samples:,} sample{'' if results.samples == 1 else 's'}: {ended}"
    for status, why in sorted(results.reasons.items()):
        yield f"  {'failed' if status == SCORED else status}, first {why}"
    for judge, statuses in results.judge_failures.items():
        told = ", ".join(f"{count:,} {status}" for status, count in statuses.items())
        yield f"judge {judge!r} gave no score: {told}; each counts as 0.0 in `value`, and not in `mean without`"
        yield f"  first {results.judge_reasons[judge]}"


def _rows(results: Results) -> Iterator[tuple[str, ...]]:
    for name, found in results.scores.items():
        stats, judged = found["stats"], found["judged"]
        mean = "-" if judged["mean"] is None else f"{judged['mean']:g}"
        yield (
            name,
            f"{found['value']:g}",
            f"{stats['stderr']:g}",
            f"{stats['count']:,}",
            f"{judged['failed']:,}",
            mean,
        )


def _grid(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    labels, cells = [printable(label) for label, *_ in rows], [row[1:] for row in rows]
    columns = Columns.of(cells, labels, width=_WIDTH)
    for label, row in zip(labels, cells, strict=True):
        yield from columns.lines(label, row)


def _number(parser: argparse.ArgumentParser, flag: str, kind: Kind, default: Any, told: str) -> None:
    shown = "" if default is None else f" (default: {default:g})"
    parser.add_argument(flag, metavar="N", type=read_as(kind), default=default, help=told + shown)
