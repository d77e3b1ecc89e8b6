"""`gavel context-bench`: context-bench's flags, its table, and what it costs to run it twice."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Ended, Gavel
from tests.integrations.bench import ROWS, Bench, running
from tests.makers import chat_answer, write_rows

from gavelkit.simulator.server import HttpAnswer

SECRET = "sk-secret-0123456789"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A folder with rows, and an endpoint that is model and judge."""
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "rows.jsonl", ROWS)
    with running(Bench()) as bench:
        yield bench


def evaluated(gavel: Gavel, bench: Bench, *flags: str, judged: bool = True) -> Ended:
    judge = ["--judge-url", bench.url] if judged else []
    return gavel("context-bench", "--proxy", bench.url, "--name", "mine", "--dataset", "rows.jsonl", *judge, *flags)


def failing(status: int = 500) -> HttpAnswer:
    return chat_answer({"error": {"message": "down"}}, status=status)


def test_the_table_has_the_documented_metrics_and_the_judge_stands_beside(gavel: Gavel, bench: Bench) -> None:
    ended = evaluated(gavel, bench)
    assert ended.code == 0
    figures = dict(line.split() for line in ended.out.splitlines()[1:14])
    assert list(figures) == [
        "mean_score",
        "pass_rate",
        "compression_ratio",
        "mean_input_tokens",
        "mean_output_tokens",
        "cost_of_pass",
        "num_passing",
        "latency_mean",
        "latency_median",
        "latency_p95",
        "latency_p99",
        "judge_failed",
        "mean_judged",
    ]
    assert (figures["mean_score"], figures["judge_failed"], figures["mean_judged"]) == ("1.0000", "0", "0.7500")
    assert "evaluating 4 examples into runs/context-bench/" in ended.err
    assert f"calls go to {bench.url}, at most 64 at once" in ended.err  # one answer, and one score


def test_the_same_command_again_asks_nothing_and_shows_the_same(gavel: Gavel, bench: Bench) -> None:
    first = evaluated(gavel, bench)
    asked = len(bench.requests)
    assert asked == 1 + 2 * len(ROWS)  # model and judge are the same, and tried once
    second = evaluated(gavel, bench)
    assert len(bench.requests) == asked
    assert second.out == first.out
    assert "8 judgments are on disk already" in second.err


def test_the_run_is_the_latest_and_any_other_command_reads_it(gavel: Gavel, bench: Bench) -> None:
    evaluated(gavel, bench)
    report = gavel("report")
    assert report.code == 0
    assert "llm_judge" in report.out


def test_the_judge_is_primary_where_its_score_is_asked_for(gavel: Gavel, bench: Bench) -> None:
    flags = ("--score-field", "judge_score", "--threshold", "0.8", "--output", "json")
    (figures,) = evaluated(gavel, bench, *flags).json["summary"].values()
    assert (figures["mean_score"], figures["pass_rate"], figures["cost_of_pass"]) == (0.75, 0.0, None)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("judge_score", "judge_score comes from a judge; --judge-url says where it is"),
        ("f2", "there is no score 'f2'"),
        ("mc_accuracy", "there are contains, exact_match, f1, recall"),
    ],
)
def test_a_score_that_nothing_gives_is_refused_before_anything_is_asked(
    gavel: Gavel, bench: Bench, field: str, said: str
) -> None:
    ended = evaluated(gavel, bench, "--score-field", field, judged=False)
    assert (ended.code, ended.out, len(bench.requests)) == (2, "", 0)
    assert said in ended.err


def test_a_system_without_responses_says_why(gavel: Gavel, bench: Bench) -> None:
    write_rows(Path("rows.jsonl"), [{"text": "neither question nor context"}])
    ended = evaluated(gavel, bench)
    assert ended.code == 3
    assert "First example 0: " in ended.err
    assert "the example has neither a question nor a context" in ended.err


@pytest.mark.parametrize(
    "row",
    [
        ROWS[0],
        {"dataset": "koala", "instruction": "Name a sea.", "output": "The Red Sea.", "generator": "m"},
        {"question_id": 81, "category": "writing", "turns": ["Name a sea.", "Name a lake."]},
    ],
    ids=["plain", "alpaca_eval", "mt_bench"],
)
def test_without_a_judge_nobody_is_asked_to_judge(gavel: Gavel, bench: Bench, row: dict[str, Any]) -> None:
    write_rows(Path("rows.jsonl"), [row])
    bench.says = lambda _: "The Red Sea."
    found = evaluated(gavel, bench, "--output", "json", judged=False).json
    assert found["config"]["evaluators"] == ["answer_quality"]
    assert set(found["rows"][0]["scores"]) == {"f1", "exact_match", "recall", "contains"}
    assert bench.judged == []


def test_model_judge_model_and_first_rows_are_as_asked(gavel: Gavel, bench: Bench) -> None:
    evaluated(gavel, bench, "--model", "m-1", "--judge-model", "j-1", "-n", "2")
    models = [json.loads(request.body)["model"] for request in bench.requests]
    assert sorted(models) == ["j-1", "j-1", "j-1", "m-1", "m-1", "m-1"]
    assert len(bench.asked) == 2


