"""`gavel byob`: the page's benchmark by one command, its files, its exit codes, and how it goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cli.conftest import Gavel
from tests.integrations.byob_files import KEY, ROWS, a_file, predictions_in, results_in, write_page

from gavelkit.simulator import Script, running_simulator
from gavelkit.simulator.running import Simulator
from gavelkit.simulator.script import Rule
from gavelkit.storage import open_reader

ANSWERS = (
    Rule(match="Answer: What is the capital", reply="Paris"),
    Rule(match="Answer: How much", reply="5"),
    Rule(match="Answer: Who wrote", reply="Goethe"),
)


@pytest.fixture
def endpoint() -> Iterator[Simulator]:
    with running_simulator(Script(rules=ANSWERS)) as simulator:
        yield simulator


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endpoint: Simulator) -> Path:
    """A folder to stand in, with the page's benchmark and its rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NVIDIA_API_KEY", KEY)
    write_page(tmp_path, endpoint.url)
    return tmp_path


def flags(endpoint: Simulator, *more: str) -> list[str]:
    return ["byob", "bench.py", "--model-url", endpoint.url, "--model-id", "m", "--output-dir", "out", *more]


TABLE = """\
score         value  stderr  n  failed  mean without
judge_score  0.6667  0.2722  3       0        0.6667

qa_judge: 3 samples: 3 scored

out/qa_judge/byob_results.json
out/qa_judge/byob_predictions.jsonl
"""


def test_the_pages_benchmark_runs_with_only_its_import_line_changed(
    there: Path, gavel: Gavel, endpoint: Simulator
) -> None:
    ended = gavel(*flags(endpoint))
    assert (ended.code, ended.out) == (0, TABLE)
    assert "running qa-judge over" in ended.err
    assert (
        results_in(there / "out")["tasks"]["qa_judge"]["metrics"]["pass@1"]["scores"]["judge_score"]["value"] == 0.6667
    )
    assert len(predictions_in(there / "out")) == len(ROWS)


def test_the_same_command_again_asks_nobody_and_prints_the_same(there: Path, gavel: Gavel, endpoint: Simulator) -> None:
    first = gavel(*flags(endpoint))
    asked = endpoint.requests
    assert gavel(*flags(endpoint)).out == first.out
    assert endpoint.requests == asked
    assert there.joinpath("out", "qa_judge", "run.db").exists()


@pytest.mark.usefixtures("there")
def test_numbers_stand_in_line_behind_names_of_wide_characters(gavel: Gavel, tmp_path: Path) -> None:
    a_file(tmp_path, "return {'分数': 1.0, 'b': 0.5}").rename(tmp_path / "wide.py")
    ended = gavel("byob", "wide.py", "--response-field", "target", "--output-dir", "out", "--quiet")
    assert ended.out.splitlines()[:3] == [
        "score  value  stderr  n  failed  mean without",
        "b        0.5       0  3       0           0.5",
        "分数       1       0  3       0             1",
    ]


def test_the_results_can_be_printed_as_json_and_nothing_else(there: Path, gavel: Gavel, endpoint: Simulator) -> None:
    ended = gavel(*flags(endpoint, "--json", "--quiet"))
    assert ended.json == results_in(there / "out")
    assert ended.err == ""
    (there / "bench.py").write_text("print('loading')\n" + (there / "bench.py").read_text())
    ended = gavel(*flags(endpoint, "--json", "--quiet"))
    assert (ended.json, ended.err) == (results_in(there / "out"), "loading\n")


@pytest.mark.usefixtures("there")
def test_the_run_can_be_reported_and_exported_like_any_other(gavel: Gavel, endpoint: Simulator) -> None:
    gavel(*flags(endpoint))
    assert "qa_judge" in gavel("report", "out/qa_judge").out
    assert gavel("export", "out/qa_judge", "-o", "all.jsonl").code == 0


FLAGS = """
--dataset more.jsonl --limit-samples 4 --n-repeats 2 --num-fewshot 1 --fewshot-seed 7 --temperature 0.5 --max-tokens 9
--top-p 0.25 --parallelism 1 --request-timeout 5 --max-retries 0 --retry-backoff 1e-3 --save-predictions
--benchmark-name qa --model-type chat --timeout-per-sample 7
"""


