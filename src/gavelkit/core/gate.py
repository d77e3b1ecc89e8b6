"""What a run must reach to pass: the demand, and what became of it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

WIN_RATE = "win_rate"
METRICS = (
    *("mean", "mean_ok", "mean_failures_worst", "mean_failures_best", "pass_rate", WIN_RATE),
    *("stderr", "error_rate", "n", "failed"),
)
"""What a gate can read of a judge. `win_rate` is of one system, anything else of a pairwise judge of two."""

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}


@dataclass(frozen=True, slots=True)
class Gate:
    """A demand on one metric of a judge; `system` is None where every system must meet it."""

    judge: str
    metric: str
    operator: str
    bound: float
    system: str | None = None

    def passes(self, value: float) -> bool:
        """Whether a value meets the demand."""
        return OPERATORS[self.operator](value, self.bound)

    def nearness(self, value: float) -> float:
        """The smaller, the nearer to failing, or the further beyond it."""
        if self.operator == "==":
            return -abs(value - self.bound)
        return value - self.bound if self.operator.startswith(">") else self.bound - value

    def __str__(self) -> str:
        subject = self.judge if self.system is None else f"{self.judge}[{self.system}]"
        return f"{subject}.{self.metric} {self.operator} {_plain(self.bound)}"


@dataclass(frozen=True, slots=True)
class GateResult:
    """What became of a gate.

    `gate` is its text. `value` and `interval` (low and high) are those of the system that decides it: the one that is
    nearest to failing, which `system` names. `reason` says why `value` is None, or which of several systems fail.
    """

    gate: str
    judge: str
    bound: float
    value: float | None
    passed: bool
    reason: str = ""
    system: str = ""
    interval: tuple[float, float] | None = None

    @property
    def found(self) -> str:
        """The value in words, with its interval and the reason."""
        if self.value is None:
            return f"no value: {self.reason}"
        of = f" of {self.system}" if self.system else ""
        within = f" (interval {_rounded(self.interval[0])} to {_rounded(self.interval[1])})" if self.interval else ""
        why = f"; {self.reason}" if self.reason else ""
        return f"{_told(self.value, self.bound)}{of}{within}{why}"

    def __str__(self) -> str:
        return f"{self.gate}: {self.found}"


def _told(value: float, bound: float) -> str:
    """Four decimals, or all there are where a value beside the bound would look equal to it."""
    rounded = _rounded(value)
    return repr(value) if float(rounded) == bound != value else rounded


def _rounded(value: float) -> str:
    short = f"{value:z.4f}"
    return short.rstrip("0").rstrip(".")


def _plain(number: float) -> str:
    """As a user writes it, `7` and not `7.0`, but never rounded."""
    return str(int(number)) if abs(number) < _WHOLE and number == int(number) else repr(number)


_WHOLE = 1e15
