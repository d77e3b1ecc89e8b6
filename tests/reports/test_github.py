"""Annotations say what failed, a line each, and nothing in a name becomes a command."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.gate import GateResult
from gavelkit.core.interval import Interval
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.status import Status
from gavelkit.reports.github import github_annotations

from .arena import some_contests

COUNTS = {Status.OK: 8, Status.PARSE_ERROR: 2}
JUDGE = JudgeSummary("accuracy", "m", "", "", True, None, 0.1, COUNTS, {}, 10, 0, 0, 0, True)  # noqa: FBT003 - by place
MEAN = Metric("mean", "accuracy", "", 6.5, 8, COUNTS, 0.5, Interval(6.0, 7.0, 0.95, "student t"))
GATES = (
    GateResult("accuracy.mean >= 7", "accuracy", 7.0, 6.5, passed=False, interval=(6.0, 7.0)),
    GateResult("accuracy.n >= 8", "accuracy", 8.0, 8.0, passed=True),
)

TOO_MANY = "2 of 10 failed (20.00 %25): TOO MANY, above the maximum of 10 %25"


def test_errors_for_what_failed_and_a_notice_for_each_mean() -> None:
    assert list(github_annotations(Report("out", (MEAN,), (JUDGE,), gates=GATES))) == [
        f"::error title=gavel%3A accuracy%3A too many failed::{TOO_MANY}",
        "::error title=gavel%3A accuracy.mean >= 7::accuracy.mean >= 7: 6.5 (interval 6 to 7)",
        "::notice title=gavel%3A accuracy::accuracy: mean 6.50, 95 %25 interval 6.00 to 7.00, n 8, 2 failed",
    ]


def test_a_missing_mean_says_why() -> None:
    nothing = replace(MEAN, value=None, interval=None, reason="none of 2 judgments is ok", system="a")
    (notice,) = github_annotations(Report("out", (nothing,), ()))
    assert notice.endswith("::accuracy[a]: no mean: none of 2 judgments is ok")


def test_where_lower_is_better_the_notice_says_so() -> None:
    lower = replace(JUDGE, higher_is_better=False, max_error_rate=1.0)
    (notice,) = github_annotations(Report("out", (MEAN,), (lower,)))
    assert notice.endswith("n 8, 2 failed (lower is better)")


def test_contests_give_a_notice_for_each_win_rate() -> None:
    between = replace(MEAN, judge="arena", system="a vs b")
    rate = replace(between, name="win_rate", system="a", value=0.625, interval=None)
    report = Report("out", (between, rate), (), contests=(some_contests("arena"),))
    assert list(github_annotations(report)) == [
        "::notice title=gavel%3A arena::arena[a]: win rate 0.62, n 8, 2 failed",
    ]


@given(st.text())
def test_no_name_ends_its_line_or_its_property(text: str) -> None:
    gate = GateResult(f"a.mean >= 7 {text}\r\n::error::x", "a", 7.0, None, passed=False, reason=f"{text}\n%,:")
    (line,) = github_annotations(Report("out", (), (), gates=(gate,)))
    assert line.startswith("::error title=gavel%3A ")
    title = line.removeprefix("::error title=").partition("::")[0]
    assert not set(title) & set(":,\r\n")
    assert len(line.splitlines()) == 1
