"""The table is readable, honest and safe."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.interval import Interval
from gavelkit.core.report import JudgeSummary, Metric, Report
from gavelkit.core.status import Status
from gavelkit.reports.table import render_table
from gavelkit.reports.terminal import cells

Golden = Callable[[str, str], None]
NASTY = "\x1b[2J\u202e=HYPERLINK(1) [red]x[/red] \x00\ud800\n日本語"


def metric(
    name: str,
    value: float | None,
    *,
    judge: str = "accuracy",
    system: str = "",
    counts: Mapping[Status, int] | None = None,
) -> Metric:
    tally = {Status.OK: 197, Status.PARSE_ERROR: 2, Status.CALL_ERROR: 1} if counts is None else counts
    if value is None:
        return Metric(name, judge, system, None, 0, tally, reason="none of 200 judgments is ok")
    interval = Interval(value - 0.31, value + 0.31, 0.95, "student t")
    return Metric(name, judge, system, value, tally.get(Status.OK, 0), tally, stderr=0.157, interval=interval)


def judge(name: str = "accuracy", *, counts: Mapping[Status, int] | None = None) -> JudgeSummary:
    return JudgeSummary(
        name=name,
        model="gpt-4o-mini",
        preset="score_0_10",
        scale="0 to 10",
        higher_is_better=True,
        threshold=7.0,
        max_error_rate=0.1,
        counts={Status.OK: 197, Status.PARSE_ERROR: 2, Status.CALL_ERROR: 1} if counts is None else counts,
        failures={"parse_error": 2, "call_error (timeout)": 1},
        calls=201,
        prompt_tokens=123_456,
        completion_tokens=9_876,
        cached_tokens=100_000,
        tokens_complete=True,
    )


def one() -> Report:
    metrics = (metric("mean", 7.312), metric("mean_failures_worst", 7.203), metric("pass_rate", 0.8122))
    return Report("runs/answers-1a2b3c4d", metrics, (judge(),), ("3 rows share a prompt",))


def several() -> Report:
    harm = replace(
        judge("harm"),
        higher_is_better=False,
        threshold=None,
        scale="0 to 1",
        preset="",
        tokens_complete=False,
        failures={},
    )
    strict = replace(judge("strict", counts={Status.REFUSED: 200}), max_error_rate=0.01, failures={"refused": 200})
    metrics = [
        metric(name, value, judge="accuracy", system=system)
        for at, system in enumerate(["baseline", "meta-llama/Llama-3.1-70B-Instruct-finetuned-v12", "日本語モデル"])
        for name, value in (("mean", 7.3 + at), ("mean_failures_worst", 7.2 + at), ("pass_rate", 0.5 + at / 10))
    ]
    metrics += [
        replace(
            metric("mean", 0.0213, judge="harm"), stderr=0.0042, interval=Interval(0.013, 0.0296, 0.95, "student t")
        ),
        metric("mean_ok", 0.02, judge="harm"),
        replace(
            metric("mean_failures_worst", None, judge="harm"),
            reason="the judge declares no scale, so there is no worst score",
        ),
        replace(metric("consistency", 0.93, judge="harm"), interval=None),
        metric("mean", None, judge="strict", counts={Status.REFUSED: 200}),
    ]
    return Report("", tuple(metrics), (judge(), harm, strict))


def unfinished() -> Report:
    counts = {Status.OK: 1, Status.ABSTAINED: 2, Status.SKIPPED: 3, Status.PENDING: 4_000}
    metrics = (
        replace(
            metric("mean", 8.0, counts=counts), n=1, stderr=None, interval=None, reason="one example has no spread"
        ),
    )
    return Report("runs/x", metrics, (replace(judge(counts=counts), failures={}, threshold=None, scale=""),))


def hostile() -> Report:
    metrics = (metric("mean", 7.3, judge=NASTY, system=NASTY), metric(NASTY, None, judge=NASTY, system=NASTY))
    summary = replace(judge(NASTY), model=NASTY, preset=NASTY, scale=NASTY, failures={NASTY: 1})
    return Report(NASTY, metrics, (summary,), (NASTY,))


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("one_judge", one()),
        ("several", several()),
        ("unfinished", unfinished()),
        ("empty", Report("runs/empty", (), ())),
        ("hostile", hostile()),
    ],
)
def test_the_table_is_the_golden_one(golden: Golden, name: str, report: Report) -> None:
    golden(f"table_{name}.txt", render_table(report))


def test_a_narrow_terminal_gets_narrow_lines(golden: Golden) -> None:
    golden("table_narrow.txt", render_table(several(), width=80))


@pytest.mark.parametrize("report", [one(), several(), unfinished(), hostile()])
@pytest.mark.parametrize("width", [80, 100, 500])
def test_no_line_is_wider_than_asked_or_than_a_hundred_columns(report: Report, width: int) -> None:
    assert max(map(cells, render_table(report, width=width).splitlines())) <= min(width, 100)


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=4, max_size=4),
    st.text(max_size=200),
    st.integers(0, 10**6),
)
def test_any_numbers_and_names_fit_a_hundred_columns(values: list[float], name: str, n: int) -> None:
    value, stderr, low, high = values
    base = replace(
        metric("mean", value, judge=name, counts={Status.OK: n, Status.REFUSED: n}),
        stderr=abs(stderr),
        interval=Interval(low, high, 0.95, "student t"),
        system=name,
    )
    worst, best = (replace(base, name=f"mean_failures_{end}") for end in ("worst", "best"))
    metrics = (base, worst, best, replace(base, name="pass_rate", value=1.0))
    text = render_table(Report(name, metrics, (judge(name),), (name,)))
    assert max(map(cells, text.splitlines())) <= 100


def test_a_hostile_name_reaches_no_terminal() -> None:
    text = render_table(hostile())
    assert not any(unicodedata.category(c) in {"Cc", "Cs"} or c == "\u202e" for c in text.replace("\n", ""))
    assert "[red]x[/red]" in text


def test_an_error_rate_above_its_maximum_is_marked() -> None:
    counts = {Status.OK: 8, Status.CALL_ERROR: 2}
    over = Report("", (metric("mean", 7.3, counts=counts),), (judge(counts=counts),))
    assert "!! 2 of 10 failed (20.00 %): TOO MANY, above the maximum of 10 %" in render_table(over)
    assert "TOO MANY" not in render_table(one())


def test_the_best_case_has_a_column_where_something_failed() -> None:
    every = (metric("mean", 7.3), metric("mean_failures_worst", 7.2), metric("mean_failures_best", 7.4))
    (title, row) = render_table(Report("", every, (judge(),))).splitlines()[:2]
    assert title.endswith("at worst  at best")
    assert row.split()[-2:] == ["7.20", "7.40"]
    counts = {Status.OK: 200}
    clean = [metric(each.name, each.value, counts=counts) for each in every]
    assert "at best" not in render_table(Report("", tuple(clean), (judge(counts=counts),)))


def test_a_table_without_room_for_the_best_case_tells_it_below() -> None:
    names = ("mean", "mean_ok", "mean_failures_worst", "mean_failures_best", "pass_rate")
    wide = Interval(-1e300, 1e300, 0.95, "student t")
    report = Report("", tuple(replace(metric(name, -1e300), stderr=1e300, interval=wide) for name in names), (judge(),))
    text = render_table(report, width=80)
    assert "at best" not in text.splitlines()[0]
    assert "  at best -1e+300" in text.splitlines()


def test_tokens_that_were_not_all_counted_are_lower_bounds() -> None:
    partly = replace(judge(), tokens_complete=False)
    text = render_table(Report("", (metric("mean", 7.3),), (partly,)))
    assert "201 calls, >= 123,456 tokens in (>= 100,000 cached), >= 9,876 tokens out" in text


def test_a_small_negative_number_does_not_print_a_negative_zero() -> None:
    tiny = replace(metric("mean", -0.0001), interval=Interval(-0.31, 0.31, 0.95, "student t"))
    assert "-0.00 " not in render_table(Report("", (tiny,), (judge(),)))
