"""Whether a run's metrics meet its gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gavelkit.core.gate import Gate, GateResult
from gavelkit.core.interval import Interval
from gavelkit.core.report import Metric
from gavelkit.core.status import Status

_NOT_WANTED = frozenset({Status.SKIPPED, Status.PENDING})


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a gate reads of one system."""

    system: str
    value: float | None
    interval: Interval | None = None
    reason: str = ""


def decide(gates: Sequence[Gate], metrics: Sequence[Metric]) -> tuple[GateResult, ...]:
    """What became of each gate. A gate without a system is passed where every system passes it."""
    return tuple(_decided(gate, _readings(gate, metrics)) for gate in gates)


def _decided(gate: Gate, readings: Sequence[_Reading]) -> GateResult:
    unknown = next((each for each in readings if each.value is None), None)
    if unknown is not None or not readings:
        subject = gate.judge if gate.system is None else f"{gate.judge}[{gate.system}]"
        reason = unknown.reason if unknown else f"there is no judgment of {subject}"
        named = f"{reason} (system {unknown.system})" if unknown and unknown.system and gate.system is None else reason
        return GateResult(str(gate), gate.judge, gate.bound, None, passed=False, reason=named)
    known = [(each, each.value) for each in readings if each.value is not None]
    failing = [each.system for each, value in known if not gate.passes(value)]
    deciding, value = min(known, key=lambda pair: (gate.passes(pair[1]), gate.nearness(pair[1])))
    interval = deciding.interval
    return GateResult(
        gate=str(gate),
        judge=gate.judge,
        bound=gate.bound,
        value=value,
        passed=not failing,
        reason=f"{len(failing)} of {len(known)} systems fail: {', '.join(failing)}" if len(failing) > 1 else "",
        system=deciding.system if gate.system is None else "",
        interval=None if interval is None else (interval.low, interval.high),
    )


def _readings(gate: Gate, metrics: Sequence[Metric]) -> list[_Reading]:
    own = [each for each in metrics if each.judge == gate.judge and gate.system in (None, each.system)]
    if gate.metric in {"stderr", "error_rate", "n", "failed"}:
        return [_beside_mean(gate.metric, each) for each in own if each.name == "mean"]
    named = [each for each in own if each.name == gate.metric]
    if gate.metric == "mean_ok" and not named:
        named = [each for each in own if each.name == "mean"]  # where failures cost nothing, the two are the same
    return [_Reading(each.system, each.value, each.interval, each.reason) for each in named]


def _beside_mean(name: str, mean: Metric) -> _Reading:
    if name == "stderr":
        return _Reading(mean.system, mean.stderr, reason=mean.reason)
    if name == "error_rate":
        wanted = sum(count for status, count in mean.counts.items() if status not in _NOT_WANTED)
        return _Reading(mean.system, mean.failed / wanted if wanted else None, reason="nothing was judged")
    return _Reading(mean.system, float(mean.n if name == "n" else mean.failed))
