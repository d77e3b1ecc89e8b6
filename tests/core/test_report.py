"""What a run concludes, and the counts that must add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from gavelkit.core.interval import Interval
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.status import Status

MIXED = {Status.OK: 17, Status.PARSE_ERROR: 1, Status.CALL_ERROR: 1, Status.ABSTAINED: 1, Status.PENDING: 5}


def a_metric(system: str = "", value: float | None = 7.125, **more: object) -> Metric:
    given: dict[str, object] = {"n": 17, "counts": MIXED, **more}
    return Metric("mean", "accuracy", system, value, **given)  # type: ignore[arg-type] # a builder takes any field


def a_summary(counts: Mapping[Status, int], max_error_rate: float = 0.1) -> JudgeSummary:
    return JudgeSummary("accuracy", "m", "", "0 to 10", True, None, max_error_rate, counts, {}, 1, 1, 1, 0, True)  # noqa: FBT003 - in the record's order


def test_a_metrics_counts_add_up_to_the_plan() -> None:
    assert (a_metric().planned, a_metric().failed) == (25, 2)


def test_the_error_rate_leaves_out_what_was_skipped_or_is_pending() -> None:
    assert a_summary(MIXED).error_rate == 2 / 20


def test_exactly_the_maximum_passes_and_more_does_not() -> None:
    assert not a_summary(MIXED, 0.1).too_many_failed
    assert a_summary(MIXED, 0.0999).too_many_failed


def test_where_nothing_was_judged_nothing_failed() -> None:
    assert a_summary({Status.PENDING: 3}).error_rate == 0.0


def test_a_run_is_finished_when_nothing_is_pending() -> None:
    unfinished = Report("f", (), (a_summary(MIXED), a_summary({Status.OK: 1})))
    assert (unfinished.planned, unfinished.pending, unfinished.finished) == (26, 5, False)
    assert Report("f", (), (a_summary({Status.OK: 1}),)).finished


def test_a_metric_is_found_by_name_and_by_system_where_there_are_several() -> None:
    report = Report("f", (a_metric("a", 1.0), a_metric("b", 2.0)), ())
    assert report.metric("accuracy", system="b").value == 2.0
    with pytest.raises(KeyError, match=r"2 metrics accuracy\.mean for system None"):
        report.metric("accuracy")
    with pytest.raises(KeyError, match=r"0 metrics nobody\.mean"):
        report.metric("nobody")


def test_a_report_as_text_has_a_line_for_each_mean_then_its_notes() -> None:
    metrics = (
        a_metric(interval=Interval(6.5, 7.75, 0.95, "t")),
        a_metric("b", None, reason="nothing was judged"),
        a_metric("c"),
    )
    assert str(Report("f", metrics, (), ("a note",))).splitlines() == [
        "accuracy: mean 7.12 [6.50, 7.75], 17 of 25 judged",
        "accuracy[b]: no mean (nothing was judged), 17 of 25 judged",
        "accuracy[c]: mean 7.12, 17 of 25 judged",
        "a note",
    ]


def test_a_report_as_text_says_where_lower_is_better_and_who_wins_how_often() -> None:
    lower = replace(a_summary(MIXED), higher_is_better=False)
    rate = replace(a_metric("a", 0.625), name="win_rate")
    assert str(Report("f", (a_metric(), rate), (lower,))).splitlines() == [
        "accuracy: mean 7.12 (lower is better), 17 of 25 judged",
        "accuracy[a]: win rate 0.62, 17 of 25 judged",
    ]
