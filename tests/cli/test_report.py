"""`gavel report`: what a run concluded, finished or not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .conftest import Gavel


def test_the_report_is_the_one_the_run_ended_with(gavel: Gavel, here: Path) -> None:
    ended = gavel("run", "judge.yaml")
    assert gavel("report", "out").out == ended.out
    assert gavel("report").out == ended.out
    assert gavel("report", "out", "--format", "json").json == gavel("run", "judge.yaml", "--json").json


def test_an_unfinished_run_is_headed_as_one(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    with sqlite3.connect(here / "out" / "run.db") as connection:
        connection.execute("DELETE FROM judgment WHERE slot IN (SELECT slot FROM judgment LIMIT 4)")
    connection.close()
    assert "unfinished: 6 of 10" in gavel("report", "out").out


def test_a_folder_without_a_run_ends_with_five_and_there_is_nothing_to_go_on_with(gavel: Gavel, here: Path) -> None:
    ended = gavel("report", "nowhere")
    assert (ended.code, ended.out) == (5, "")
    assert ended.err == "gavel: nowhere: there is no run here (run.db is missing)\n"
    assert gavel("report").err == "gavel: runs/latest: there is no run yet; name a run's folder\n"
