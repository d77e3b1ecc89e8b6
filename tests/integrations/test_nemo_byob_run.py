"""A benchmark from its rows to its results, against the simulated endpoint: what is asked, kept and counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.byob_files import KEY, PAGE, ROWS, a_file, predictions_in, results_in, write_page
from tests.makers import PREFLIGHT, chat_answer, chat_body, prompt_of
from tests.makers import endpoint as serving_at

from gavelkit.core.errors import ConfigError, RunFailed
from gavelkit.integrations.nemo_byob_load import load_benchmark
from gavelkit.integrations.nemo_byob_plan import Choices, Model
from gavelkit.integrations.nemo_byob_run import Outcome, run_benchmark
from gavelkit.simulator import Script, running_simulator
from gavelkit.simulator.running import Simulator
from gavelkit.simulator.script import Rule
from gavelkit.simulator.server import HttpAnswer, HttpRequest

ANSWERS = (
    Rule(match="Answer: What is the capital", reply="Paris"),
    Rule(match="Answer: How much", reply="5"),
    Rule(match="Answer: Who wrote", reply="Goethe"),
)
JUDGED = {"url": "URL", "model_id": "judge-a", "max_retries": 0}
PAGE_JUDGE = {"judge": JUDGED}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVIDIA_API_KEY", KEY)


@pytest.fixture
def endpoint() -> Iterator[Simulator]:
    with running_simulator(Script(rules=ANSWERS)) as simulator:
        yield simulator


def ran(file: Path, url: str, *, model_id: str = "m", **choices: Any) -> Outcome:
    """The benchmark of a file, run into the folder `out` beside it."""
    model = None if choices.get("response_field") else Model(url=url, model_id=model_id, max_retries=0)
    given = Choices(**{"max_error_rate": 1.0, **choices})
    return run_benchmark(load_benchmark(file), output_dir=file.parent / "out", model=model, choices=given)


def judges_at(url: str, *names: str) -> dict[str, dict[str, Any]]:
    return {f"judge{name}": {**JUDGED, "url": url, "model_id": f"judge-{name or 'a'}"} for name in names}


def test_the_pages_benchmark_is_answered_judged_and_written(tmp_path: Path, endpoint: Simulator) -> None:
    outcome = ran(write_page(tmp_path, endpoint.url), endpoint.url)
    scores = results_in(tmp_path / "out")["tasks"]["qa_judge"]["metrics"]["pass@1"]["scores"]
    assert outcome.folder == tmp_path / "out" / "qa_judge"
    assert list(scores) == ["judge_score"]
    assert scores["judge_score"]["value"] == 0.6667
    assert scores["judge_score"]["stats"] == {"count": 3, "mean": 0.6667, "stddev": 0.4714, "stderr": 0.2722}
    assert scores["judge_score"]["judged"] == {"count": 3, "failed": 0, "mean": 0.6667}
    assert [line["scores"]["judge_grade"] for line in predictions_in(tmp_path / "out")] == ["C", "I", "C"]


def test_a_line_of_the_predictions_says_all_of_a_sample(tmp_path: Path, endpoint: Simulator) -> None:
    ran(write_page(tmp_path, endpoint.url), endpoint.url)
    first, *_ = predictions_in(tmp_path / "out")
    assert list(first)[:8] == ["sample_id", "prompt", "response", "target", "scores", "status", "error", "metadata"]
    assert first | {"judge_replies": None} == {
        "sample_id": 0,
        "prompt": "Answer: What is the capital of France?",
        "response": "Paris",
        "target": "Paris",
        "scores": {"judge_score": 1.0, "judge_grade": "C"},
        "status": "scored",
        "error": None,
        "metadata": ROWS[0],
        "judge_replies": None,
    }
    assert first["judge_replies"]["judge"].endswith("GRADE: C")


def test_the_same_run_again_asks_nobody(tmp_path: Path, endpoint: Simulator) -> None:
    file = write_page(tmp_path, endpoint.url)
    first = ran(file, endpoint.url)
    asked = endpoint.requests
    assert asked == 2 * len(ROWS) + 2
    again = ran(file, endpoint.url)
    assert endpoint.requests == asked
    assert again.results.as_dict == first.results.as_dict


def test_an_edited_scorer_reads_the_stored_replies_again_and_pays_for_none(tmp_path: Path, endpoint: Simulator) -> None:
    file = write_page(tmp_path, endpoint.url)
    ran(file, endpoint.url)
    asked = endpoint.requests
    scored = 'criteria="Factual accuracy"'
    file.write_text(file.read_text().replace(scored, f'{scored}, score_mapping={{"C": 0.25, "I": 0.75}}'))
    ran(file, endpoint.url)
    assert endpoint.requests == asked
    assert [line["scores"]["judge_score"] for line in predictions_in(tmp_path / "out")] == [0.25, 0.75, 0.25]


def test_a_scorer_that_asks_otherwise_than_before_asks_only_its_judge(tmp_path: Path, endpoint: Simulator) -> None:
    file = write_page(tmp_path, endpoint.url)
    ran(file, endpoint.url)
    asked = endpoint.requests
    file.write_text(file.read_text().replace("Factual accuracy", "Brevity"))
    ran(file, endpoint.url)
    assert endpoint.requests == asked + len(ROWS) + 2  # two requests try the endpoint


@pytest.mark.parametrize(("old", "new"), [("Answer: {question}", "Reply: {question}"), ("llama-3.1", "llama-4")])
def test_another_prompt_or_judge_is_another_run(tmp_path: Path, endpoint: Simulator, old: str, new: str) -> None:
    file = write_page(tmp_path, endpoint.url)
    ran(file, endpoint.url)
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(ConfigError, match=r"--new-run"):
        ran(file, endpoint.url)
    assert ran(file, endpoint.url, new_run=True).folder == tmp_path / "out-2" / "qa_judge"


def test_a_judge_that_fails_counts_as_zero_and_is_counted_apart(tmp_path: Path) -> None:
    rules = (*ANSWERS, Rule(match="2 + 2", reply="Who knows?"), Rule(match="Faust", status=400))
    with running_simulator(Script(rules=rules)) as endpoint:
        outcome = ran(write_page(tmp_path, endpoint.url), endpoint.url)
    task = results_in(tmp_path / "out")["tasks"]["qa_judge"]
    assert task["metrics"]["pass@1"]["scores"]["judge_score"] == {
        "value": 0.3333,
        "stats": {"count": 3, "mean": 0.3333, "stddev": 0.4714, "stderr": 0.2722},
        "judged": {"count": 1, "failed": 2, "mean": 1.0},
    }
    assert task["judge_failures"] == {"judge": {"call_error": 1, "parse_error": 1}}
    assert task["samples"] == {"scored": 3, "judge_failed": 2}
    lines = predictions_in(tmp_path / "out")
    assert [(line["status"], line.get("judge_status")) for line in lines] == [
        ("scored", None),
        ("scored", "parse_error"),
        ("scored", "call_error"),
    ]
    assert lines[1]["judge_replies"] == {"judge": "Who knows?"}
    assert outcome.report.metric("qa_judge").value == 1.0


def test_a_failed_call_is_made_again_by_the_same_run_and_nothing_else_is(tmp_path: Path) -> None:
    rules = (*ANSWERS, Rule(match="Goethe", first=1, status=400))
    with running_simulator(Script(rules=rules)) as endpoint:
        file = write_page(tmp_path, endpoint.url)
        assert ran(file, endpoint.url).results.judge_failed == 1
        asked = endpoint.requests
        assert ran(file, endpoint.url).results.judge_failed == 0
        assert endpoint.requests == asked + 1 + 2  # two requests try the endpoint


def test_more_failures_than_may_be_raise_once_both_files_are_written(tmp_path: Path) -> None:
    with running_simulator(Script(rules=(*ANSWERS, Rule(match="Faust", reply="?")))) as endpoint:
        file = write_page(tmp_path, endpoint.url)
        with pytest.raises(RunFailed, match=r"33.3% of its judgments failed"):
            ran(file, endpoint.url, max_error_rate=0.1)
    assert len(predictions_in(tmp_path / "out")) == len(ROWS)
    assert results_in(tmp_path / "out")


def test_each_of_several_judges_is_asked_by_its_own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECOND_KEY", "key-of-the-second")
    asked: list[tuple[Any, ...]] = []

    def answer(request: HttpRequest) -> HttpAnswer:
        prompt, sent = prompt_of(request), json.loads(request.body)
        grade = "0.4" if "and a number" in prompt else "C" if "GRADE:" in prompt else ""
        if grade:
            settings = (sent[name] for name in ("model", "temperature", "top_p", "max_tokens"))
            asked.append((grade, request.headers.get("authorization"), *settings))
        return chat_answer(chat_body(f"GRADE: {grade}" if grade else "Paris"))

    body = (
        "a = judge_score(sample, template='binary_qa')\n"
        "    text = 'Rate {response} by {reference}. Say GRADE: and a number.'\n"
        "    b, c = (judge_score(sample, template=text, judge_key=key) for key in ('judge_1', 'judge_2'))\n"
        "    return {**a, 'quality': b['judge_score'], 'style': c['judge_score']}"
    )
    with serving_at(answer) as url:
        first = {**JUDGED, "url": url, "api_key": "NVIDIA_API_KEY"}
        second = {**first, "api_key": "SECOND_KEY", "temperature": 0.5, "max_new_tokens": 64}
        judges = {"judge": first, "judge_1": second, "judge_2": {**first, "model_id": "judge-b"}}
        ran(a_file(tmp_path, body, extra=judges), url)
    (task,) = results_in(tmp_path / "out", "qa")["tasks"].values()
    scores = task["metrics"]["pass@1"]["scores"]
    values = {name: found["value"] for name, found in scores.items()}
    assert values == {"judge_score": 1.0, "quality": 0.4, "style": 0.4}
    assert {each: asked.count(each) for each in asked} == {
        ("C", f"Bearer {KEY}", "judge-a", 0.0, 1.0, 4096): 3,
        ("0.4", "Bearer key-of-the-second", "judge-a", 0.5, 1.0, 64): 3,
        ("0.4", f"Bearer {KEY}", "judge-b", 0.0, 1.0, 4096): 3,
    }


def test_a_second_judges_failure_is_no_zero_of_a_good_sample(tmp_path: Path) -> None:
    body = (
        "a = judge_score(sample, template='binary_qa')\n"
        "    b = judge_score(sample, template='Rate {response}.', judge_key='judge_1')\n"
        "    return {**a, 'quality': b['judge_score']}"
    )
    with running_simulator(
        Script(rules=(*ANSWERS, Rule(match="Rate 5", reply="?"), Rule(match="Rate", reply="GRADE: 1")))
    ) as endpoint:
        ran(a_file(tmp_path, body, extra=judges_at(endpoint.url, "", "_1")), endpoint.url)
    (task,) = results_in(tmp_path / "out", "qa")["tasks"].values()
    assert task["judge_failures"] == {"judge_1": {"parse_error": 1}}
    assert task["metrics"]["pass@1"]["scores"]["quality"]["judged"] == {"count": 2, "failed": 1, "mean": 1.0}


def test_only_the_judge_without_a_grade_is_asked_again(tmp_path: Path) -> None:
    asked: list[str] = []
    unread = {"Rate 5."}

    def answer(request: HttpRequest) -> HttpAnswer:
        prompt, model = prompt_of(request), json.loads(request.body)["model"]
        if prompt != PREFLIGHT:
            asked.append(model)
        said = "5" if prompt.startswith("Answer: How") else "Paris" if model == "m" else "GRADE: 1"
        return chat_answer(chat_body("Who knows?" if prompt in unread else said))

    body = (
        "a = judge_score(sample, template='Grade {response}.')\n"
        "    b = judge_score(sample, template='Rate {response}.', judge_key='judge_1')\n"
        "    return {**a, 'quality': b['judge_score']}"
    )
    with serving_at(answer) as url:
        file = a_file(tmp_path, body, extra=judges_at(url, "", "_1"))
        first = ran(file, url).results
        unread.clear()
        asked.clear()
        assert ran(file, url).results.judge_failures == {"judge_1": {"parse_error": 1}}
        assert asked == []
        again = ran(file, url, retry_errors=True).results
    assert first.judge_failures == {"judge_1": {"parse_error": 1}}
    assert again.judge_failures == {}
    assert asked == ["judge-_1"]


def test_responses_that_stand_in_a_column_are_judged_without_a_model(tmp_path: Path, endpoint: Simulator) -> None:
    rows = [{**row, "said": row["target"]} for row in ROWS[:2]] + [dict(ROWS[2])]
    file = write_page(tmp_path, endpoint.url, rows=rows)
    ran(file, endpoint.url, response_field="said")
    assert endpoint.requests == 2 + 1
    lines = predictions_in(tmp_path / "out")
    assert [line["status"] for line in lines] == ["scored", "scored", "skipped_missing_field"]
    assert [line["response"] for line in lines] == ["Paris", "4", None]
    assert "'said'" in lines[2]["error"]


def test_a_row_without_a_field_of_the_prompt_is_skipped_alone(tmp_path: Path, endpoint: Simulator) -> None:
    rows = [ROWS[0], {"target": "4"}, ROWS[2]]
    file = write_page(tmp_path, endpoint.url, rows=rows)
    outcome = ran(file, endpoint.url)
    lines = predictions_in(tmp_path / "out")
    assert [line["status"] for line in lines] == ["scored", "skipped_missing_field", "scored"]
    assert (lines[1]["prompt"], lines[1]["response"], lines[1]["scores"]) == ("", None, None)
    assert "question" in lines[1]["error"]
    assert outcome.results.skipped == 1
    with pytest.raises(RunFailed, match=r"1 of 3 samples were skipped"):
        ran(file, endpoint.url, fail_on_skip=True)


def test_a_model_that_fails_and_a_scorer_that_raises_are_told_apart(tmp_path: Path) -> None:
    with running_simulator(Script(rules=(Rule(match="Answer: Who", status=400), *ANSWERS))) as endpoint:
        file = a_file(tmp_path, "return {'length': len(sample.response) / (sample.response != '5')}")
        ran(file, endpoint.url)
    lines = predictions_in(tmp_path / "out", "qa")
    assert [line["status"] for line in lines] == ["scored", "skipped_scorer_error", "skipped_model_error"]
    assert "ZeroDivisionError" in lines[1]["error"]
    assert (lines[1]["response"], lines[2]["response"]) == ("5", None)
    assert results_in(tmp_path / "out", "qa")["tasks"]["qa"]["metrics"]["pass@1"]["scores"]["length"]["value"] == 5


def test_nothing_scored_leaves_empty_results(tmp_path: Path, endpoint: Simulator) -> None:
    ran(a_file(tmp_path, "raise ValueError"), endpoint.url)
    assert results_in(tmp_path / "out", "qa") == {}


def test_repeats_are_asked_each_and_told_apart(tmp_path: Path, endpoint: Simulator) -> None:
    ran(write_page(tmp_path, endpoint.url), endpoint.url, n_repeats=2)
    lines = predictions_in(tmp_path / "out")
    assert [(line["sample_id"], line["repeat"]) for line in lines] == [(n, r) for n in range(3) for r in range(2)]
    assert endpoint.requests == 2 * 2 * len(ROWS) + 2
    assert results_in(tmp_path / "out")["tasks"]["qa_judge"]["samples"]["scored"] == 6


def test_a_limit_takes_the_first_rows_and_without_it_the_run_goes_on(tmp_path: Path, endpoint: Simulator) -> None:
    file = write_page(tmp_path, endpoint.url)
    ran(file, endpoint.url, limit=1)
    assert len(predictions_in(tmp_path / "out")) == 1
    asked = endpoint.requests
    ran(file, endpoint.url)
    assert endpoint.requests == asked + 2 * 2 + 2
    assert len(predictions_in(tmp_path / "out")) == 3


def test_a_scorer_may_ask_the_model_under_test_itself(tmp_path: Path, endpoint: Simulator) -> None:
    body = "return {'same': sample.model_call_fn('Answer: Who wrote it?') == sample.response}"
    ran(a_file(tmp_path, body), endpoint.url)
    lines = predictions_in(tmp_path / "out", "qa")
    assert [line["scores"] for line in lines] == [{"same": False}, {"same": False}, {"same": True}]
    asked = endpoint.requests
    ran(tmp_path / "bench.py", endpoint.url)
    assert endpoint.requests == asked


def test_a_session_of_the_users_own_is_left_to_its_user(tmp_path: Path, endpoint: Simulator) -> None:
    body = "return judge_score(sample)"
    file = a_file(tmp_path, body, extra=judges_at(endpoint.url, ""))
    mine = (
        "\nclass Mine:\n    def post(self, url, *, json, headers, timeout):\n        raise OSError('mine')\n\n"
        "score._benchmark_definition.extra['_judge_session'] = Mine()\n"
    )
    file.write_text(file.read_text() + mine)
    ran(file, endpoint.url)
    assert {line["judge_error"] for line in predictions_in(tmp_path / "out", "qa")} == {"mine"}


def test_threads_of_the_scorers_own_are_recorded_too(tmp_path: Path, endpoint: Simulator) -> None:
    body = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "    with ThreadPoolExecutor() as pool:\n"
        "        a, b = pool.map(lambda key: judge_score(sample, judge_key=key), ['judge', 'judge_1'])\n"
        "    return {**a, 'second': b['judge_score']}"
    )
    file = a_file(tmp_path, body, extra=judges_at(endpoint.url, "", "_1"))
    ran(file, endpoint.url)
    asked = endpoint.requests
    assert asked == 3 * len(ROWS) + 3
    file.write_text(file.read_text() + "# edited\n")
    ran(file, endpoint.url)
    assert endpoint.requests == asked
    assert [sorted(line["judge_replies"]) for line in predictions_in(tmp_path / "out", "qa")] == [
        ["judge", "judge_1"]
    ] * 3


def test_a_scorer_that_changes_its_row_changes_no_other_sample(tmp_path: Path, endpoint: Simulator) -> None:
    ran(a_file(tmp_path, "return {'n': len(sample.metadata.pop('question'))}"), endpoint.url, n_repeats=2)
    assert {line["status"] for line in predictions_in(tmp_path / "out", "qa")} == {"scored"}


def test_no_file_holds_the_key(tmp_path: Path, endpoint: Simulator) -> None:
    ran(write_page(tmp_path, endpoint.url, PAGE), endpoint.url)
    assert [
        path for path in (tmp_path / "out").rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()
    ] == []


def test_the_judges_ceiling_holds(tmp_path: Path) -> None:
    rows = [{"question": f"q{n}", "target": "x"} for n in range(12)]
    rules = (Rule(match="Answer: ", reply="said"), Rule(reply="GRADE: C", delay=0.02))
    with running_simulator(Script(rules=rules)) as endpoint:
        judges = {"judge": {**JUDGED, "url": endpoint.url, "parallelism": 2}}
        write_page(tmp_path, endpoint.url, rows=rows)
        ran(a_file(tmp_path, "return judge_score(sample)", extra=judges), endpoint.url)
        assert endpoint.requests == 2 * len(rows) + 2
        assert endpoint.max_in_flight <= 2 + 1


def test_the_last_row_of_a_prompt_that_no_row_can_fill_is_refused_before_anything(
    tmp_path: Path, endpoint: Simulator
) -> None:
    file = write_page(tmp_path, endpoint.url, PAGE.replace("{question}", "{qestion}"))
    with pytest.raises(Exception, match=r"no row has what is asked for: .*qa.jsonl:1: prompt: .*did you mean question"):
        ran(file, endpoint.url)
    assert endpoint.requests == 0