def test_each_flag_does_what_it_says(there: Path, gavel: Gavel) -> None:
    rows = [{"question": f"q{n}", "target": f"a{n}"} for n in range(5)]
    (there / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    a_file(there, "return {'length': len(sample.response)}")
    with running_simulator(Script(reply="x")) as simulator:
        ended = gavel(*flags(simulator, *FLAGS.split()))
        assert (ended.code, simulator.requests, simulator.max_in_flight) == (0, 4 * 2 + 1, 1)
    lines = predictions_in(there / "out", "qa")
    assert [(line["sample_id"], line["repeat"]) for line in lines] == [(n, r) for n in range(4) for r in range(2)]
    assert all(re.fullmatch(r"Answer: (q\d) a\d\n\nAnswer: (?!\1)q\d", line["prompt"]) for line in lines)
    reader = open_reader(there / "out" / "qa")
    asks = reader.judges[0].asks
    reader.close()
    assert asks["systems"][0]["parameters"] == {"temperature": 0.5, "max_tokens": 9, "top_p": 0.25}
    assert asks["systems"][0]["fewshot"]["seed"] == 7


@pytest.mark.usefixtures("there")
def test_another_model_is_refused_with_the_difference_and_a_new_run_takes_it(gavel: Gavel, endpoint: Simulator) -> None:
    gavel(*flags(endpoint))
    other = ["--model-id", "m2"]
    ended = gavel(*flags(endpoint, *other))
    assert ended.code == 2
    assert '"model":"m2"' in ended.err
    assert "out-2/qa_judge/byob_results.json" in gavel(*flags(endpoint, *other, "--new-run")).out


@pytest.mark.usefixtures("endpoint")
def test_a_judges_failures_are_said_aloud_and_too_many_are_exit_code_3(there: Path, gavel: Gavel) -> None:
    with running_simulator(Script(rules=(*ANSWERS, Rule(match="2 + 2", reply="?")))) as simulator:
        write_page(there, simulator.url)
        ended = gavel(*flags(simulator))
        assert ended.code == 3
        assert "judge_score  0.6667  0.2722  3       1             1" in ended.out
        assert "judge 'judge' gave no score: 1 parse_error" in ended.out
        assert gavel(*flags(simulator, "--max-error-rate", "0.5")).code == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 / 0", "skipped_scorer_error, first sample 0: ZeroDivisionError: division by zero"),
        ("return {'x': float('nan')}", "failed, first sample 0: the scorer returned nan as 'x'"),
        ("return {'x': 'good'}", "no sample has a score that is a finite number"),
    ],
)
def test_why_samples_have_no_score_is_said_on_the_terminal(
    there: Path, gavel: Gavel, endpoint: Simulator, body: str, said: str
) -> None:
    a_file(there, body)
    assert said in gavel(*flags(endpoint, "--max-error-rate", "1")).out


def test_a_judges_first_failure_says_why(there: Path, gavel: Gavel) -> None:
    with running_simulator(Script(rules=(*ANSWERS, Rule(match="2 + 2", reply="Who knows?")))) as simulator:
        write_page(there, simulator.url)
        assert "first sample 1: no grade in the reply, which ends in 'Who knows?'" in gavel(*flags(simulator)).out


def test_a_skipped_sample_is_exit_code_3_where_that_is_asked_for(
    there: Path, gavel: Gavel, endpoint: Simulator
) -> None:
    write_page(there, endpoint.url, rows=[*ROWS, {"target": "x"}])
    assert gavel(*flags(endpoint, "--max-error-rate", "1")).code == 0
    ended = gavel(*flags(endpoint, "--max-error-rate", "1", "--fail-on-skip"))
    assert (ended.code, "1 of 4 samples were skipped" in ended.err) == (3, True)


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nope.py", "--model-url", "URL", "--model-id", "m"], "nope.py: there is no such file"),
        (["bench.py", "--model-url", "URL"], "--model-id is missing"),
        (["bench.py"], "which model answers?"),
        (["bench.py", "--model-url", "URL", "--model-id", "m", "--dataset", "no.jsonl"], "no.jsonl: there is no such"),
        (["bench.py", "--model-url", "URL", "--model-id", "m", "--dataset", "s3://a/b"], "save the rows as JSON Lines"),
        (["bench.py", "--model-url", "URL", "--model-id", "m", "--dataset", "hf://a/b"], "hf://ORG/NAME?split=SPLIT"),
        (["bench.py", "--model-url", "URL", "--model-id", "m", "--api-key-name", "MINE"], "MINE, which holds the key"),
        (
            ["bench.py", "--model-url", "URL", "--model-id", "m", "--model-type", "completions_logprob"],
            "is not offered",
        ),
        (["bench.py", "--parallelism", "none"], "takes a whole number from 1 up, not 'none'"),
    ],
)
def test_a_wrong_input_is_exit_code_2_before_anything_is_asked(
    gavel: Gavel, endpoint: Simulator, given: list[str], said: str
) -> None:
    ended = gavel("byob", *[each.replace("URL", endpoint.url) for each in given], "--output-dir", "out")
    assert (ended.code, endpoint.requests) == (2, 0)
    assert said in ended.err


def test_a_base_model_is_asked_by_plain_completions_and_the_run_goes_on(there: Path, gavel: Gavel) -> None:
    a_file(there, "return {'same': sample.model_call_fn(f'About {sample.target}') == 'x'}", system_prompt="Be brief.")
    with running_simulator(Script(reply="x"), log=there / "log.jsonl") as simulator:
        plain = flags(simulator, "--model-type", "completions")
        assert gavel(*plain, "--limit-samples", "2").code == 0
        assert simulator.requests == 1 + 2 + 2
        assert (gavel(*plain).code, simulator.requests) == (0, 5 + 1 + 1 + 1)
        assert (gavel(*plain).code, simulator.requests) == (0, 8)
        as_chat = gavel(*flags(simulator))
        assert (as_chat.code, simulator.requests) == (2, 8)
        assert "endpoint_type" in as_chat.err
    assert {json.loads(line)["path"] for line in (there / "log.jsonl").read_text().splitlines()} == {"/v1/completions"}
    lines = predictions_in(there / "out", "qa")
    assert [(line["response"], line["scores"]) for line in lines] == [("x", {"same": True})] * 3


