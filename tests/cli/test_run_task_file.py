"""`gavel run` on an lm-eval task file and the samples beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.makers import chat_answer, chat_body, endpoint, prompt_of

from gavelkit.simulator.server import HttpAnswer, HttpRequest

from .conftest import Gavel

BASE = """
metadata:
  extra_llm_judge_fields:
    source_field: sentence_eng_Latn
metric_list:
  - metric: bleu
  - metric: llm_judge
    prompt_template: |
      Source Text:
      {{ doc[source_field] }}

      Model Translation:
      {{ prediction }}
"""
TASK = """
include: ../flores200_base.yaml
task: flores200_ara
dataset_name: ara_Arab-eng_Latn
doc_to_target: !function utils.target
metadata:
  extra_llm_judge_fields:
    source_field: sentence_ara_Arab
"""
SAMPLES = "samples_flores200_ara_2025-01-02T03-04-05.123456.jsonl"


def samples(folder: Path, filters: tuple[str, ...] = ("none",)) -> None:
    rows = [
        {
            "doc_id": number,
            "doc": {"sentence_eng_Latn": f"English {number}", "sentence_ara_Arab": f"Arabic {number}"},
            "target": "t",
            "resps": [["raw"]],
            "filtered_resps": [f"Translation {number} by {name}"],
            "filter": name,
        }
        for name in filters
        for number in range(3)
    ]
    (folder / SAMPLES).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flores200_base.yaml").write_text(BASE)
    (tmp_path / "ara").mkdir()
    (tmp_path / "ara" / "task.yaml").write_text(TASK)
    samples(tmp_path)
    return tmp_path


def test_the_source_that_the_included_file_asks_for_is_the_one_that_is_judged(gavel: Gavel, there: Path) -> None:
    prompts: list[str] = []

    def handle(request: HttpRequest) -> HttpAnswer:
        prompts.append(prompt_of(request))
        return chat_answer(chat_body(f"Score: {8 + len(prompts) % 2}.5\nFine."))

    with endpoint(handle) as base:
        flags = ["--data", SAMPLES, "--api-base", base, "--concurrency", "1", "-o", "out"]
        ended = gavel("run", "ara/task.yaml", "--json", *flags)
    assert ended.code == 0, ended.err
    assert ended.json["judges"][0]["name"] == "llm_judge"
    assert ended.json["judges"][0]["counts"]["ok"] == 3
    judged = [prompt for prompt in prompts if "Source Text" in prompt]
    assert judged == [f"Source Text:\nArabic {n}\n\nModel Translation:\nTranslation {n} by none" for n in range(3)]
    assert f"calls go to {base}" in ended.err


def test_the_stored_replies_of_a_task_can_be_read_again(gavel: Gavel, there: Path) -> None:
    with endpoint(lambda _request: chat_answer(chat_body("Score: 8"))) as base:
        assert gavel("run", "ara/task.yaml", "--data", SAMPLES, "--api-base", base, "-o", "out", "--quiet").code == 0
    ended = gavel("reparse", "out", "--json")
    assert ended.code == 0
    assert ended.json["judges"][0]["counts"]["ok"] == 3


def test_without_samples_it_ends_with_two(gavel: Gavel, there: Path) -> None:
    ended = gavel("run", "ara/task.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert "ara/task.yaml: a task file holds no responses; pass the samples file" in ended.err
    assert "--data samples_flores200_ara_<time>.jsonl" in ended.err


def test_a_filter_can_be_picked(gavel: Gavel, there: Path) -> None:
    samples(there, ("strict", "flexible"))
    every = gavel("check", "ara/task.yaml", "--data", SAMPLES, "--offline")
    assert "6 judgments" in every.out
    assert f"{SAMPLES}: the samples come from several filters, and all are judged; --filter NAME picks one" in every.err
    picked = gavel("check", "ara/task.yaml", "--data", SAMPLES, "--offline", "--filter", "flexible")
    assert "3 judgments" in picked.out
    assert "Translation 0 by flexible" in picked.out
    assert "several filters" not in picked.err
    wrong = gavel("check", "ara/task.yaml", "--data", SAMPLES, "--offline", "--filter", "loose")
    assert wrong.code == 2
    assert "no row has the filter 'loose'; there are strict, flexible" in wrong.err


def test_another_filter_is_another_run(gavel: Gavel, there: Path) -> None:
    samples(there, ("strict", "flexible"))
    with endpoint(lambda _request: chat_answer(chat_body("Score: 8"))) as base:
        flags = ["--data", SAMPLES, "--api-base", base, "--json"]
        first = gavel("run", "ara/task.yaml", *flags, "--filter", "strict").json["folder"]
        assert gavel("run", "ara/task.yaml", *flags, "--filter", "flexible").json["folder"] != first
        ended = gavel("run", "ara/task.yaml", *flags, "--filter", "flexible", "-o", first)
    assert ended.code == 2
    assert '--filter: recorded "strict", now "flexible"' in ended.err


@pytest.mark.parametrize(
    "command",
    [
        ["run", "ara/task.yaml", "--data", SAMPLES],
        ["score", SAMPLES, "--judge", "score_0_10"],
        ["check", "ara/task.yaml", "--offline"],
    ],
)
def test_strict_refuses_a_key_over_plain_http(
    gavel: Gavel, there: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("LLM_JUDGE_API_KEY", "sk-secret-0123456789")
    if command[0] == "check":
        command = [*command, "--data", SAMPLES]
    ended = gavel(*command, "--api-base", "http://judge.example/v1", "--strict")
    assert (ended.code, ended.out) == (2, "")
    assert "the key goes to http://judge.example/v1 over plain http" in ended.err
    assert "--strict refuses it: use https" in ended.err
    assert "sk-secret" not in ended.err


def test_strict_minds_no_key_to_this_machine_and_no_call_without_one(
    gavel: Gavel, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["check", "ara/task.yaml", "--data", SAMPLES, "--offline", "--strict", "--api-base"]
    assert "--strict refuses" not in gavel(*command, "http://judge.example/v1").err
    monkeypatch.setenv("LLM_JUDGE_API_KEY", "sk-secret-0123456789")
    assert "--strict refuses" not in gavel(*command, "http://127.0.0.1:9/v1").err
