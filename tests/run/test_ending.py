"""A finished run says everything it fails by."""

from __future__ import annotations

from gavelkit.core.gate import GateResult
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.status import Status
from gavelkit.run.ending import complaints

COUNTS = {Status.OK: 1, Status.CALL_ERROR: 1}
JUDGE = JudgeSummary("accuracy", "m", "", "", True, None, 0.1, COUNTS, {}, 2, 0, 0, 0, True)  # noqa: FBT003 - by place
GATES = (
    GateResult("accuracy.mean >= 7", "accuracy", 7.0, 8.0, passed=True),
    GateResult("accuracy.n >= 9", "accuracy", 9.0, 1.0, passed=False),
)
REPORT = Report("out", (Metric("mean", "accuracy", "", 8.0, 1, COUNTS),), (JUDGE,), gates=GATES)


def test_error_rates_come_first_then_gates_then_failures_that_are_raised() -> None:
    assert list(complaints(REPORT, on_failure="raise")) == [
        "judge 'accuracy': 50.0% of its judgments failed, and 10.0% may",
        "gate accuracy.n >= 9: 1",
        "judgments failed, and on_failure is raise",
    ]


def test_nothing_to_say_of_a_good_run() -> None:
    assert list(complaints(Report("out", (), (), gates=GATES[:1]), on_failure="missing")) == []
