"""What contests come to, in every format: standings by rank, how steady the judge was, and why a number is missing."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.interval import Interval
from gavelkit.core.report import Metric, Report
from gavelkit.core.standings import Figure
from gavelkit.core.status import Status
from gavelkit.reports import render_html, render_markdown, render_table, report_json
from gavelkit.reports.standings import bounds, missing, rate_ends, record, steadiness, strength, strength_ends
from gavelkit.reports.standings_table import standings_table
from gavelkit.reports.terminal import cells

from .arena import RATE, a_standing, some_contests
from .pages import a_page
from .test_table import NASTY, judge

COUNTS = {Status.OK: 11, Status.PARSE_ERROR: 1}


def a_contest_report() -> Report:
    interval = Interval(0.34, 0.66, 0.95, "student t")
    between = Metric("mean", "arena", "harbor vs quay", 0.5, 11, COUNTS, stderr=0.07, interval=interval)
    rates = [
        Metric("win_rate", "arena", system, RATE.value, RATE.n, COUNTS, interval=RATE.interval)
        for system in ("harbor", "quay")
    ]
    ends = (replace(between, name=name, value=value) for name, value in _ENDS.items())
    scale = "the first system's share: win 1, tie 0.5, loss 0"
    summary = replace(judge("arena", counts=COUNTS), scale=scale, preset="pairwise", threshold=None, failures={})
    return Report("runs/x", (between, *ends, *rates), (summary,), contests=(some_contests(),))


_ENDS = {"mean_failures_worst": 0.46, "mean_failures_best": 0.54}


def test_the_table_is_the_golden_one(golden: Callable[[str, str], None]) -> None:
    golden("table_contests.txt", render_table(a_contest_report()))


def test_the_markdown_is_the_golden_one(golden: Callable[[str, str], None]) -> None:
    golden("report_contests.md", render_markdown(a_contest_report()))


def test_the_json_is_the_golden_one(golden: Callable[[str, str], None]) -> None:
    golden("report_contests.json", report_json(a_contest_report()))


def test_the_page_is_the_golden_one(golden: Callable[[str, str], None]) -> None:
    golden("report_contests.html", render_html(replace(a_page(), report=a_contest_report())))


def test_every_figure_comes_with_its_interval_and_its_counts() -> None:
    standing = a_standing("harbor")
    assert (record(standing), rate_ends(standing.win_rate.interval)) == ("7-3-1", "0.458 to 0.792")
    assert (strength(standing.strength.value), strength_ends(standing.strength.interval)) == ("1043", "962 to 1120")
    assert bounds(standing) == "0.583 to 0.667 were its 1 failed contest lost or won"
    assert bounds(replace(standing, failed=0)) == ""


def test_how_steady_the_judge_was_is_told_with_what_it_rests_on() -> None:
    told = list(steadiness(some_contests()))
    assert told == [
        "position bias 12.9 % (95 % interval 5.1 to 28.9 %): 4 of 31 contests read in both orders changed their winner",
        "consistency 87.1 % (95 % interval 71.1 to 94.9 %): 27 of 31 kept it",
        "first position: no reading named a winner",
    ]


def test_a_reason_that_holds_for_some_names_them_and_one_for_all_stands_alone() -> None:
    assert list(missing(some_contests())) == [
        "win rate of mute: no contest of this system has a verdict",
        "strength of mute: no contest of this system has a verdict",
        "strength: 12 of 1,000 resamples determine none and are left out",
    ]
    undefeated = Figure(reason="a never lost")
    everyone = tuple(a_standing(name, strength=undefeated) for name in ("a", "b"))
    assert list(missing(replace(some_contests(), standings=everyone, unsettled=0))) == ["strength: a never lost"]


def test_what_is_missing_is_a_dash_and_never_a_number() -> None:
    assert (strength(None), strength_ends(None), rate_ends(None)) == ("-", "-", "-")
    row = next(line for line in standings_table(some_contests(), width=100) if "mute" in line)
    assert row.split() == ["-", "mute", "-", "-", "0-0-0", "1", "-", "-"]


def test_win_rates_stand_in_the_standings_and_not_in_the_table_of_means() -> None:
    means = render_table(a_contest_report()).partition("standings by")[0]
    assert "harbor vs quay" in means
    assert "win_rate" not in render_table(a_contest_report()) + render_markdown(a_contest_report())


def test_position_bias_is_told_once() -> None:
    report = a_contest_report()
    steady = replace(report.judges[0], position_bias=some_contests().position_bias)
    for render in (render_table, render_markdown):
        assert render(replace(report, judges=(steady,))) == render(report)
    alone = render_table(replace(report, judges=(steady,), contests=()))
    assert "4 of 31 judgments changed with the order (12.9 %, 95 % interval 5.1 to 28.9 %)" in alone
    assert json.loads(report_json(replace(report, judges=(steady,))))["judges"][0]["position_bias"]["n"] == 31


@pytest.mark.parametrize("name", [NASTY, "x" * 300, "日本語" * 40, "", "a vs b"])
@pytest.mark.parametrize("width", [80, 100])
def test_any_name_keeps_the_lines_narrow_and_the_terminal_safe(name: str, width: int) -> None:
    contests = some_contests(name, (name, "quay"), reason=name)
    lines = list(standings_table(contests, width=width))
    assert max(map(cells, lines)) <= width
    assert not any(unicodedata.category(c) in {"Cc", "Cs"} or c == "\u202e" for line in lines for c in line)


@given(st.floats(0, 1e300), st.integers(0, 10**6), st.text(max_size=50))
def test_any_numbers_fit(value: float, count: int, name: str) -> None:
    figure = Figure(value, count, Interval(-value, value, 0.95, "percentile bootstrap"))
    standing = replace(a_standing(name, count, strength=figure), wins=count, ties=count, losses=count, failed=count)
    lines = list(standings_table(replace(some_contests(), standings=(standing,)), width=100))
    assert max(map(cells, lines)) <= 100