def test_a_scorer_that_asks_in_another_way_than_the_run_is_told(there: Path, gavel: Gavel) -> None:
    a_file(there, "return {'n': len(sample.model_call_fn('q', endpoint_type='completions'))}")
    with running_simulator(Script(reply="x")) as simulator:
        ended = gavel(*flags(simulator))
    assert ended.code == 3
    assert "model_call_fn asks by 'chat' as the run does, not by 'completions'" in ended.out + ended.err


def test_a_chat_model_is_told_from_a_base_model(there: Path, gavel: Gavel) -> None:
    a_file(there, "return {'length': len(sample.response)}")
    gone = Rule(status=404, message="This is a chat model and not supported here.")
    with running_simulator(Script(rules=(gone,))) as simulator:
        ended = gavel(*flags(simulator, "--model-id", "simulated", "--model-type", "completions"))
    assert ended.code == 4
    assert "takes no plain completions there; if it is a chat model, set --model-type chat" in ended.err


@pytest.mark.usefixtures("there")
def test_an_endpoint_that_is_not_there_is_exit_code_4_and_leaves_no_run(gavel: Gavel) -> None:
    given = ["--model-url", "http://127.0.0.1:9", "--model-id", "m", "--output-dir", "out", "--max-retries", "0"]
    ended = gavel("byob", "bench.py", *given)
    assert ended.code == 4
    assert "the model under test" in ended.err
    assert not Path("out").exists()


def test_an_unset_key_of_a_judge_is_named(
    there: Path, gavel: Gavel, endpoint: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NVIDIA_API_KEY")
    ended = gavel(*flags(endpoint))
    assert (ended.code, "export NVIDIA_API_KEY=..." in ended.err) == (2, True)
    assert not (there / "out").exists()


def test_the_key_is_that_of_the_variable_named_and_without_one_none_is_sent(
    there: Path, gavel: Gavel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "mk-0123456789abcdef")
    a_file(there, "return {'length': len(sample.response)}")
    with running_simulator(Script(reply="x"), api_key="mk-0123456789abcdef") as simulator:
        ended = gavel(*flags(simulator, "--max-retries", "0"))
        assert (ended.code, "none is sent; name the variable that holds it" in ended.err) == (4, True)
        assert gavel(*flags(simulator, "--api-key-name", "MODEL_KEY")).code == 0
        monkeypatch.setenv("MODEL_KEY", "mk-wrong-89abcdef")
        ended = gavel(*flags(simulator, "--api-key-name", "MODEL_KEY", "--new-run"))
        assert (ended.code, "the key in MODEL_KEY" in ended.err) == (4, True)
        assert "mk-wrong" not in ended.err


def test_the_last_run_is_found_without_its_name(gavel: Gavel, endpoint: Simulator, there: Path) -> None:
    gavel(*flags(endpoint))
    assert there.joinpath("runs", "latest").exists()
    assert "qa_judge" in gavel("report").out


def test_responses_in_a_column_need_no_model(there: Path, gavel: Gavel, endpoint: Simulator) -> None:
    write_page(there, endpoint.url, rows=[{**row, "said": row["target"]} for row in ROWS])
    assert gavel("byob", "bench.py", "--response-field", "said", "--output-dir", "out").code == 0
    assert endpoint.requests == len(ROWS) + 1
    assert results_in(there / "out")["tasks"]["qa_judge"]["metrics"]["pass@1"]["scores"]["judge_score"]["value"] == 1.0


@pytest.mark.real_time
def test_an_interrupted_run_goes_on_where_it_stopped(there: Path) -> None:
    rows = [{"question": f"q{n}", "target": "x"} for n in range(60)]
    with running_simulator(Script(reply="GRADE: C", latency=0.05)) as simulator:
        write_page(there, simulator.url, rows=rows)
        command = [sys.executable, "-m", "gavelkit", *flags(simulator, "--parallelism", "4")]
        given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        first = subprocess.Popen(command, cwd=there, env=os.environ.copy(), **given)  # type: ignore[call-overload] # noqa: S603 - our own
        while simulator.requests < 20:
            with suppress(subprocess.TimeoutExpired):
                raise AssertionError(first.wait(timeout=0.02))
        first.send_signal(signal.SIGINT)
        _, told = first.communicate(timeout=30)
        assert (first.returncode, "to go on: gavel byob bench.py" in told) == (130, True)
        assert not (there / "out" / "qa_judge" / "byob_results.json").exists()
        paid = simulator.requests
        again = subprocess.run(command, cwd=there, env=os.environ.copy(), check=False, timeout=60, **given)  # type: ignore[call-overload] # noqa: S603 - our own
        assert again.returncode == 0
        assert simulator.requests <= 2 * len(rows) + 4
        assert simulator.requests > paid
    assert results_in(there / "out")["tasks"]["qa_judge"]["samples"]["scored"] == len(rows)
