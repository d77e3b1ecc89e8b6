"""`gavel context-bench`: evaluate endpoints on datasets, by the flags that context-bench's users know."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from gavelkit.cli.announce import tell_calls
from gavelkit.cli.ending import say
from gavelkit.cli.flags import read_as
from gavelkit.cli.progress import Progress
from gavelkit.cli.signals import stopping
from gavelkit.config.environment import sends_key_in_clear
from gavelkit.config.setting import number, whole
from gavelkit.core.errors import ConfigError, RunFailed
from gavelkit.core.path import did_you_mean
from gavelkit.integrations.context_bench import (
    AnswerQuality,
    CompressionRatio,
    CostOfPass,
    Latency,
    LLMJudge,
    MeanScore,
    ParetoRank,
    PassRate,
    PerDatasetBreakdown,
)
from gavelkit.integrations.context_bench_datasets import load_dataset
from gavelkit.integrations.context_bench_figures import warnings
from gavelkit.integrations.context_bench_reports import to_html, to_json, to_jsonl, to_table
from gavelkit.integrations.context_bench_result import EvalResult
from gavelkit.integrations.context_bench_rows import Evaluator, Metric
from gavelkit.integrations.context_bench_run import Evaluation
from gavelkit.integrations.context_bench_systems import KEY, OpenAIProxy
from gavelkit.reports.figures import counted
from gavelkit.run import Stop, pointing

_FORMS: Final[dict[str, Callable[[EvalResult], str]]] = {
    "table": to_table,
    "json": to_json,
    "jsonl": to_jsonl,
    "html": to_html,
}
_CACHE: Final = "runs/context-bench"
_MOST_FAILED: Final = 0.1
_WORKERS: Final = 32
_JUDGE_MODEL: Final = "gpt-4"
_JUDGED: Final = "judge_score"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.epilog = (
        "Keys come from OPENAI_API_KEY, which is sent to every --proxy and to --judge-url.\n"
        "Exit code 3 where more than 10 % of the rows failed: of a system, or of the judge."
    )
    add = parser.add_argument
    add("--proxy", metavar="URL", action="append", required=True, help="an endpoint to evaluate, without /v1; repeat")
    add("--name", metavar="NAME", action="append", help="the system's name in results, once for each --proxy")
    add("--model", default="gpt-4", metavar="MODEL", help="the model that is asked for there (default: gpt-4)")
    add("--dataset", metavar="NAME", action="append", required=True, help="NAME, NAME:CONFIG or FILE.jsonl; repeat")
    add("-n", "--max-examples", metavar="N", type=read_as(whole(least=1)), help="the first N rows of each dataset")
    add("--output", choices=_FORMS, default="table", help="how results are written to stdout (default: table)")
    add("--score-field", default="f1", metavar="FIELD", help="the score that metrics are made of (default: f1)")
    add("--threshold", type=read_as(number()), default=0.7, metavar="X", help="the score that passes (default: 0.7)")
    add("--judge-url", metavar="URL", help="a judge's endpoint, without /v1; adds judge_score to the scores")
    add("--judge-model", metavar="MODEL", help=f"the judge's model (default: {_JUDGE_MODEL})")
    add(
        "--max-workers",
        metavar="N",
        type=read_as(whole(least=1)),
        default=_WORKERS,
        help=f"so many answers, and so many scores, at once (default: {_WORKERS})",
    )
    add("--cache-dir", metavar="DIR", default=_CACHE, help=f"where the run's folder is made (default: {_CACHE})")
    add("--retry-errors", action="store_true", help="ask the judge again where its reply was unreadable or cut too")
    check = "whether each endpoint is tried beforehand (default: true)"
    add("--preflight-check", choices=("true", "false"), default="true", help=check)
    add("--quiet", action="store_true", help="no progress")


def run(options: argparse.Namespace) -> int:
    """Evaluate, and write the results."""
    progress = Progress(quiet=options.quiet)
    evaluation = _evaluation(options)
    folder = Path(options.cache_dir) / evaluation.digest
    if not options.quiet:
        say(f"evaluating {counted(len(evaluation.originals), 'example')} into {folder}")
        _tell_calls(options)
    failed = _carry_out(evaluation, folder, progress, retry_errors=options.retry_errors)
    result = evaluation.result(folder)
    if len(options.proxy) > 1:
        for system, rank in ParetoRank.rank_systems(result.summary).items():
            result.summary[system]["pareto_rank"] = rank
    for told in warnings(result):
        say(f"gavel: {told}")
    sys.stdout.write(_FORMS[options.output](result).rstrip("\n") + "\n")
    if failed is not None:
        raise failed
    return 0


def _tell_calls(options: argparse.Namespace) -> None:
    most = dict.fromkeys(options.proxy, options.max_workers)
    if options.judge_url:
        most[options.judge_url] = most.get(options.judge_url, 0) + (options.max_workers)
    tell_calls(most)
    for url in most:
        if os.environ.get(KEY) and sends_key_in_clear(url):
            say(f"the key goes to {url} over plain http, readable on the way")


def _carry_out(evaluation: Evaluation, folder: Path, progress: Progress, *, retry_errors: bool) -> RunFailed | None:
    """Run it to its end; the error where too much of it failed. Raises what ends it earlier."""
    stop = Stop()
    with stopping(stop):
        try:
            observe = pointing(progress.observe, folder)
            evaluation.run(folder, observe=observe, stop=stop, retry_errors=retry_errors)
        except RunFailed as error:
            return error
        finally:
            progress.close()
    return None


def _evaluation(options: argparse.Namespace) -> Evaluation:
    _check_score(options)
    names = options.name or [None] * len(options.proxy)
    if len(names) != len(options.proxy):
        message = f"--name: {len(names)} for {len(options.proxy)} --proxy; give one to each, or none"
        raise ConfigError(message)
    systems = [OpenAIProxy(url, options.model, name) for url, name in zip(options.proxy, names, strict=True)]
    rows = [row for name in options.dataset for row in load_dataset(name, options.max_examples)]
    evaluators: list[Evaluator] = [AnswerQuality()]
    if options.judge_url:
        evaluators.append(LLMJudge(options.judge_url, options.judge_model or _JUDGE_MODEL))
    elif options.judge_model is not None:
        message = "--judge-model needs --judge-url, which says where the judge is asked"
        raise ConfigError(message)
    return Evaluation(
        systems,
        rows,
        evaluators,
        metrics=list(_metrics(options)),
        max_workers=options.max_workers,
        preflight_check=options.preflight_check == "true",
        max_error_rate=_MOST_FAILED,
    )


def _check_score(options: argparse.Namespace) -> None:
    """Raises ConfigError for a score that nothing gives: all figures would be 0."""
    if options.score_field == _JUDGED and not options.judge_url:
        message = f"--score-field: {_JUDGED} comes from a judge; --judge-url says where it is"
        raise ConfigError(message)
    scores = [*AnswerQuality().score({}, {}), *([_JUDGED] if options.judge_url else [])]
    if options.score_field not in scores:
        message = f"--score-field: there is no score {options.score_field!r}{did_you_mean(options.score_field, scores)}"
        raise ConfigError(message)


def _metrics(options: argparse.Namespace) -> Iterator[Metric]:
    field, threshold = options.score_field, options.threshold
    yield MeanScore(field)
    yield PassRate(threshold, field)
    yield CompressionRatio()
    yield CostOfPass(threshold, field)
    yield Latency()
    if len(options.dataset) > 1:
        yield PerDatasetBreakdown(field)
