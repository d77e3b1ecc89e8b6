"""`gates:` of a configuration: texts become demands, checked as far as can be before any row is read."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gavelkit.core.errors import ConfigError
from gavelkit.core.gate import METRICS, OPERATORS, WIN_RATE, Gate
from gavelkit.core.path import did_you_mean
from gavelkit.core.protocols import Judge

# A judge's name holds no dot and no bracket; a system's name may hold anything, so it ends at the last `].`.
_SUBJECT = re.compile(r"([^.\[\]]+)(?:\[(.*)\])?\.([^.\[\]]+)", re.DOTALL)
_CONDITION = re.compile(rf"\s*({'|'.join(OPERATORS)})\s*(\S+)\s*")


def read_gates(given: Mapping[Any, Any], judges: Sequence[Judge], where: str) -> tuple[Gate, ...]:
    """The gates, in their order. Raises ConfigError where one cannot be read or names no judge or metric."""
    known = {judge.name: judge for judge in judges}
    return tuple(_gate(subject, condition, known, where) for subject, condition in given.items())


def _gate(subject: Any, condition: Any, judges: Mapping[str, Judge], where: str) -> Gate:
    match = _SUBJECT.fullmatch(subject) if isinstance(subject, str) else None
    if match is None:
        message = f"{where}: gates: {subject!r} is not judge.metric or judge[system].metric, such as accuracy.mean"
        raise ConfigError(message)
    judge, system, metric = match.groups()
    if judge not in judges:
        message = f"{where}: gates: {subject}: there is no judge {judge!r}{did_you_mean(judge, judges)}"
        raise ConfigError(message)
    if metric not in METRICS:
        message = f"{where}: gates: {subject}: there is no metric {metric!r}{did_you_mean(metric, METRICS)}"
        raise ConfigError(message)
    if metric == "pass_rate" and judges[judge].threshold is None:
        message = f"{where}: gates: {subject}: the judge has no threshold, so nothing passes or fails; set threshold"
        raise ConfigError(message)
    if metric == WIN_RATE and judges[judge].asks.material.get("way") != "pairwise":
        message = f"{where}: gates: {subject}: the judge compares no systems, so nothing wins; use mode: pairwise"
        raise ConfigError(message)
    sign, bound = _condition(condition, f"{where}: gates: {subject}")
    return Gate(judge, metric, sign, bound, system)


def _condition(condition: Any, where: str) -> tuple[str, float]:
    match = _CONDITION.fullmatch(condition) if isinstance(condition, str) else None
    bound = _finite(match[2]) if match else None
    if match is None or bound is None:
        message = f"{where} must be one of {', '.join(OPERATORS)} and a number, such as '>= 7.0', not {condition!r}"
        raise ConfigError(message)
    return match[1], bound


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
