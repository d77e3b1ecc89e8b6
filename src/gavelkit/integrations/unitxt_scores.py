"""Global scores: what all instances come to, with intervals, and what failures could have made of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gavelkit.integrations.unitxt_error import perhaps, unitxt_error
from gavelkit.stats.bootstrap import Reduction, bca

REDUCTIONS = ("mean", "weighted_win_rate")
MEAN: Reduction = "mean"
_SCORE = "score"
_SEED = 42  # the host's own

Instance = Mapping[str, Any]
Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is reduced: which fields by which reduction, the main one of them, and which get an interval.

    `resamples` below 2, or None, means no interval.
    """

    fields: Mapping[str, Sequence[str]]
    main: str
    intervals: Sequence[str]
    resamples: int | None
    level: float
    prefix: str = ""

    def key(self, field: str) -> str:
        """The field's key in an instance and in the result."""
        return field if field == _SCORE else f"{self.prefix}{field}"

    def reduction(self, field: str) -> Reduction:
        """How a field is reduced."""
        return next((cast("Reduction", name) for name, those in self.fields.items() if field in those), MEAN)


def check_reductions(reduction_map: Mapping[str, Sequence[str]]) -> None:
    """Raises UnitxtError where there is no such reduction."""
    for name in reduction_map:
        if name not in REDUCTIONS:
            message = f"reduction_map: there is no reduction {name!r}.{perhaps(name, REDUCTIONS)}"
            raise unitxt_error(message)


def global_scores(instances: Sequence[Instance], plan: Plan, ends: Sequence[Ends]) -> dict[str, Any]:
    """The scores over all instances. `ends` are the lowest and the highest score that each could have had.

    A figure that is not a number is outside of every reduction, and counted. Raises UnitxtError where no instance has
    a field that is to be reduced.
    """
    main = _values(instances, plan.main, plan)
    failed = sum(map(math.isnan, main))
    found: dict[str, Any] = {"num_of_instances": len(instances), "num_of_failed_instances": failed}
    for field in dict.fromkeys([each for fields in plan.fields.values() for each in fields]):
        found[plan.key(field)] = _reduced(_values(instances, field, plan), plan.reduction(field))
    found[plan.key(plan.main)] = score = _reduced(main, plan.reduction(plan.main))
    found |= {_SCORE: score, "score_name": plan.key(plan.main)}
    for field in plan.intervals:
        found |= _interval(instances, field, plan)
    return {**found, **_bounds(main, plan.reduction(plan.main), ends, failed)}


def _values(instances: Sequence[Instance], field: str, plan: Plan) -> list[float]:
    """The field of each instance, NaN where it is not there or None."""
    key = plan.key(field)
    if not any(key in instance for instance in instances):
        message = f"no instance has the field {key!r} to be reduced.{perhaps(key, instances[0])}"
        raise unitxt_error(message)
    return [_number(instance.get(key), key) for instance in instances]


def _number(value: Any, key: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, int | float):
        return float(value)
    message = f"the field {key!r} holds {value!r}, which is no number to be reduced"
    raise unitxt_error(message)


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if not math.isnan(value)]


def _reduced(values: Sequence[float], reduction: Reduction) -> float:
    """The reduction of those that are numbers, NaN where none is."""
    found = bca(_finite(values), seed=_SEED, reduction=reduction, resamples=2)
    return math.nan if found.value is None else found.value


def _interval(instances: Sequence[Instance], field: str, plan: Plan) -> dict[str, float]:
    """Both ends; nothing for fewer than two numbers, for equal ones, or where no resamples are wanted."""
    values = _finite(_values(instances, field, plan))
    if plan.resamples is None or plan.resamples < 2 or len(set(values)) < 2:  # noqa: PLR2004 - two are the fewest
        return {}
    reduction = plan.reduction(field)
    interval = bca(values, seed=_SEED, reduction=reduction, resamples=plan.resamples, level=plan.level).interval
    if interval is None:
        return {}
    names = [plan.key(field), *([_SCORE] if field == plan.main else [])]
    return {
        f"{name}_ci_{end}": value for name in names for end, value in (("low", interval.low), ("high", interval.high))
    }


def _bounds(main: Sequence[float], reduction: Reduction, ends: Sequence[Ends], failed: int) -> dict[str, float]:
    """What the score would be with every failed instance at the lowest, and at the highest it could have had."""
    if not failed:
        return {}
    return {
        f"score_if_failed_{name}": _reduced(
            [each[place] if math.isnan(value) else value for value, each in zip(main, ends, strict=True)], reduction
        )
        for place, name in enumerate(("lowest", "highest"))
    }
