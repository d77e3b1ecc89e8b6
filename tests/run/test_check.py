"""Everything that can be wrong is found before the first call."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.makers import Counting, a_judge, an_arena, better, direct, rows_of_systems, some_rows, write_rows

import gavelkit
from gavelkit.core.errors import ConfigError, DataError, TemplateError, UsageError
from gavelkit.datasets import RowMapping, rows_source
from gavelkit.judges import Direct
from gavelkit.run import check
from gavelkit.run.check import check_rows
from gavelkit.run.stop import Stop


def refused(data: Any, *, kind: type[UsageError] = DataError, **settings: Any) -> str:
    """The message of a run that must not begin, after making sure that it called nobody and left nothing."""
    counting = Counting()
    with pytest.raises(kind) as caught:
        gavelkit.evaluate(data, a_judge(counting, **settings))
    assert counting.prompts == []
    return str(caught.value)


def test_a_row_without_a_response_is_found_behind_a_hundred_good_ones(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", [*some_rows(100), {"id": "x"}])
    assert refused(path).startswith(f"{path}:101: no response")


def test_a_row_that_lacks_what_the_template_names_is_found(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", [*some_rows(6), {"id": "x", "quest": "?", "response": "r"}])
    message = refused(path, kind=TemplateError)
    assert "'question' is undefined; did you mean quest?" in message
    assert f"first at {path}:7" in message


def test_an_id_that_stands_twice_is_found_with_both_lines(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", [*some_rows(3), *some_rows(1)])
    assert refused(path) == f"{path}:4: the id 'r1' stands already in line 1; ids must differ"


def test_a_bad_last_line_is_found(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "a.jsonl", some_rows(3))
    path.write_text(path.read_text() + "{broken")
    assert refused(path).startswith(f"{path}:4: not JSON")


@pytest.mark.parametrize("rows", [[], [1], ["text"]])
def test_rows_that_are_none_are_refused(rows: list[Any]) -> None:
    refused(rows)


def test_no_row_at_all_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n\n")
    assert refused(path) == f"{path}: there is no row to judge"


def test_a_refused_run_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused(write_rows(tmp_path / "a.jsonl", [{"id": "x"}]))
    assert [each.name for each in tmp_path.iterdir()] == ["a.jsonl"]


def test_only_the_rows_within_the_limit_are_looked_at() -> None:
    source = rows_source([*some_rows(5), {"id": "x"}], RowMapping())
    assert check_rows(source, [a_judge(str)], limit=5, repeat=1, stop=Stop()).rows == 5


def test_the_plan_counts_by_judge_and_system_and_repeat() -> None:
    rows = [{"id": "1", "question": "?", "outputs": [{"id": "a", "output": "x"}, {"id": "b", "output": "y"}]}]
    judges = [a_judge(str), a_judge(str, "tone")]
    plan = check_rows(rows_source(rows, RowMapping()), judges, limit=None, repeat=3, stop=Stop())
    assert plan.slots == {(judge.name, (system,)): 3 for judge in judges for system in ("a", "b")}
    assert (plan.total, plan.rows, plan.complete) == (12, 1, True)


def test_beyond_the_first_rows_templates_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "MAX_ROWS", 2)
    rows = [*some_rows(2), {"id": "x", "response": "no question"}]
    plan = check_rows(rows_source(rows, RowMapping()), [a_judge(str)], limit=None, repeat=1, stop=Stop())
    assert plan.rows == 3


def test_rows_that_come_once_are_checked_as_they_come() -> None:
    def once() -> Iterator[dict[str, Any]]:
        yield from some_rows(3)
        yield from some_rows(1)

    counting = Counting()
    with pytest.raises(DataError, match="the id 'r1' stands already"):
        gavelkit.evaluate(once(), a_judge(counting, concurrency=1))
    assert len(counting.prompts) <= 3


def test_a_pipe_is_judged_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writing = threading.Thread(target=write_rows, args=(path, some_rows(20)))
    writing.start()
    report = gavelkit.evaluate(path, a_judge(Counting()), output=tmp_path / "run")
    writing.join()
    assert (report.planned, report.pending) == (20, 0)


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("arena[good vs bad].mean", "no row has a response of the system 'good vs bad'; there are bad vs good"),
        ("arena[goood].win_rate", "no row has a response of the system 'goood'; did you mean good?"),
        ("arena[zebra].win_rate", "no row has a response of the system 'zebra'; there are bad, good"),
        ("arena[bad vs good].win_rate", "win_rate is of one system; there are bad, good"),
        ("arena[good].mean", "mean is of two systems; there are bad vs good"),
    ],
)
def test_a_gate_of_contests_names_one_system_for_its_win_rate_and_two_otherwise(gate: str, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"{re.escape(message)}$"):
        gavelkit.evaluate(rows_of_systems(2), an_arena(better), gates={gate: ">= 0"})


def test_zero_for_a_failure_needs_a_scale_that_holds_it() -> None:
    counting = Counting()
    judge = a_judge(counting, scale=(1, 5))
    with pytest.raises(ConfigError, match="on_failure: zero: judge 'accuracy' has the scale 1 to 5, which excludes 0"):
        gavelkit.evaluate(some_rows(1), judge, on_failure="zero")
    assert counting.prompts == []


def test_two_judges_that_ask_the_same_at_two_addresses_would_share_replies_and_are_refused() -> None:
    def one(name: str, port: int) -> Direct:
        return direct("score_0_10", name=name, model="m", api_base=f"http://127.0.0.1:{port}/v1")

    with pytest.raises(ConfigError, match=r"'a' and 'b' ask the same of model 'm' at two addresses.*two runs"):
        gavelkit.evaluate(some_rows(1), [one("a", 9), one("b", 10)])


def test_two_judges_that_ask_the_same_at_one_address_share_their_replies_on_purpose() -> None:
    counting = Counting()
    report = gavelkit.evaluate(some_rows(3), [a_judge(counting, "a", model="m"), a_judge(counting, "b", model="m")])
    assert (report.planned, len(counting.prompts)) == (6, 3)
