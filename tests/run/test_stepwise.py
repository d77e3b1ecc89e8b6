"""Judges in two steps through a whole run: calls in flight, resuming between two steps, reading again, refusing."""

from __future__ import annotations

import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.judges.steps import SECOND, Steps, broken
from tests.makers import some_rows

import gavelkit
from gavelkit.core.errors import ConfigError, DataError, EndpointError, RunFailed
from gavelkit.core.failure import FailureKind
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Request
from gavelkit.core.report import Report
from gavelkit.core.status import Status
from gavelkit.storage import open_reader

CRITERION = {"description": "Is it good?", "option_map": {"Very Good": 1, "Good": 0.5, "Bad": 0}}
FIRST_STEPS = {"assessment", f"{SECOND}assessment"}
CHOICES = {"option_selection", f"{SECOND}option_selection"}


def run(folder: Path, engine: Steps, *, rows: list[dict[str, Any]] | None = None, **settings: Any) -> Report:
    given = {"criterion": CRITERION, "concurrency": 4, "retry_attempts": 0, "max_error_rate": 1.0}
    retry = settings.pop("retry_errors", False)
    made: Any = {**given, **settings}
    judge = gavelkit.judge(function=engine, name="j", model="m", **made)
    return gavelkit.evaluate(some_rows(6) if rows is None else rows, judge, output=folder, retry_errors=retry)


def pairwise(folder: Path, engine: Steps, **settings: Any) -> Report:
    rows = [{"id": str(n), "responses": {"a": f"x{n}", "b": f"y{n}"}} for n in range(6)]
    return run(folder, engine, **{"mode": "pairwise", "criterion": "Which?", "rows": rows, **settings})


def judgments(folder: Path) -> list[Judgment]:
    reader = open_reader(folder)
    try:
        return [entry.judgment for entry in reader.entries()]
    finally:
        reader.close()


def scores(folder: Path) -> set[float | None]:
    return {judgment.score for judgment in judgments(folder)}


# calls


def test_each_judgment_takes_four_calls_and_never_more_in_flight_than_allowed(tmp_path: Path) -> None:
    engine = Steps("Good")
    run(tmp_path, engine)
    assert Counter(engine.asked) == dict.fromkeys([*FIRST_STEPS, *CHOICES], 6)
    assert engine.most_in_flight == 4


@pytest.mark.parametrize(
    ("settings", "calls"),
    [
        ({}, 4),
        ({"check_positional_bias": False}, 2),
        ({"generate_summaries": True}, 6),
        ({"generate_summaries": True, "check_positional_bias": False}, 3),
        ({"prompt_template": "{{ response }} {{ options }}"}, 2),
    ],
)
def test_what_an_example_costs_follows_from_the_settings(settings: dict[str, Any], calls: int, tmp_path: Path) -> None:
    engine = Steps("Good", assessment=lambda request: f"About {request.key.hex()}.")
    run(tmp_path, engine, **settings)
    assert len(engine.requests) == 6 * calls


def test_equal_assessments_are_summarised_once(tmp_path: Path) -> None:
    engine = Steps("Good", assessment="Fine.")
    run(tmp_path, engine, generate_summaries=True)
    assert engine.asked.count("summarization") + engine.asked.count(f"{SECOND}summarization") == 1


def test_a_contest_takes_the_same(tmp_path: Path) -> None:
    engine = Steps("Response A")
    pairwise(tmp_path, engine, concurrency=3)
    assert (len(engine.requests), engine.most_in_flight) == (24, 3)


# resuming


def test_a_run_that_ended_between_two_steps_asks_only_what_is_missing(tmp_path: Path) -> None:
    run(tmp_path, Steps(broken()))
    assert {judgment.status for judgment in judgments(tmp_path)} == {Status.CALL_ERROR}
    engine = Steps("Good")
    run(tmp_path, engine)
    assert set(engine.asked) == CHOICES
    assert scores(tmp_path) == {0.5}
    finished = Steps("Good")
    run(tmp_path, finished)
    assert finished.requests == []


