"""context-bench's `evaluate`: its result, and a run behind it that nobody pays for twice."""

from __future__ import annotations

import asyncio
import json
import math
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.bench import ROWS, Bench, Echo, Length, running
from tests.makers import chat_answer

from gavelkit.cli.main import main
from gavelkit.core.errors import DataError, EndpointError, UsageError
from gavelkit.integrations.context_bench import (
    AnswerQuality,
    EvalResult,
    Evaluator,
    LLMJudge,
    MeanScore,
    OpenAIProxy,
    PerDatasetBreakdown,
    evaluate,
    to_table,
)
from gavelkit.integrations.context_bench_run import Evaluation
from gavelkit.simulator import running_simulator
from gavelkit.simulator.server import HttpAnswer

QUIET: dict[str, Any] = {"progress": False}


def failing(status: int = 500) -> HttpAnswer:
    return chat_answer({"error": {"message": "down"}}, status=status)


def by(bench: Bench, **settings: Any) -> EvalResult:
    """The endpoint of a bench as the system, judged by itself."""
    proxy = OpenAIProxy(bench.url, "m", name="mine", max_retries=0)
    return evaluate([proxy], ROWS, [AnswerQuality(), LLMJudge(bench.url)], **{**QUIET, **settings})


def test_its_arguments_are_those_of_context_bench_and_three_more() -> None:
    parameters = signature(evaluate).parameters.values()
    assert [(each.name, each.default) for each in parameters if each.kind is not each.KEYWORD_ONLY][3:] == [
        ("metrics", None),
        ("max_examples", None),
        ("progress", True),
        ("text_fields", None),
        ("max_workers", None),
        ("cache_dir", None),
    ]
    more = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    assert more == ["count_tokens", "retry_errors", "preflight_check"]


def test_a_script_of_context_benchs_users_runs_and_running_it_again_asks_nothing(tmp_path: Path) -> None:
    with running_simulator() as simulator:
        url = simulator.url.removesuffix("/v1")

        def script() -> EvalResult:
            systems = [OpenAIProxy(base_url=url, model="gpt-4", name="direct")]
            evaluators: list[Evaluator] = [AnswerQuality(), LLMJudge(base_url=url, model="gpt-4")]
            return evaluate(systems, ROWS, evaluators, [MeanScore("judge_score")], cache_dir=tmp_path, **QUIET)

        first = script()
        asked = simulator.requests
        assert asked == 1 + 2 * len(ROWS)  # the systems' endpoint is the judge's too, and tried once
        second = script()
        assert simulator.requests == asked
    assert [row.scores["judge_score"] for row in first.rows] == [row.scores["judge_score"] for row in second.rows]
    assert first.to_json() == second.to_json()


def test_a_result_tells_what_was_evaluated_and_how(tmp_path: Path) -> None:
    with running(Bench()) as bench:
        result = by(bench, metrics=[MeanScore("f1")], cache_dir=tmp_path, max_workers=2, count_tokens=len)
    assert result.summary == {"mine": {"mean_score": 1.0, "judge_failed": 0.0, "mean_judged": 0.75}}
    folder = Path(result.config.pop("folder"))
    assert (folder.parent, len(folder.name)) == (tmp_path, 12)
    assert result.config == {
        "systems": ["mine"],
        "evaluators": ["answer_quality", "llm_judge"],
        "metrics": ["mean_score"],
        "num_examples": 4,
        "max_workers": 2,
        "token_counter": "len",
    }
    row = result.rows[1]
    assert (row.system, row.example_id, row.dataset) == ("mine", "q1", "")
    assert row.metadata == {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10, "judge_status": "ok"}
    assert row.input_tokens == sum(len(ROWS[1][name]) for name in ("question", "answer", "context"))
    assert row.output_tokens == len("It is 2.")
    assert result.timing == {"mine": pytest.approx(sum(each.latency for each in result.rows))}


def test_without_a_folder_nothing_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = evaluate([Echo()], ROWS, [AnswerQuality()], **QUIET)
    assert result.config["folder"] is None
    assert list(tmp_path.iterdir()) == []