def test_the_json_is_that_of_a_result_and_the_page_is_whole(gavel: Gavel, bench: Bench) -> None:
    found = evaluated(gavel, bench, "--output", "json").json
    assert list(found) == ["rows", "summary", "timing", "config"]
    assert [row["example_id"] for row in found["rows"]] == [row["id"] for row in ROWS]
    lines = evaluated(gavel, bench, "--output", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == found["rows"]
    page = evaluated(gavel, bench, "--output", "html")
    assert page.out.startswith("<!DOCTYPE html>")
    assert page.out.endswith("</html>\n")


def test_several_datasets_and_several_endpoints_have_figures_of_their_own(gavel: Gavel, bench: Bench) -> None:
    write_rows(Path("more.jsonl"), ROWS[:1])
    urls = (bench.url, bench.url.replace("127.0.0.1", "localhost"))
    flags = [flag for url in urls for flag in ("--proxy", url)]
    datasets = ("--dataset", "rows.jsonl", "--dataset", "more.jsonl")
    found = gavel("context-bench", *flags, *datasets, "--output", "json", "--model", "m").json
    names = [f"m@{url.removeprefix('http://')}" for url in urls]
    assert list(found["summary"]) == names
    figures = found["summary"][names[0]]
    assert (figures["dataset:rows.jsonl"], figures["dataset:more.jsonl"]) == (1.0, 1.0)
    assert {each["pareto_rank"] for each in found["summary"].values()} == {1}
    assert [row["example_id"] for row in found["rows"]] == ["q0", "q1", "q2", "q3", "q0"] * 2


def test_a_judge_that_fails_too_often_is_said_aloud_and_healed_by_the_same_command(gavel: Gavel, bench: Bench) -> None:
    bench.rates = lambda prompt: failing() if "1 plus 1" in prompt else "4"
    first = evaluated(gavel, bench)
    assert first.code == 3
    told = "mine: the judge failed on 1 of 4 rows (1 call_error)"
    assert told in first.err
    assert told in first.out
    assert "judge 'llm_judge': 25.0% of its judgments failed, and 10.0% may" in first.err
    bench.rates = lambda _: "4"
    asked = len(bench.asked)
    second = evaluated(gavel, bench)
    assert (second.code, len(bench.asked)) == (0, asked)
    assert told not in second.out + second.err


def test_unreadable_replies_are_asked_for_again_on_request(gavel: Gavel, bench: Bench) -> None:
    bench.rates = lambda _: "no idea"
    assert evaluated(gavel, bench).code == 3
    bench.rates = lambda _: "4"
    assert evaluated(gavel, bench).code == 3
    assert evaluated(gavel, bench, "--retry-errors").code == 0


def test_a_dead_judge_is_exit_4_and_nothing_is_asked(gavel: Gavel, bench: Bench) -> None:
    flags = ("--judge-url", "http://127.0.0.1:9")
    ended = evaluated(gavel, bench, *flags, judged=False)
    assert ended.code == 4
    assert "pre-flight failed: the address is wrong, or nothing runs there" in ended.err
    assert "to go on: gavel context-bench " in ended.err
    assert (bench.asked, ended.out) == ([], "")
    anyway = evaluated(gavel, bench, *flags, "--preflight-check", "false", judged=False)
    assert anyway.code == 3
    assert "the judge failed on 4 of 4 rows (4 call_error)" in anyway.out


def test_an_interruption_keeps_what_is_done_and_the_same_command_goes_on(gavel: Gavel, bench: Bench) -> None:
    said = bench.says

    def interrupt(prompt: str) -> str | HttpAnswer:
        if len(bench.asked) == 2:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return said(prompt)

    bench.says = interrupt
    ended = evaluated(gavel, bench, "--max-workers", "1")
    assert ended.code == 130
    assert "gavel: interrupted" in ended.err
    assert "to go on: gavel context-bench --proxy" in ended.err
    before = len(bench.asked)
    assert before < len(ROWS)
    bench.says = said
    assert evaluated(gavel, bench).code == 0
    assert sorted(bench.asked) == sorted(str(row["question"]) for row in ROWS)


def test_keys_come_from_the_environment_and_stay_out_of_all_that_is_left(
    gavel: Gavel, bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    ended = evaluated(gavel, bench, "--output", "html")
    assert {request.headers.get("authorization") for request in bench.requests} == {f"Bearer {SECRET}"}
    left = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert SECRET.encode() not in left
    assert SECRET not in ended.out + ended.err


def test_the_folder_is_made_where_it_is_asked_for(gavel: Gavel, bench: Bench) -> None:
    evaluated(gavel, bench, "--cache-dir", "kept", "--quiet")
    assert [len(path.name) for path in Path("kept").iterdir()] == [12]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--dataset", "nope"], "there is no dataset 'nope'"),
        (["--dataset", "hotpotqa:full"], "the dataset 'hotpotqa' has no configs to choose from"),
        (["--dataset", "empty.jsonl"], "there are no examples to evaluate"),
        (["--dataset", "bad.jsonl"], "bad.jsonl:1"),
        (["--dataset", "rows.jsonl", "--proxy", "http://127.0.0.1:8"], "--name: 1 for 2 --proxy"),
        (["--dataset", "rows.jsonl", "--judge-url", "localhost:9"], "base_url is an endpoint's URL"),
        (["--dataset", "rows.jsonl", "-n", "0"], "takes a whole number from 1 up, not '0'"),
        (["--dataset", "rows.jsonl", "--threshold", "nan"], "takes a number, not 'nan'"),
        (["--dataset", "rows.jsonl", "--output", "xml"], "invalid choice: 'xml'"),
        (["--dataset", "rows.jsonl", "--judge-model", "m"], "--judge-model needs --judge-url"),
        (["--dataset", "rows.jsonl", "--api-key", "sk-x"], "a key is never an argument"),
        ([], "the following arguments are required: --dataset"),
    ],
)
def test_wrong_input_is_exit_2_and_asks_nobody(gavel: Gavel, bench: Bench, flags: list[str], words: str) -> None:
    Path("empty.jsonl").write_text("")
    Path("bad.jsonl").write_text("no json\n")
    ended = gavel("context-bench", "--proxy", bench.url, "--name", "mine", *flags)
    assert ended.code == 2
    assert words in ended.err
    assert (bench.requests, ended.out) == ([], "")