def test_an_endpoint_that_became_unusable_between_two_steps_leaves_nothing_to_pay_twice(tmp_path: Path) -> None:
    with pytest.raises(EndpointError):
        run(tmp_path, first := Steps(broken(FailureKind.AUTH, fatal=True)))
    engine = Steps("Good")
    run(tmp_path, engine)
    paid = {request.key for request in first.requests if request.labels.step in FIRST_STEPS}
    assert paid
    assert not paid & {request.key for request in engine.requests}
    assert scores(tmp_path) == {0.5}


def test_one_order_that_failed_is_asked_again_alone(tmp_path: Path) -> None:
    pairwise(tmp_path, Steps("Response A", broken()))
    assert {judgment.status for judgment in judgments(tmp_path)} == {Status.CALL_ERROR}
    engine = Steps("Response A", "Response B")
    pairwise(tmp_path, engine)
    assert set(engine.asked) == {f"{SECOND}option_selection"}
    assert {judgment.position_bias for judgment in judgments(tmp_path)} == {False}


def test_an_unreadable_choice_is_judged_again_only_on_request_and_then_from_its_first_step(tmp_path: Path) -> None:
    run(tmp_path, Steps("Good or Bad", "Good"))
    again = Steps("Good")
    run(tmp_path, again)
    assert again.requests == []
    run(tmp_path, again, retry_errors=True)
    assert scores(tmp_path) == {0.5}
    assert Counter(again.asked) == dict.fromkeys([*FIRST_STEPS, *CHOICES], 6)


# reading again


@pytest.mark.parametrize(("rule", "score"), [("mean", 0.25), ("abstain", None), ("first", 0.5)])
def test_another_rule_reads_the_stored_replies_without_a_call(rule: str, score: float | None, tmp_path: Path) -> None:
    run(tmp_path, Steps("Good", "Bad"))
    engine = Steps()
    run(tmp_path, engine, on_inconsistent=rule)
    assert (engine.requests, scores(tmp_path)) == ([], {score})


def test_other_scores_of_the_options_read_the_stored_replies_without_a_call(tmp_path: Path) -> None:
    run(tmp_path, Steps("Good"))
    engine = Steps()
    run(tmp_path, engine, criterion={**CRITERION, "option_map": {"Very Good": 9, "Good": 7, "Bad": 1}})
    assert (engine.requests, scores(tmp_path)) == ([], {7.0})


@pytest.mark.parametrize(("rule", "score"), [("first", 1.0), ("drop", None)])
def test_a_contests_rule_reads_the_stored_replies_without_a_call(
    rule: str, score: float | None, tmp_path: Path
) -> None:
    pairwise(tmp_path, Steps("Response A"))
    assert scores(tmp_path) == {0.5}
    engine = Steps()
    pairwise(tmp_path, engine, on_inconsistent=rule)
    assert (engine.requests, scores(tmp_path)) == ([], {score})


def test_other_scores_in_a_rows_own_criterion_count_without_a_call(tmp_path: Path) -> None:
    def rows(good: float) -> list[dict[str, Any]]:
        own = {**CRITERION, "option_map": {"Good": good, "Bad": 0}}
        return [{"id": "1", "response": "r", "ask": own}]

    field: dict[str, Any] = {"criterion": None, "criteria_field": "ask"}
    run(tmp_path, Steps("Good"), rows=rows(1), **field)
    engine = Steps()
    run(tmp_path, engine, rows=rows(2), **field)
    assert (engine.requests, scores(tmp_path)) == ([], {2.0})


# refusing


@pytest.mark.parametrize(
    "change",
    [
        {"criterion": {**CRITERION, "description": "Is it very good?"}},
        {"check_positional_bias": False},
        {"choose_by": "json_schema"},
        {"context_fields": "question"},
        {"generate_summaries": True},
    ],
)
def test_another_question_is_refused_in_the_same_folder(change: dict[str, Any], tmp_path: Path) -> None:
    run(tmp_path, Steps("Good"))
    with pytest.raises(ConfigError, match="asks something else"):
        run(tmp_path, engine := Steps("Good"), **change)
    assert engine.requests == []