def test_judgments_that_failed_are_counted_and_healed_by_the_same_call(tmp_path: Path) -> None:
    bench = Bench(rates=lambda prompt: failing() if "3 plus 3" in prompt else "5")
    with running(bench):
        first = by(bench, metrics=[MeanScore("judge_score")], cache_dir=tmp_path)
        assert first.summary["mine"] == {"mean_score": 0.75, "judge_failed": 1.0, "mean_judged": 1.0}
        assert first.rows[3].scores["judge_score"] == 0.0
        assert first.rows[3].metadata["judge_status"] == "call_error"
        assert first.rows[3].metadata["judge_error"] == "HTTP 500"
        assert "the judge failed on 1 of 4 rows" in to_table(first)
        bench.rates = lambda _: "5"
        bench.asked.clear()
        bench.judged.clear()
        second = by(bench, metrics=[MeanScore("judge_score")], cache_dir=tmp_path)
    assert second.summary["mine"] == {"mean_score": 1.0, "judge_failed": 0.0, "mean_judged": 1.0}
    assert (len(bench.asked), len(bench.judged)) == (0, 1)


def test_an_unreadable_reply_is_paid_for_and_asked_for_again_only_on_request(tmp_path: Path) -> None:
    bench = Bench(rates=lambda prompt: "no idea" if "0 plus 0" in prompt else "5")
    with running(bench):
        assert by(bench, cache_dir=tmp_path).rows[0].metadata["judge_status"] == "parse_error"
        bench.rates = lambda _: "5"
        bench.judged.clear()
        bench.asked.clear()
        assert by(bench, cache_dir=tmp_path).rows[0].metadata["judge_status"] == "parse_error"
        assert bench.judged == []
        assert by(bench, cache_dir=tmp_path, retry_errors=True).rows[0].metadata["judge_status"] == "ok"
    assert (len(bench.asked), len(bench.judged)) == (0, 1)


def test_a_reply_that_could_not_even_be_read_is_asked_for_again_without_the_system(tmp_path: Path) -> None:
    empty = chat_answer({"choices": [{"message": {"content": None}, "finish_reason": "length"}]})
    bench = Bench(rates=lambda _: empty)
    with running(bench):
        assert by(bench, cache_dir=tmp_path).rows[0].metadata["judge_status"] == "truncated"
        bench.rates = lambda _: "5"
        bench.asked.clear()
        assert by(bench, cache_dir=tmp_path, retry_errors=True).rows[0].metadata["judge_status"] == "ok"
    assert bench.asked == []


def test_another_judge_model_is_another_run(tmp_path: Path) -> None:
    def folder(**judge: Any) -> str:
        evaluation = Evaluation([Echo()], ROWS, [LLMJudge("http://127.0.0.1:9", **judge)])
        return evaluation.digest

    assert len({folder(), folder(model="gpt-4")}) == 1
    assert folder(model="other") != folder()


def test_more_rows_are_the_same_run_and_another_dataset_or_system_is_not(tmp_path: Path) -> None:
    def digest(rows: list[dict[str, Any]], system: str = "echo", most: int | None = None) -> str:
        return Evaluation([Echo(system)], rows, [AnswerQuality()], max_examples=most).digest

    assert digest(ROWS) == digest(ROWS, most=1) == digest([*ROWS, {"id": "more", "answer": "x"}])
    named = [{**row, "dataset": name} for name in ("one", "two") for row in ROWS]
    assert digest(named) == digest(named, most=1)
    assert len({digest(ROWS), digest(ROWS, "other"), digest(named), digest(named[:4]), digest(ROWS[1:])}) == 5
    echo = Echo()
    evaluate([echo], ROWS, [], max_examples=2, cache_dir=tmp_path, **QUIET)
    evaluate([echo], ROWS, [], cache_dir=tmp_path, **QUIET)
    assert [row["id"] for row in echo.seen] == ["q0", "q1", "q2", "q3"]


def test_a_failed_system_costs_its_row_and_is_asked_again(tmp_path: Path) -> None:
    bench = Bench(says=lambda prompt: failing() if "2 plus 2" in prompt else "It is it.")
    with running(bench):
        first = by(bench, metrics=[MeanScore("judge_score")], cache_dir=tmp_path)
        assert first.rows[2].metadata["status"] == "call_error"
        assert first.summary["mine"] == {
            "mean_score": 0.5625,
            "judge_failed": 0.0,
            "mean_judged": 0.75,
            "system_failed": 1.0,
        }
        bench.says = lambda _: "It is 4."
        bench.asked.clear()
        second = by(bench, cache_dir=tmp_path)
    assert bench.asked == ["What is 2 plus 2?"]
    assert second.rows[2].scores["contains"] == 1.0
    assert "system_failed" not in second.summary["mine"]


