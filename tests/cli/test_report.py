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


def test_markdown_and_html_go_to_stdout(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    shown = gavel("report", "out", "--format", "md")
    assert shown.out.startswith("## Run out\n\n| judge | system | mean |")
    page = gavel("report", "out", "--format", "html").out
    assert page.startswith("<!DOCTYPE html>\n")
    assert page.endswith("</html>\n")
    assert "What is 3?" in page


def test_a_file_is_written_as_it_ends_or_as_the_format_says(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    for name, flags, begin in (
        ("r.html", (), "<!DOCTYPE"),
        ("r.md", (), "## Run"),
        ("r.json", (), "{"),
        ("r.txt", (), "run out"),
        ("r.html", ("--format", "md"), "## Run"),
    ):
        ended = gavel("report", "out", *flags, "-o", name)
        assert (ended.code, ended.out, ended.err) == (0, "", f"the report was written to {name}\n")
        assert (here / name).read_text(encoding="utf-8").startswith(begin)


def test_an_old_file_stays_where_there_is_no_run(gavel: Gavel, here: Path) -> None:
    (here / "r.html").write_text("old")
    assert gavel("report", "nowhere", "-o", "r.html").code == 5
    assert (here / "r.html").read_text() == "old"


def test_a_file_that_cannot_be_written_ends_with_five(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    ended = gavel("report", "out", "-o", "nowhere/r.html")
    assert ended.code == 5
    assert "nowhere/r.html cannot be written" in ended.err


def test_an_unfinished_run_has_an_html_report_too(gavel: Gavel, here: Path) -> None:
    gavel("run", "judge.yaml")
    with sqlite3.connect(here / "out" / "run.db") as connection:
        connection.execute("DELETE FROM judgment WHERE slot IN (SELECT slot FROM judgment LIMIT 4)")
    connection.close()
    assert "Unfinished: 6 of 10" in gavel("report", "out", "--format", "html").out
