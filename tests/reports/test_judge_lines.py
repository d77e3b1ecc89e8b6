"""What a judge did, in sentences."""

from __future__ import annotations

from dataclasses import replace

from gavelkit.core.interval import Interval
from gavelkit.core.report import Report
from gavelkit.core.standings import Figure
from gavelkit.reports.judge_lines import done, turned

from .test_table import judge


def test_a_judge_asked_in_both_orders_says_how_much_changed() -> None:
    found = replace(judge(), position_bias=Figure(0.25, 12, Interval(0.0889, 0.5323, 0.95, "wilson")))
    told = "3 of 12 judgments changed with the order (25.0 %, 95 % interval 8.9 to 53.2 %)"
    assert turned(found) == told
    assert done(Report("", (), (found,)), found)[-1] == told


def test_a_judge_asked_in_one_order_says_nothing_of_it() -> None:
    assert turned(judge()) == ""
    assert all(done(Report("", (), ()), judge()))