def test_a_row_that_lacks_the_context_is_refused_before_any_call(tmp_path: Path) -> None:
    rows = [*some_rows(3), {"id": "x", "response": "r", "quest": "?"}]
    with pytest.raises(DataError, match="did you mean quest"):
        run(tmp_path, engine := Steps("Good"), rows=rows, context_fields="question")
    assert engine.requests == []


def test_a_contest_that_no_row_holds_is_refused_before_any_call(tmp_path: Path) -> None:
    engine = Steps()
    with pytest.raises(DataError, match="judge 'j' compares systems, and no row has two of them"):
        pairwise(tmp_path, engine, rows=some_rows(3))
    with pytest.raises(DataError, match=r"no row has a response of the baseline 'gpt-4'; did you mean gpt-4o\?"):
        pairwise(tmp_path, engine, rows=[{"responses": {"gpt-4o": "x", "b": "y"}}], baseline="gpt-4")
    lonely: list[dict[str, Any]] = [{"responses": {"a": "x"}}, {"responses": {"b": "x"}}]
    with pytest.raises(DataError, match="compares systems, and no row has two"):
        pairwise(tmp_path, engine, rows=lonely, baseline="a")
    assert engine.requests == []


@pytest.mark.parametrize(
    ("rows", "words"), [('{"id": "1", "response": "x"}\n', "no row has two of them"), ("", "there is no row to judge")]
)
def test_rows_that_are_read_once_and_hold_no_contest_are_an_error_too(rows: str, words: str, tmp_path: Path) -> None:
    pipe = tmp_path / "rows.jsonl"
    os.mkfifo(pipe)
    writing = threading.Thread(target=pipe.write_text, args=(rows,))
    writing.start()
    judge = gavelkit.judge(function=Steps(), mode="pairwise", criterion="Which?", name="j")
    with pytest.raises(DataError, match=words):
        gavelkit.evaluate(pipe, judge, output=tmp_path / "out")
    writing.join()


def test_rows_without_a_contest_beside_rows_with_one_are_no_error(tmp_path: Path) -> None:
    rows = [{"id": "1", "responses": {"a": "x"}}, {"id": "2", "responses": {"a": "x", "b": "y"}}]
    pairwise(tmp_path, Steps("Response A"), rows=rows)
    assert [judgment.slot.example_id for judgment in judgments(tmp_path)] == ["2"]


# rows with criteria of their own, and failures


def test_rows_with_differing_criteria_are_one_judges(tmp_path: Path) -> None:
    def reply(request: Request) -> str:
        return "Short" if "How long?" in request.messages[0].content else "Yes"

    rows: list[dict[str, Any]] = [
        {"id": "1", "response": "r", "ask": "Is it so?"},
        {"id": "2", "response": "r", "ask": {"description": "How long?", "option_map": {"Short": 5, "Long": 1}}},
        {"id": "3", "response": "r", "question": "q", "ask": "answer_relevance"},
    ]
    run(tmp_path, Steps(reply), rows=rows, criterion=None, criteria_field="ask")
    found = judgments(tmp_path)
    assert [(each.status, each.score) for each in found] == [
        (Status.OK, 1.0),
        (Status.OK, 5.0),
        (Status.PARSE_ERROR, None),
    ]


def test_too_many_unreadable_choices_fail_the_run_after_everything_is_written(tmp_path: Path) -> None:
    with pytest.raises(RunFailed):
        run(tmp_path, Steps("Good or Bad"), max_error_rate=0.5)
    assert {judgment.status for judgment in judgments(tmp_path)} == {Status.PARSE_ERROR}
    assert all(len(judgment.steps) == 4 for judgment in judgments(tmp_path))