def test_a_dead_judge_ends_it_before_anything_is_asked_unless_nobody_looks(tmp_path: Path) -> None:
    echo, judge = Echo(), LLMJudge("http://127.0.0.1:9")
    with pytest.raises(EndpointError, match="pre-flight failed"):
        evaluate([echo], ROWS, [judge], cache_dir=tmp_path, **QUIET)
    assert (echo.seen, list(tmp_path.iterdir())) == ([], [])
    result = evaluate([echo], ROWS, [judge], cache_dir=tmp_path, preflight_check=False, **QUIET)
    assert [row.scores for row in result.rows] == [{"judge_score": 0.0}] * 4
    assert result.summary["echo"]["judge_failed"] == 4.0
    assert math.isnan(result.summary["echo"]["mean_judged"])


@pytest.mark.parametrize("preflight_check", [True, False])
def test_two_judges_of_one_model_at_two_addresses_are_each_asked(*, preflight_check: bool) -> None:
    with running(Bench(rates=lambda _: "2")) as one, running(Bench(rates=lambda _: "5")) as other:
        judges = [LLMJudge(one.url), LLMJudge(other.url)]
        result = evaluate([Echo()], ROWS, judges, preflight_check=preflight_check, **QUIET)
    assert (len(one.judged), len(other.judged)) == (4, 4)
    assert [row.scores for row in result.rows] == [{"judge_score": 1.0}] * 4


def test_a_wrong_key_of_a_system_ends_it_and_what_was_done_stays(tmp_path: Path) -> None:
    bench = Bench(says=lambda prompt: failing(401) if "2 plus 2" in prompt else "It is.")
    with running(bench):
        with pytest.raises(EndpointError, match="the endpoint is unusable"):
            by(bench, cache_dir=tmp_path)
        bench.says = lambda _: "It is."
        bench.asked.clear()
        assert len(by(bench, cache_dir=tmp_path).rows) == 4
    assert set(bench.asked) <= {"What is 2 plus 2?", "What is 3 plus 3?"}


def test_a_system_that_fails_is_tried_once_for_all_evaluators_and_again_by_the_next_start(tmp_path: Path) -> None:
    """Judges go through the rows side by side, and not in step."""
    seen: list[str] = []

    def failing_at_first(example: dict[str, Any]) -> dict[str, Any]:
        seen.append(example["id"])
        if seen.count(example["id"]) == 1:
            message = "not yet"
            raise ValueError(message)
        return {"response": example["answer"]}

    evaluators: list[Evaluator] = [Length(), AnswerQuality()]
    echo = Echo(process=failing_at_first)
    first = evaluate([echo], ROWS, evaluators, cache_dir=tmp_path, **QUIET)
    assert [row.scores for row in first.rows] == [{}] * 4
    assert sorted(seen) == ["q0", "q1", "q2", "q3"]
    second = evaluate([echo], ROWS, evaluators, cache_dir=tmp_path, **QUIET)
    assert sorted(seen) == sorted(["q0", "q1", "q2", "q3"] * 2)
    assert all(row.scores["f1"] == 1.0 for row in second.rows)


def test_without_evaluators_the_systems_answer_all_the_same() -> None:
    result = evaluate([Echo()], ROWS, [], **QUIET)
    assert [row.scores for row in result.rows] == [{}] * 4
    assert [row.output_tokens for row in result.rows] == [2, 2, 2, 2]


def test_evaluators_of_one_name_are_told_apart(tmp_path: Path) -> None:
    with running(Bench()) as bench:
        judges = [LLMJudge(bench.url, model) for model in ("one", "two")]
        result = evaluate([Echo()], ROWS[:1], judges, cache_dir=tmp_path, **QUIET)
        assert len(bench.judged) == 2
    assert result.config["evaluators"] == ["llm_judge", "llm_judge"]
    assert main(["report", str(result.config["folder"])]) == 0


def test_each_dataset_has_its_figure() -> None:
    rows = [{**row, "dataset": name} for name in ("one", "two") for row in ROWS]
    echo = Echo(process=lambda example: {"response": example["answer"] if example["dataset"] == "one" else "no"})
    result = evaluate([echo], rows, [AnswerQuality()], [PerDatasetBreakdown("f1")], **QUIET)
    assert result.summary == {"echo": {"dataset:one": 1.0, "dataset:two": 0.0}}


