"""Gates read the metrics there are, and pass on nothing else."""

from __future__ import annotations

import pytest

from gavelkit.core.gate import METRICS, Gate
from gavelkit.core.interval import Interval
from gavelkit.core.report import Metric
from gavelkit.core.status import Status
from gavelkit.stats import decide

COUNTS = {Status.OK: 6, Status.CALL_ERROR: 2, Status.SKIPPED: 3, Status.PENDING: 4}


def metric(name: str, value: float | None, system: str = "", **more: object) -> Metric:
    interval = None if value is None else Interval(value - 1, value + 1, 0.95, "student t")
    return Metric(name, "accuracy", system, value, 6, COUNTS, stderr=0.5, interval=interval, **more)  # type: ignore[arg-type] # by name


ALL = (
    metric("mean", 6.0),
    metric("mean_failures_worst", 4.5),
    metric("mean_failures_best", 7.0),
    metric("pass_rate", 0.5),
    metric("win_rate", 0.625),
)


def gate(name: str, operator: str = ">=", bound: float = -1.0, system: str | None = None) -> Gate:
    return Gate("accuracy", name, operator, bound, system)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean", 6.0),
        ("mean_ok", 6.0),
        ("mean_failures_worst", 4.5),
        ("mean_failures_best", 7.0),
        ("pass_rate", 0.5),
        ("win_rate", 0.625),
        ("stderr", 0.5),
        ("error_rate", 0.25),
        ("n", 6),
        ("failed", 2),
    ],
)
def test_every_metric_has_its_meaning(name: str, value: float) -> None:
    assert name in METRICS
    (result,) = decide([gate(name)], ALL)
    assert (result.value, result.passed, result.reason) == (value, True, "")


def test_all_metrics_are_read() -> None:
    assert [result.value is not None for result in decide([gate(name) for name in METRICS], ALL)] == [True] * len(
        METRICS
    )


def test_the_mean_of_what_came_is_its_own_where_failures_cost_something() -> None:
    (result,) = decide([gate("mean_ok")], [metric("mean", 4.5), metric("mean_ok", 6.0)])
    assert result.value == 6.0


def test_the_interval_comes_along_where_the_metric_has_one() -> None:
    mean, error_rate = decide([gate("mean"), gate("error_rate")], ALL)
    assert (mean.interval, error_rate.interval) == ((5.0, 7.0), None)


def test_a_metric_that_is_none_fails_with_its_reason() -> None:
    nothing = metric("mean", None, reason="none of 8 judgments is ok")
    (result,) = decide([gate("mean", "<=", 100)], [nothing])
    assert (result.passed, result.value, result.reason) == (False, None, "none of 8 judgments is ok")


def test_a_gate_on_a_system_that_never_came_fails() -> None:
    (result,) = decide([gate("mean", system="c")], [metric("mean", 6.0, "a")])
    assert (result.passed, result.reason) == (False, "there is no judgment of accuracy[c]")


def test_without_a_system_every_system_must_pass_and_the_worst_is_named() -> None:
    several = [metric("mean", 8.0, "a"), metric("mean", 6.0, "b"), metric("mean", 5.0, "c")]
    above, among, below = decide([gate("mean", ">=", 7), gate("mean", ">=", 5.5), gate("mean", "<=", 8)], several)
    assert (above.passed, above.value, above.system) == (False, 5.0, "c")
    assert above.reason == "2 of 3 systems fail: b, c"
    assert (among.passed, among.reason) == (False, "")
    assert (below.passed, below.value, below.system) == (True, 8.0, "a")


def test_with_a_system_the_others_do_not_count() -> None:
    several = [metric("mean", 8.0, "a"), metric("mean", 6.0, "b")]
    (result,) = decide([gate("mean", ">=", 7, system="a")], several)
    assert (result.passed, result.value, result.system) == (True, 8.0, "")


def test_one_system_without_a_value_fails_the_gate_for_all() -> None:
    several = [metric("mean", 8.0, "a"), metric("mean", None, "b", reason="none of 8 judgments is ok")]
    (result,) = decide([gate("mean", ">=", 7)], several)
    assert (result.passed, result.reason) == (False, "none of 8 judgments is ok (system b)")
