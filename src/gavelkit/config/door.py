"""`evaluate`: the whole run as one call from Python, sync and async."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from gavelkit.config.data import prediction_fields
from gavelkit.config.file import check_names
from gavelkit.config.gates import read_gates
from gavelkit.config.schema import RUN
from gavelkit.config.setting import read_settings
from gavelkit.core.event import Observe, ignore
from gavelkit.core.protocols import Judge
from gavelkit.core.report import Report
from gavelkit.datasets import RowMapping, open_source, rows_source
from gavelkit.run import RunSettings, Stop, default_folder, on_loop, pointing
from gavelkit.run import evaluate_async as run_async

Data = str | Path | Iterable[Mapping[str, Any]]


class RunOptions(TypedDict, total=False):
    """What `evaluate` takes besides data and judges; as in a configuration's `run:`."""

    repeat: int
    limit: int
    on_failure: str
    interval: str
    max_cost: float
    max_requests: int
    max_error_rate: float
    preflight_check: bool


def evaluate(
    data: Data,
    judges: Judge | Sequence[Judge],
    *,
    map: Mapping[str, Any] | None = None,  # noqa: A002 - the setting's name
    output: str | Path | None = None,
    retry_errors: bool = False,
    gates: Mapping[str, str] | None = None,
    prices: str | Path | None = None,
    observe: Observe = ignore,
    **options: Unpack[RunOptions],
) -> Report:
    """Judge a file of model outputs, or rows in memory, and report.

    `map` names what a row holds where; `output` is the run's folder, in which the same call goes on where an earlier
    one stopped. Without it a file's run lies under `runs/`, and rows in memory leave no folder behind. `gates` are
    what the run must reach, `{"accuracy.mean": ">= 7"}`: where one is not met, RunFailed carries the report. `prices`
    is a file of prices of your own, by which `max_cost` counts.

    Works in scripts, notebooks and threads, also while an event loop runs. Raises UsageError before any call;
    RunFailed, EndpointError or StorageError once everything judged is on disk.
    """
    work = evaluate_async(
        data,
        judges,
        map=map,
        output=output,
        retry_errors=retry_errors,
        gates=gates,
        prices=prices,
        observe=observe,
        **options,
    )
    return on_loop(work)


async def evaluate_async(
    data: Data,
    judges: Judge | Sequence[Judge],
    *,
    map: Mapping[str, Any] | None = None,  # noqa: A002 - the setting's name
    output: str | Path | None = None,
    retry_errors: bool = False,
    gates: Mapping[str, str] | None = None,
    prices: str | Path | None = None,
    observe: Observe = ignore,
    stop: Stop | None = None,
    **options: Unpack[RunOptions],
) -> Report:
    """The same as `evaluate`, to be awaited. `stop.ask(...)` ends it early; it raises Interrupted then."""
    table = [setting for setting in RUN if setting.name in RunOptions.__annotations__]
    checked = read_settings(options, table, "evaluate")
    several = list(judges) if isinstance(judges, Sequence) else [judges]
    check_names([judge.name for judge in several], "evaluate")
    demands = read_gates(gates or {}, several, "evaluate")
    own_prices = None if prices is None else Path(prices)
    settings = RunSettings(**checked, retry_errors=retry_errors, gates=demands, prices=own_prices)
    fallback = () if (map or {}).keys() & {"response", "responses"} else prediction_fields(several, "evaluate")
    mapping = RowMapping(map, fallback=fallback)
    source = open_source(data, mapping) if isinstance(data, str | Path) else rows_source(data, mapping)
    if output is None and not source.path:
        with tempfile.TemporaryDirectory(prefix="gavelkit-") as folder:
            return await run_async(source, several, folder=Path(folder), settings=settings, observe=observe, stop=stop)
    if output is not None:
        return await run_async(source, several, folder=Path(output), settings=settings, observe=observe, stop=stop)
    kept = default_folder(source.name, several, source.mapping.spec, source.path)
    pointed = pointing(observe, kept)
    return await run_async(source, several, folder=kept, settings=settings, observe=pointed, stop=stop)
