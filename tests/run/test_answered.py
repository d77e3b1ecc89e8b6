"""Systems answer before a judge judges: once each, kept, and each failure where it belongs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.makers import (
    TEMPLATE,
    Counting,
    a_judge,
    an_arena,
    better,
    chat_answer,
    chat_body,
    direct,
    endpoint,
    scoring,
)

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError, DataError, EndpointError, Interrupted, TemplateError
from gavelkit.core.example import Example
from gavelkit.core.failure import FailureKind
from gavelkit.core.identity import Identity
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.protocols import Entry, Judge
from gavelkit.core.report import Report
from gavelkit.core.status import Status
from gavelkit.datasets import RowMapping, rows_source
from gavelkit.judges import FunctionJudge, Scored
from gavelkit.run import RunSettings, evaluate_async, on_loop
from gavelkit.run.answered import Answered
from gavelkit.run.export import export_run, prompt_renderer
from gavelkit.run.report_page import html_report
from gavelkit.simulator.server import HttpAnswer, HttpRequest
from gavelkit.storage import open_reader
from gavelkit.systems import System

ROWS = [{"id": f"r{n}", "question": f"What is {n}?", "answer": str(n)} for n in range(3)]


class Model:
    """Answers every question with its name and the question, and fails where it is told to."""

    def __init__(self, name: str, failures: Mapping[str, CallError] | None = None) -> None:
        self.name = name
        self.failures = dict(failures or {})
        self.asked: list[str] = []

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request.labels.example_id)
        failure = self.failures.get(request.labels.example_id)
        if failure is not None:
            raise failure
        return Completion(f"{self.name}: {request.messages[0].content}")


def question(example: Example) -> tuple[Message, ...]:
    return (Message("user", example.fields["question"]),)


def system(model: Model) -> System:
    return System(model.name, question, Parameters(model.name), model)


def run(folder: Path, *judges: Judge, rows: Any = ROWS, **settings: Any) -> Report:
    source = rows_source(rows, RowMapping(answered=False))
    chosen = RunSettings(max_error_rate=1.0, **settings)
    return on_loop(evaluate_async(source, judges, folder=folder, settings=chosen))


def a_function_judge() -> FunctionJudge:
    """It asks nobody."""
    return FunctionJudge("length", lambda example, name, _: Scored(float(len(example.responses[name]))), Identity({}))


def entries(folder: Path) -> list[Entry]:
    reader = open_reader(folder)
    try:
        return list(reader.entries())
    finally:
        reader.close()


def test_a_judge_reads_what_the_system_answered(tmp_path: Path) -> None:
    model, judge = Model("m"), Counting()
    report = run(tmp_path, Answered(a_judge(judge), (system(model),)))
    assert sorted(judge.prompts)[2] == "Rate this.\nQ: What is 2?\nA: m: What is 2?"
    assert report.metric("accuracy", system="m").value == 1.0


def test_each_system_is_asked_once_however_many_judges_there_are(tmp_path: Path) -> None:
    model = Model("m")
    judges = [Answered(a_judge(Counting(), name), (system(model),)) for name in ("one", "two")]
    run(tmp_path, *judges)
    run(tmp_path, *judges)
    assert sorted(model.asked) == ["r0", "r1", "r2"]


def test_the_record_shows_the_response_and_the_judges_prompt(tmp_path: Path) -> None:
    run(tmp_path, Answered(a_judge(Counting()), (system(Model("m")),)))
    reader = open_reader(tmp_path)
    shown = [(entry.example.responses, prompt_renderer(reader)(entry)) for entry in reader.entries()]
    reader.close()
    assert shown[1] == ({"m": "m: What is 1?"}, "Rate this.\nQ: What is 1?\nA: m: What is 1?")


@pytest.mark.parametrize(
    "judge", [a_judge(Counting()), an_arena(better), a_function_judge()], ids=lambda each: each.name
)
def test_every_report_shows_judgments_about_which_nobody_was_asked(judge: Judge, tmp_path: Path) -> None:
    systems = (system(Model("one")), system(Model("two", {"r1": CallError(FailureKind.SERVER, "down")})))
    run(tmp_path, Answered(judge, systems))
    assert "the system &#x27;two&#x27; gave no response: down" in html_report(tmp_path)
    assert export_run(tmp_path, tmp_path / "rows.jsonl", prompts=True) == len(entries(tmp_path))


def test_several_samples_are_several_answers(tmp_path: Path) -> None:
    model = Model("m")
    run(tmp_path, Answered(a_judge(Counting()), (system(model),)), repeat=2)
    assert sorted(model.asked) == ["r0", "r0", "r1", "r1", "r2", "r2"]


def test_a_system_that_fails_costs_its_own_judgments_and_is_asked_again(tmp_path: Path) -> None:
    good = Model("good")
    bad = Model("bad", {"r1": CallError(FailureKind.SERVER, "down")})
    judge = Answered(a_judge(Counting()), (system(good), system(bad)))
    run(tmp_path, judge)
    failed = [entry.judgment for entry in entries(tmp_path) if entry.judgment.status is not Status.OK]
    assert [(each.slot.example_id, each.slot.systems, each.status) for each in failed] == [
        ("r1", ("bad",), Status.CALL_ERROR)
    ]
    assert failed[0].failure is not None
    assert failed[0].failure.message == "the system 'bad' gave no response: down"
    bad.failures.clear()
    report = run(tmp_path, judge)
    assert report.metric("accuracy", system="bad").counts[Status.OK] == 3
    assert sorted(bad.asked) == ["r0", "r1", "r1", "r2"]
    assert sorted(good.asked) == ["r0", "r1", "r2"]


def test_a_contest_without_one_of_its_answers_is_a_failed_judgment_that_keeps_the_other(tmp_path: Path) -> None:
    one, two = Model("one"), Model("two", {"r1": CallError(FailureKind.SERVER, "down")})
    run(tmp_path, Answered(an_arena(better), (system(one), system(two))))
    contests = {entry.judgment.slot.example_id: entry for entry in entries(tmp_path)}
    assert contests["r1"].judgment.status is Status.CALL_ERROR
    assert contests["r1"].example.responses == {"one": "one: What is 1?"}
    assert contests["r0"].judgment.status is Status.OK


def test_responses_that_stand_in_the_data_are_judged_though_no_system_answers(tmp_path: Path) -> None:
    bad = Model("bad", {"r0": CallError(FailureKind.SERVER, "down")})
    source = rows_source([{**ROWS[0], "response": {"old": "0"}}], RowMapping({"responses": "response"}))
    judge = Answered(a_judge(Counting()), (system(bad),))
    on_loop(evaluate_async(source, [judge], folder=tmp_path, settings=RunSettings(max_error_rate=1.0)))
    statuses = {entry.judgment.slot.systems: entry.judgment.status for entry in entries(tmp_path)}
    assert statuses == {("old",): Status.OK, ("bad",): Status.CALL_ERROR}


def test_of_three_systems_one_that_fails_costs_the_contests_it_is_in(tmp_path: Path) -> None:
    bad = Model("b", {"r1": CallError(FailureKind.SERVER, "down")})
    run(tmp_path, Answered(an_arena(better), (system(Model("a")), system(bad), system(Model("c")))))
    found = [entry.judgment for entry in entries(tmp_path) if entry.judgment.slot.example_id == "r1"]
    assert {each.slot.systems: each.status for each in found} == {
        ("a", "b"): Status.CALL_ERROR,
        ("a", "c"): Status.OK,
        ("b", "c"): Status.CALL_ERROR,
    }


def test_at_a_cap_of_requests_what_was_not_asked_is_pending_and_goes_on_later(tmp_path: Path) -> None:
    with endpoint(scoring) as url:
        judge = direct(prompt_template=TEMPLATE, name="accuracy", model="gpt-4o", api_base=url, scale=(0, 10))
        model = direct(prompt_template=TEMPLATE, name="m", model="gpt-4o-mini", api_base=url)
        asked = System("m", question, model.parameters, model.engine, probes=model.probes)
        judging = Answered(judge, (asked,))
        with pytest.raises(Interrupted, match="cap of 4 requests") as stopped:
            run(tmp_path, judging, max_requests=4, preflight_check=False)
        assert stopped.value.report is not None
        assert stopped.value.report.pending
        report = run(tmp_path, judging, preflight_check=False)
    assert report.metric("accuracy", system="m").counts[Status.OK] == 3


def test_where_no_system_answers_nobody_judges(tmp_path: Path) -> None:
    judge = Counting()
    model = Model("m", {row["id"]: CallError(FailureKind.SERVER, "down") for row in ROWS})
    report = run(tmp_path, Answered(a_judge(judge), (system(model),)))
    assert not judge.prompts
    assert report.metric("accuracy", system="m").counts[Status.CALL_ERROR] == 3


def test_a_system_that_would_fail_everywhere_ends_the_run_resumable(tmp_path: Path) -> None:
    model = Model("m", {"r0": CallError(FailureKind.AUTH, "the key is wrong", fatal=True)})
    judge = Answered(a_judge(Counting(), concurrency=1), (system(model),))
    with pytest.raises(EndpointError, match="'m' gave no response: the key is wrong"):
        run(tmp_path, judge)
    model.failures.clear()
    assert run(tmp_path, judge).metric("accuracy", system="m").counts[Status.OK] == 3


def test_what_a_system_cannot_be_asked_is_said_before_any_call(tmp_path: Path) -> None:
    def no_template(_example: Example) -> tuple[Message, ...]:
        message = "no field 'question'"
        raise TemplateError(message)

    model = Model("m")
    broken = System("m", no_template, Parameters("m"), model)
    with pytest.raises(TemplateError, match="question"):
        run(tmp_path, Answered(a_judge(Counting()), (broken,)))
    assert not model.asked


def test_what_cannot_be_sent_is_an_invalid_input(tmp_path: Path) -> None:
    rows = [{"id": "r0", "question": "What is 0?\ud800"}]
    run(tmp_path, Answered(a_judge(Counting()), (system(Model("m")),)), rows=rows)
    (entry,) = entries(tmp_path)
    assert entry.judgment.status is Status.INVALID_INPUT


def test_another_model_under_test_is_another_question() -> None:
    judge = a_judge(Counting())
    hashes = {Answered(judge, (system(Model(name)),)).asks.hash for name in ("a", "b")}
    assert len(hashes | {judge.asks.hash}) == 3


def test_two_unanswered_rows_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'r0' stands already"):
        run(tmp_path, Answered(a_judge(Counting()), (system(Model("m")),)), rows=[ROWS[0], ROWS[0]])


def test_a_rows_answer_is_the_reference_where_a_model_is_to_respond() -> None:
    (example,) = rows_source([{"question": "?", "answer": "4", "output": "5"}], RowMapping(answered=False)).examples()
    assert (example.responses, example.reference) == ({}, "4")


def test_a_judges_cut_reply_has_its_second_try_and_a_systems_has_none(tmp_path: Path) -> None:
    asked: list[tuple[str, int]] = []

    def cut(request: HttpRequest) -> HttpAnswer:
        body = json.loads(request.body)
        asked.append((body["model"], body["max_tokens"]))
        whole = body["max_tokens"] > 1024
        answer = chat_body("Score: 8" if whole else "I think")
        answer["choices"][0]["finish_reason"] = "stop" if whole else "length"
        return chat_answer(answer)

    with endpoint(cut) as url:
        judge = direct(prompt_template=TEMPLATE, name="accuracy", model="judge", api_base=url, scale=(0, 10))
        model = direct(prompt_template=TEMPLATE, name="m", model="m", api_base=url)
        asking = System("m", question, model.parameters, model.engine, probes=model.probes)
        report = run(tmp_path, Answered(judge, (asking,)), rows=ROWS[:1], preflight_check=False)
    assert asked == [("m", 1024), ("judge", 1024), ("judge", 2048)]
    assert report.metric("accuracy", system="m").value == 8


def test_a_system_and_a_judge_at_two_addresses_are_both_tried_and_their_cost_is_not_known(tmp_path: Path) -> None:
    with endpoint(scoring) as one, endpoint(scoring) as two:
        judge = direct(prompt_template=TEMPLATE, name="accuracy", model="gpt-4o", api_base=one, scale=(0, 10))
        model = direct(prompt_template=TEMPLATE, name="m", model="gpt-4o-mini", api_base=two)
        asked = System("m", question, model.parameters, model.engine, probes=model.probes)
        report = run(tmp_path, Answered(judge, (asked,)))
    assert report.finished
    assert report.judges[0].cost is None
    assert report.judges[0].price == ("its calls go to 2 models (gpt-4o, gpt-4o-mini), whose costs are not told apart")
