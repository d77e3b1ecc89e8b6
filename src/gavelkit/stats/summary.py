"""The metrics of a run, from its judgments streamed once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from gavelkit.core.errors import GavelError
from gavelkit.core.interval import Interval
from gavelkit.core.judgment import Judgment
from gavelkit.core.report import Metric
from gavelkit.core.slot import subject
from gavelkit.stats.estimate import Bootstrap, Estimate, estimate
from gavelkit.stats.interval import STUDENT_T
from gavelkit.stats.moments import Moments
from gavelkit.stats.tally import JudgeFacts, Tally

OnFailure = Literal["missing", "worst", "zero", "raise"]
"""What a failed judgment costs in `mean`: nothing, the scale's worst, 0.0, or (raised elsewhere) nothing."""

NO_SCALE = "the judge declares no scale, so there is neither a worst nor a best score"


def summarise(
    judgments: Iterable[Judgment],
    judges: Sequence[JudgeFacts],
    *,
    on_failure: OnFailure,
    bootstrap: Bootstrap | None = None,
) -> tuple[Metric, ...]:
    """The metrics of every judge on every system, judges as given and systems as they first appear.

    `mean` obeys `on_failure`; `mean_ok` stands beside it where that is worst or zero; `mean_failures_worst` and
    `mean_failures_best` are always there, None without a scale; `pass_rate` where the judge has a threshold.
    A contest's system is `a vs b`. With a `bootstrap` it makes the intervals that are otherwise Student's t.
    Raises GavelError where judgments are lost on the way or belong to no judge.
    """
    tallies = _collect(judgments, judges, keep=bootstrap is not None)
    return tuple(
        metric
        for facts in judges
        for system, tally in tallies[facts.name].items()
        for metric in _metrics(facts, system, tally, on_failure, bootstrap)
    )


def _collect(judgments: Iterable[Judgment], judges: Sequence[JudgeFacts], *, keep: bool) -> dict[str, dict[str, Tally]]:
    facts = {judge.name: judge for judge in judges}
    tallies: dict[str, dict[str, Tally]] = {name: {} for name in facts}
    planned = 0
    for judgment in judgments:
        planned += 1
        slot = judgment.slot
        if slot.judge not in facts:
            message = f"the record holds judgments of {slot.judge!r}, which is none of the judges {', '.join(facts)}"
            raise GavelError(message)
        by_system = tallies[slot.judge]
        system = subject(slot.systems)
        if system not in by_system:
            by_system[system] = Tally(facts[slot.judge], keep=keep)
        by_system[system].add(judgment)
    _check_conservation(planned, [tally for by_system in tallies.values() for tally in by_system.values()])
    return tallies


def _check_conservation(planned: int, tallies: Iterable[Tally]) -> None:
    """Every planned judgment has one status: the counts add up to the plan before any mean is shown."""
    counted = 0
    for tally in tallies:
        tally.close()
        counted += tally.planned
    if counted != planned:
        message = f"{planned} judgments were planned, and the counts by status add up to {counted}"
        raise GavelError(message)


def _metrics(
    facts: JudgeFacts, system: str, tally: Tally, on_failure: OnFailure, bootstrap: Bootstrap | None
) -> Iterator[Metric]:
    for name, found in _estimates(facts, tally, on_failure, bootstrap):
        yield Metric(
            name=name,
            judge=facts.name,
            system=system,
            value=found.value,
            n=found.n,
            counts=tally.counts,
            stderr=found.stderr,
            interval=found.interval,
            reason=found.reason,
        )


def _estimates(
    facts: JudgeFacts, tally: Tally, on_failure: OnFailure, bootstrap: Bootstrap | None
) -> Iterator[tuple[str, Estimate]]:
    mean = partial(_mean_of, facts, bootstrap)
    over_ok = mean(tally.ok, nothing=f"none of {tally.planned} judgments is ok")
    priced = f"none of {tally.planned} judgments is ok or failed"
    at_worst = at_best = Estimate(reason=NO_SCALE)
    if facts.criterion.scale is not None:
        at_worst, at_best = (mean(each, nothing=priced) for each in (tally.worst, tally.best))
    if on_failure == "worst":
        yield "mean", at_worst
    elif on_failure == "zero":
        yield "mean", mean(tally.zero, nothing=priced)
    else:
        yield "mean", over_ok
    if on_failure in {"worst", "zero"}:
        yield "mean_ok", over_ok
    yield "mean_failures_worst", at_worst
    yield "mean_failures_best", at_best
    if facts.threshold is not None:
        yield "pass_rate", _share(tally.passed, nothing=f"none of {tally.planned} judgments is ok")


def _mean_of(facts: JudgeFacts, bootstrap: Bootstrap | None, moments: Moments, *, nothing: str) -> Estimate:
    proportion = facts.criterion.binary is not False
    return estimate(moments, proportion=proportion, nothing=nothing, bootstrap=bootstrap)


def _share(moments: Moments, *, nothing: str) -> Estimate:
    found = estimate(moments, proportion=True, nothing=nothing)
    interval = found.interval
    if interval is None or interval.method != STUDENT_T:
        return found
    method = f"{STUDENT_T} on each example's share of repeats, within 0 to 1"
    return replace(found, interval=Interval(max(0.0, interval.low), min(1.0, interval.high), interval.level, method))