def test_a_dataset_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    result = evaluate([Echo()], file, [AnswerQuality()], max_examples=2, **QUIET)
    assert [(row.example_id, row.dataset) for row in result.rows] == [("q0", str(file)), ("q1", str(file))]


def test_one_worker_calls_one_at_a_time_and_several_call_side_by_side() -> None:
    most: dict[int, int] = {}
    for workers in (1, 3):
        meeting = threading.Barrier(workers)
        busy = [0]
        seen: list[int] = []

        def process(_: dict[str, Any], busy: list[int] = busy, seen: list[int] = seen) -> dict[str, Any]:
            busy[0] += 1
            seen.append(busy[0])
            meeting.wait(10)  # noqa: B023 - called before the next round
            busy[0] -= 1
            return {"response": "x"}

        evaluate([Echo("a", process)], ROWS[:3], [Length()], max_workers=None if workers == 1 else workers, **QUIET)
        most[workers] = max(seen)
    assert most[1] == 1
    assert most[3] > 1


def test_it_works_while_a_loop_runs_and_from_threads() -> None:
    async def in_a_notebook() -> int:
        return len(evaluate([Echo()], ROWS, [AnswerQuality()], **QUIET).rows)

    assert asyncio.run(in_a_notebook()) == 4
    with ThreadPoolExecutor(3) as threads:
        counts = threads.map(lambda n: len(evaluate([Echo(f"s{n}")], ROWS, [Length()], **QUIET).rows), range(3))
        assert list(counts) == [4, 4, 4]


def test_an_interruption_keeps_what_is_done(tmp_path: Path) -> None:
    over = threading.Event()

    def process(example: dict[str, Any]) -> dict[str, Any]:
        if example["id"] == "q2" and not over.is_set():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            over.wait(10)
        return {"response": "x"}

    echo = Echo(process=process)
    with pytest.raises(KeyboardInterrupt):
        evaluate([echo], ROWS, [AnswerQuality()], cache_dir=tmp_path, **QUIET)
    over.set()
    assert [row["id"] for row in echo.seen] == ["q0", "q1", "q2"]
    assert len(evaluate([echo], ROWS, [AnswerQuality()], cache_dir=tmp_path, **QUIET).rows) == 4
    assert [row["id"] for row in echo.seen[3:]] == ["q2", "q3"]


def test_the_record_is_a_run_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(Bench()) as bench:
        folder = by(bench, cache_dir=tmp_path).config["folder"]
    assert main(["report", folder]) == 0
    shown = capsys.readouterr().out
    assert "llm_judge" in shown
    assert "0.75" in shown
    assert main(["export", folder, "-o", str(tmp_path / "all.jsonl")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert len(lines) == 8


def test_progress_is_shown_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    evaluate([Echo()], ROWS, [AnswerQuality()])
    shown = capsys.readouterr()
    assert "4/4" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"systems": []}, UsageError, "name a system"),
        ({"systems": Echo()}, UsageError, "systems are a list"),
        ({"evaluators": (each for each in [Length()])}, UsageError, "evaluators are a list"),
        ({"metrics": [MeanScore]}, UsageError, "metrics are objects with a name and compute"),
        ({"systems": [Echo(), Echo()]}, UsageError, "two systems are called 'echo'"),
        ({"dataset": []}, DataError, "there are no examples"),
        ({"max_examples": 0}, DataError, "there are no examples"),
        ({"max_examples": -1}, UsageError, "max_examples"),
        ({"dataset": ["no row"]}, DataError, "example 0: a dict is needed, not str"),
        ({"dataset": "nowhere.jsonl"}, DataError, r"nowhere\.jsonl"),
        ({"max_workers": 0}, UsageError, "max_workers is how many calls run at once"),
    ],
)
def test_what_cannot_be_evaluated_is_said_before_anything_is_asked(
    change: dict[str, Any], error: type[Exception], words: str
) -> None:
    given: dict[str, Any] = {"systems": [Echo()], "dataset": ROWS, "evaluators": [], **QUIET}
    with pytest.raises(error, match=words):
        evaluate(**{**given, **change})
