"""The JSON report is strict, stable and complete."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

from gavelkit.core.interval import Interval
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.status import Status
from gavelkit.reports.as_json import report_json

NASTY = "\x1b[2J\u202e\ud800\x7f日本語"
COUNTS = {Status.OK: 3, Status.CALL_ERROR: 1, Status.PENDING: 1}


def report(name: str = "accuracy") -> Report:
    interval = Interval(6.1, 8.1, 0.95, "student t")
    metrics = (
        Metric("mean", name, "", 7.1, 3, COUNTS, stderr=0.5, interval=interval),
        Metric("mean_failures_worst", name, "", None, 0, COUNTS, reason="the judge declares no scale"),
    )
    judge = JudgeSummary(
        name=name,
        model="gpt-4o-mini",
        preset="",
        scale="",
        higher_is_better=False,
        threshold=None,
        max_error_rate=0.1,
        counts=COUNTS,
        failures={"timeout": 1},
        calls=4,
        prompt_tokens=10,
        completion_tokens=20,
        cached_tokens=0,
        tokens_complete=False,
    )
    details: dict[str, object] = {"zeta": (1, 2.5, None, True), "alpha": {"b": math.nan, "a": {3}}}
    return Report("runs/x", metrics, (judge,), ("a note",), details)


def test_the_document_is_the_golden_one(golden: Callable[[str, str], None]) -> None:
    golden("report.json", report_json(report()))


def test_an_empty_run_is_a_document_too() -> None:
    document = json.loads(report_json(Report("", (), ())))
    assert document["metrics"] == document["judges"] == []
    assert document["finished"] is True


def test_a_missing_number_is_null_and_says_why() -> None:
    metric = json.loads(report_json(report()))["metrics"][1]
    assert metric["value"] is metric["stderr"] is metric["interval"] is None
    assert metric["reason"] == "the judge declares no scale"


def test_the_counts_of_all_ten_statuses_add_up_to_the_plan() -> None:
    metric = json.loads(report_json(report()))["metrics"][0]
    assert list(metric["counts"]) == [status.value for status in Status]
    assert sum(metric["counts"].values()) == metric["planned"] == 5


def test_hostile_names_leave_only_printable_ascii() -> None:
    text = report_json(report(NASTY))
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert json.loads(text)["judges"][0]["name"] == NASTY.replace("\ud800", "\ufffd")


def test_equal_reports_give_equal_bytes_whatever_the_order_of_their_mappings() -> None:
    backwards = report()
    object.__setattr__(backwards, "details", {name: backwards.details[name] for name in sorted(backwards.details)})
    assert report_json(report()) == report_json(backwards)
