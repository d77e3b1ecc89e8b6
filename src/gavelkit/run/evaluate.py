"""The whole system on one screen: examples and judges in, judgments on disk, a report out."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from gavelkit.core.errors import EndpointError, GavelError, Interrupted, RunFailed
from gavelkit.core.event import Noticed, Observe, Planned, ignore
from gavelkit.core.example import Example
from gavelkit.core.failure import Failure
from gavelkit.core.gate import Gate
from gavelkit.core.protocols import Engine, Judge
from gavelkit.core.report import Report
from gavelkit.core.slot import Slot
from gavelkit.datasets import Source
from gavelkit.engines import Replaying, StoredOnly
from gavelkit.engines.replay import InFlight
from gavelkit.run.check import Planned as Plan
from gavelkit.run.check import check_gates, check_rows, check_settings, checked_examples, refuse_idle
from gavelkit.run.conclude import conclude
from gavelkit.run.cost import MODELS
from gavelkit.run.ending import complaints
from gavelkit.run.folder import holds_run
from gavelkit.run.pool import Pool
from gavelkit.run.preflight import preflight
from gavelkit.run.rounds import Rounds
from gavelkit.run.settings import RunSettings
from gavelkit.run.spending import Spending, check_caps, models_of, prices_of
from gavelkit.run.stop import Stop
from gavelkit.storage import RunRecord, open_reader

T = TypeVar("T")


async def evaluate_async(
    source: Source,
    judges: Sequence[Judge],
    *,
    folder: Path,
    settings: RunSettings = RunSettings(),  # noqa: B008 - frozen
    facts: Mapping[str, Any] | None = None,
    observe: Observe = ignore,
    stop: Stop | None = None,
) -> Report:
    """Judge every row that the folder's record does not hold yet, and report on all of them.

    `facts` are kept beside the rows. Raises UsageError before anything is called; RunFailed, EndpointError,
    StorageError or Interrupted after everything that was judged is on disk.
    """
    stop = stop or Stop()
    began = perf_counter()
    check_settings(judges, settings)
    plan = check_rows(source, judges, limit=settings.limit, repeat=settings.repeat, stop=stop)
    if stop.asked:
        raise Interrupted(stop.reason, Report(str(folder), (), ()), exit_code=stop.exit_code)
    check_gates(settings.gates, plan)
    prices = prices_of(judges, settings.prices)
    check_caps(prices, settings)
    checked = perf_counter() - began
    _reopen(judges)
    begun = holds_run(folder)
    tried = 0
    if not begun:  # so that a wrong address, key or model leaves no run behind
        tried = await _preflight(judges, settings, observe, stop)
        if stop.asked:
            raise Interrupted(stop.reason, Report(str(folder), (), ()), exit_code=stop.exit_code)
    bound = sum(judge.limits.concurrency for judge in judges)
    with RunRecord(
        folder, judges, mapping=source.mapping.spec, bound=bound, observe=observe, retry_errors=settings.retry_errors
    ) as record:
        _note(
            record,
            plan,
            {**(facts or {}), "data": source.path, MODELS: models_of(judges), **_chosen(settings)},
            settings.gates,
        )
        observe(Planned(plan.total if plan.complete else None, record.journal.held_count, checked))
        if record.reread:
            await _reread(record, judges, source.examples(limit=settings.limit), settings, observe)
        spending = Spending(prices, settings, stop, before=record.meta, totals=record.totals)
        judged = plan.complete and record.journal.held_count >= plan.total
        if begun and not (judged or spending.ledger.full):
            tried = await _preflight(judges, settings, observe, stop)
        spending.ledger.bill(tried)
        examples = _counting(checked_examples(source, limit=settings.limit), plan, judges, settings.repeat)
        in_flight: InFlight = {}
        rounds = Rounds(record.journal, stop=stop, repeat=settings.repeat)
        ready = [rounds.bind(judge).bind(partial(_wrapped, record, in_flight, spending, judge)) for judge in judges]
        missing = lambda position, slot: record.journal.held(position, slot) is None  # noqa: E731 - read where it stands
        again = partial(source.examples, limit=settings.limit) if source.rereadable else None
        await _until_stopped(rounds.run(examples, ready, missing, again=again), stop, settings)
        for name, value in spending.notes.items():
            record.journal.note(name, value)
        if rounds.seen_all:
            record.journal.note("removed", record.journal.finish_pass())
        if not source.rereadable:
            record.journal.note("planned", _planned(plan))
        await record.journal.settle()
    if rounds.seen_all and not source.rereadable:  # as late as its rows are known
        refuse_idle(source, judges, plan)
    report = conclude(folder, max_error_rate=settings.max_error_rate)
    return _ending(report, fatal=rounds.fatal, stop=stop, on_failure=settings.on_failure)


async def reparse_async(judges: Sequence[Judge], *, folder: Path, repeat: int, observe: Observe = ignore) -> Report:
    """Read every stored reply of a run again, as these judges do, without a call. Raises ConfigError, StorageError."""
    reader = open_reader(folder)
    try:
        mapping = reader.meta["map"]
        bound = sum(judge.limits.concurrency for judge in judges)
        with RunRecord(folder, judges, mapping=mapping, bound=bound, observe=observe, forget=False) as record:
            observe(Planned(None, record.journal.held_count))
            await _reread(record, judges, reader.examples(), RunSettings(repeat=repeat), observe, everything=True)
            await record.journal.settle()
    finally:
        reader.close()
    return conclude(folder)


def _reopen(judges: Sequence[Judge]) -> None:
    """What failed for good in an earlier run of this process may have been mended since."""
    for judge in judges:
        for probe in judge.probes:
            probe.reopen()


async def _preflight(judges: Sequence[Judge], settings: RunSettings, observe: Observe, stop: Stop) -> int:
    """How many requests it took to try what the judges call. Raises EndpointError; a stop ends it at once."""
    if not settings.preflight_check:
        return 0
    requests = await _until_stopped(preflight(judges, observe=observe), stop, replace(settings, grace_seconds=0))
    return requests or 0


async def _reread(
    record: RunRecord,
    judges: Sequence[Judge],
    examples: Iterator[Example],
    settings: RunSettings,
    observe: Observe,
    *,
    everything: bool = False,
) -> None:
    """A pass whose engine is the store alone: what it does not hold stays pending.

    Unless `everything` is read for its own sake, a judgment whose questions are others now stands no longer.
    """
    names = [judge.name for judge in judges] if everything else list(record.reread)

    def held(position: int, slot: Slot) -> bool:
        return record.journal.held(position, slot) is not None

    def wrap(_engine: Engine) -> Engine:
        return StoredOnly(record.replies)

    bound = [judge.bind(wrap) for judge in judges if judge.name in names]
    left = None if everything else record.journal.withdraw
    await Pool(record.journal, stop=Stop(), repeat=settings.repeat, left=left).run(examples, bound, held)
    record.read_again(judges)
    observe(Noticed(f"stored replies were read again, without a call: {', '.join(names)}"))


def _wrapped(record: RunRecord, in_flight: InFlight, spending: Spending, judge: Judge, engine: Engine) -> Engine:
    """Outermost first: replay > budget > second try, and inside what the judge came with: repair > retry > gate.

    Or, inside the replay, what collects the requests for a batch engine.
    """
    return Replaying(spending.wrapped(judge, engine), record.replies, record.journal, in_flight=in_flight)


async def _until_stopped(work: Coroutine[Any, Any, T], stop: Stop, settings: RunSettings) -> T | None:
    """Let the work end by itself, or, once asked to stop, within its grace: replies in flight are paid for."""
    working = asyncio.create_task(work)
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            await asyncio.wait({working}, timeout=settings.grace_seconds)
    finally:
        stopping.cancel()
        working.cancel()
        await asyncio.wait({working})  # where the run itself is cancelled too: no call once the record is closed
    try:
        return await working
    except asyncio.CancelledError:
        if not stop.asked:
            raise
        return None


def _counting(examples: Iterator[Example], plan: Plan, judges: Sequence[Judge], repeat: int) -> Iterator[Example]:
    """The plan of a source that is read once is counted as it goes by."""
    for example in examples:
        if not plan.complete:
            plan.add(example, judges, repeat=repeat)
        yield example


def _planned(plan: Plan) -> list[tuple[str, tuple[str, ...], int]]:
    return [(judge, systems, count) for (judge, systems), count in plan.slots.items()]


def _chosen(settings: RunSettings) -> dict[str, Any]:
    """What a report needs to know of the settings."""
    return {"on_failure": settings.on_failure, "interval": settings.interval, "repeat": settings.repeat}


def _note(record: RunRecord, plan: Plan, facts: Mapping[str, Any], gates: Sequence[Gate]) -> None:
    for name, value in {**facts, "planned": _planned(plan), "gates": [asdict(gate) for gate in gates]}.items():
        record.journal.note(name, value)


def _ending(report: Report, *, fatal: Failure | None, stop: Stop, on_failure: str) -> Report:
    """The report, or the error that a finished run ends with, carrying it."""
    if fatal is not None:
        message = f"the endpoint is unusable: {fatal.message}"
        raise EndpointError(message, report)
    if stop.asked:
        raise Interrupted(stop.reason, report, exit_code=stop.exit_code)
    if not report.finished:
        message = f"{report.pending} judgments are pending and nothing says why"
        raise GavelError(message)
    if failing := list(complaints(report, on_failure=on_failure)):
        raise RunFailed("; ".join(failing), report)
    return report
