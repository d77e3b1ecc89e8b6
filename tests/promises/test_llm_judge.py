"""The page of lm-evaluation-harness's llm_judge metric, promise by promise: `docs/promises.md` names each test here."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.pages import NO_NETWORK

from gavelkit.engines import Retrying
from gavelkit.simulator import Rule, Script, running_simulator
from gavelkit.simulator.server import HttpAnswer
from gavelkit.storage import open_reader

from .conftest import SAMPLES, SECRET, Bench, entry, failing, row_of, rows

LINE = ["idx", "score", "judgment_raw", "explanation", "formatted_prompt", "prediction", "reference", "error"]
EXAMPLE = {"score": 7.5, "accuracy": 8.0, "fluency": 7.0, "reasoning": "The main ideas are there."}
ANSWER = {"score": 6.5, "accuracy": 9.0, "fluency": 4.0, "reasoning": "It reads badly."}
FIELDS = {"options": ["a", "b"], "year": 1990, "source": {"page": 7}, "note": None}


def structured(**settings: Any) -> dict[str, Any]:
    return entry(response_format=EXAMPLE, **settings)


def by_row(prompt: str) -> str:
    return f"Score: {row_of(prompt)}" if "What is" in prompt else "OK"


# The judge and its prompt


def test_a_remote_model_scores_each_saved_response_and_the_mean_is_reported(bench: Bench) -> None:
    ended = bench.judge(data=4, answer=by_row)
    assert ended.code == 0, ended.err
    assert bench.scores == [0.0, 1.0, 2.0, 3.0]
    assert bench.results["results"] == {"geography": {"llm_judge": 1.5}}
    assert {request.path for request in bench.requests} == {"/v1/chat/completions"}
    assert [body["messages"][0]["role"] for body in bench.bodies] == ["user"] * 4
    assert [prompt.splitlines()[1] for prompt in bench.prompts] == [f"Answer: It is {n}." for n in range(4)]


def test_every_parameter_of_the_page_can_stand_in_the_task_file(bench: Bench) -> None:
    ended = bench.judge(
        entry(
            name="accuracy",
            api_key="dummy",
            temperature=0.7,
            max_tokens=64,
            concurrency=8,
            save_details=True,
            retry_attempts=5,
            retry_min_wait=2.0,
            retry_max_wait=120.0,
            max_error_rate=0.05,
            preflight_check=True,
            response_format=EXAMPLE,
            score_field="score",
        ),
        answer=json.dumps(ANSWER),
    )
    assert ended.code == 0, ended.err
    assert "no template uses" not in ended.err
    assert {(body["model"], body["temperature"], body["max_tokens"]) for body in bench.bodies} == {("judge-1", 0.7, 64)}


@pytest.mark.parametrize(
    ("template", "prompt"),
    [
        ("{{ prediction }}", "It is 0."),
        ("{{ reference }}", "gold 0"),
        ("{{ doc.question }}", "What is 0?"),
        ("{{ doc['question'] }} {{ doc.sentence_eng_Latn }}", "What is 0? English 0"),
        ("{{ doc.options[1] }} {{ doc.year + 1 }} {{ doc.source.page }} {{ doc.note is none }}", "b 1991 7 True"),
        ("{{ doc }}", json.dumps({**rows(1)[0]["doc"], **FIELDS})),
        ("{% if reference %}Reference: {{ reference }}\n{% endif %}Response", "Reference: gold 0\nResponse"),
        ("{% for name in doc %}{{ name }} {% endfor %}.", " ".join([*rows(1)[0]["doc"], *FIELDS, "."])),
    ],
)
def test_a_template_is_jinja_and_reads_the_document_the_prediction_and_the_reference(
    bench: Bench, template: str, prompt: str
) -> None:
    (row,) = rows(1)
    ended = bench.judge(entry(prompt_template=template), data=[{**row, "doc": {**row["doc"], **FIELDS}}])
    assert ended.code == 0, ended.err
    assert bench.prompts == [prompt]


def test_without_a_reference_its_part_of_the_template_is_left_out(bench: Bench) -> None:
    (row,) = rows(1)
    template = "{% if reference %}Reference: {{ reference }} {% endif %}Response: {{ prediction }}"
    bench.judge(entry(prompt_template=template), data=[{**row, "target": None}])
    assert bench.prompts == ["Response: It is 0."]
    assert bench.lines()[0]["reference"] is None


@pytest.mark.parametrize(
    ("template", "asked"),
    [
        (
            "Question: {{ doc.question }}\nReference: {{ reference }}\nPrediction: {{ prediction }}\nScore from 0-10:",
            "Question: What is 0?\nReference: gold 0\nPrediction: It is 0.\nScore from 0-10:",
        ),
        (
            "Source Text (English):\n{{ doc.sentence_eng_Latn }}\n\nModel Translation:\n{{ prediction }}\n",
            "Source Text (English):\nEnglish 0\n\nModel Translation:\nIt is 0.",
        ),
        ("Rate this text from 0-10:\n{{ prediction }}\n\nScore:", "Rate this text from 0-10:\nIt is 0.\n\nScore:"),
    ],
    ids=["with a reference", "a translation", "the prediction alone"],
)
def test_the_three_ways_of_the_page_to_evaluate(bench: Bench, template: str, asked: str) -> None:
    ended = bench.judge(entry(prompt_template=template), data=1)
    assert (ended.code, bench.prompts) == (0, [asked])
    assert bench.scores == [8.5]


def test_a_text_in_the_data_is_never_a_template(bench: Bench) -> None:
    (row,) = rows(1)
    bench.judge(entry(prompt_template="{{ prediction }}"), data=[{**row, "filtered_resps": ["{{ doc.question }}"]}])
    assert bench.prompts == ["{{ doc.question }}"]


def test_variables_of_the_metadata_choose_a_field_and_an_including_file_sets_them_anew(bench: Bench) -> None:
    base = {
        "metadata": {"extra_llm_judge_fields": {"source_field": "sentence_eng_Latn", "style": "Be strict."}},
        "metric_list": [entry(prompt_template="{{ style }} {{ doc[source_field] }}", api_base=None)],
    }
    (bench.folder.parent / "base.yaml").write_text(json.dumps(base))
    (bench.folder / "child.yaml").write_text(
        "include: ../base.yaml\ntask: geography\nmetadata:\n"
        "  extra_llm_judge_fields:\n    source_field: sentence_ara_Arab\n"
    )
    bench.judge(data=1)
    for file, prompt in (("child.yaml", "Be strict. Arabic 0"), ("../base.yaml", "Be strict. English 0")):
        checked = bench.gavel("check", file, "--data", SAMPLES, "--offline", "--json")
        assert checked.code == 0, checked.err
        assert checked.json["judges"][0]["first_prompt"]["messages"][0]["content"] == prompt


def test_a_variable_of_the_entry_wins_over_that_of_the_metadata(bench: Bench) -> None:
    bench.judge(
        entry(prompt_template="{{ tone }} {{ place }}", tone="kind"),
        data=1,
        metadata={"extra_llm_judge_fields": {"tone": "harsh", "place": "here"}},
    )
    assert bench.prompts == ["kind here"]


# What an entry holds


def test_entries_of_other_metrics_are_left_alone(bench: Bench) -> None:
    ended = bench.judge(
        {"metric": "exact_match", "aggregation": "mean"}, {"metric": "bleu"}, {"metric": "chrf"}, entry()
    )
    assert ended.code == 0
    assert list(bench.results["results"]["geography"]) == ["llm_judge"]


def test_a_task_without_an_entry_of_the_metric_is_refused(bench: Bench) -> None:
    ended = bench.judge(entry(metric="bleu"))
    assert (ended.code, bench.requests) == (2, [])
    assert "no entry with metric: llm_judge" in ended.err


def test_another_aggregation_is_refused(bench: Bench) -> None:
    ended = bench.judge(entry(aggregation="mean"))
    assert (ended.code, bench.requests) == (2, [])
    assert "aggregation must be llm_judge" in ended.err


def test_higher_is_better_is_kept_and_reported(bench: Bench) -> None:
    assert bench.judge(entry(higher_is_better=True)).json["judges"][0]["higher_is_better"] is True
    assert bench.judge(entry(higher_is_better=False)).json["judges"][0]["higher_is_better"] is False


def test_the_prompt_template_is_required(bench: Bench) -> None:
    ended = bench.judge(entry(prompt_template=None))
    assert (ended.code, bench.requests) == (2, [])
    assert "prompt_template is missing" in ended.err


def test_the_defaults_are_those_of_the_page(bench: Bench) -> None:
    bench.judge(entry(model=None))
    assert {(body["model"], body["temperature"], body["max_tokens"]) for body in bench.bodies} == {("gpt-4", 0.0, 1024)}
    assert len(bench.preflights) == 1
    assert bench.files == ["llm_judge_geography_gpt-4_<timestamp>.jsonl"]
    assert bench.results["config"]["judges"]["llm_judge"]["max_error_rate"] == 0.1


def test_the_default_address_is_openais(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NO_NETWORK.items():
        monkeypatch.setenv(name, value)
    ended = bench.judge(entry(api_base=None))
    assert ended.code == 4
    assert "calls go to https://api.openai.com/v1" in ended.err


# Names and the environment


def several() -> list[dict[str, Any]]:
    return [
        entry(name="accuracy", prompt_template="Is it right? {{ prediction }}", model="gpt-4"),
        {
            "metric": "llm_judge",
            "name": "fluency",
            "prompt_template": "Does it read well? {{ prediction }}",
            "model": "claude-haiku-4-5-20251001",
            "api_base": "URL",
        },
    ]


def test_several_judges_have_their_own_prompt_model_key_and_file(bench: Bench) -> None:
    scores = {"Is it right": 8.5, "Does it read well": 7.2, "Question: What is 0": 6.0}
    ended = bench.judge(
        *several(), entry(), answer=lambda prompt: f"Score: {scores.get(prompt.partition('?')[0])}", data=1
    )
    assert ended.code == 0, ended.err
    assert bench.results["results"]["geography"] == {
        "llm_judge_accuracy": 8.5,
        "llm_judge_fluency": 7.2,
        "llm_judge": 6.0,
    }
    assert bench.files == [
        "llm_judge_geography_accuracy_gpt-4_<timestamp>.jsonl",
        "llm_judge_geography_fluency_claude-haiku-4-5-20251001_<timestamp>.jsonl",
        "llm_judge_geography_judge-1_<timestamp>.jsonl",
    ]
    models = {(body["model"], body["messages"][0]["content"].partition("?")[0]) for body in bench.bodies}
    assert models == set(zip(("gpt-4", "claude-haiku-4-5-20251001", "judge-1"), scores, strict=True))


@pytest.mark.parametrize(
    ("setting", "variables", "model"),
    [
        (None, {}, "gpt-4"),
        (None, {"LLM_JUDGE_MODEL": "plain"}, "plain"),
        (None, {"LLM_JUDGE_MODEL": "plain", "LLM_JUDGE_ACCURACY_MODEL": "named"}, "named"),
        (None, {"LLM_JUDGE_FLUENCY_MODEL": "other"}, "gpt-4"),
        ("own", {"LLM_JUDGE_MODEL": "plain", "LLM_JUDGE_ACCURACY_MODEL": "named"}, "own"),
    ],
)
def test_the_model_is_the_files_then_the_named_variables_then_the_plain_ones(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, setting: str | None, variables: dict[str, str], model: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    bench.judge(entry(name="accuracy", model=setting))
    assert {body["model"] for body in bench.bodies} == {model}


@pytest.mark.parametrize(
    ("setting", "variables"),
    [
        (None, {"LLM_JUDGE_API_BASE": "URL"}),
        (None, {"LLM_JUDGE_API_BASE": "http://127.0.0.1:9/v1", "LLM_JUDGE_ACCURACY_API_BASE": "URL"}),
        (
            "URL",
            {"LLM_JUDGE_API_BASE": "http://127.0.0.1:9/v1", "LLM_JUDGE_ACCURACY_API_BASE": "http://127.0.0.1:9/v1"},
        ),
    ],
)
def test_the_address_is_the_files_then_the_named_variables_then_the_plain_ones(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, setting: str | None, variables: dict[str, str]
) -> None:
    with running_simulator(Script(reply="Score: 3")) as simulator:
        for name, value in variables.items():
            monkeypatch.setenv(name, value.replace("URL", simulator.url))
        base = None if setting is None else simulator.url
        ended = bench.judge(entry(name="accuracy", api_base=base, preflight_check=False))
    assert (ended.code, bench.scores) == (0, [3.0] * 3)
    assert simulator.requests == 3


@pytest.mark.parametrize(
    ("variables", "sent"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": "open"}, "Bearer open"),
        ({"OPENAI_API_KEY": "open", "LLM_JUDGE_API_KEY": "plain"}, "Bearer plain"),
        ({"LLM_JUDGE_API_KEY": "plain", "LLM_JUDGE_ACCURACY_API_KEY": "named"}, "Bearer named"),
        ({"LLM_JUDGE_API_KEY": "plain", "LLM_JUDGE_FLUENCY_API_KEY": "other"}, "Bearer plain"),
    ],
)
def test_the_key_is_that_of_the_named_variable_then_the_plain_one_then_openais(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], sent: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    bench.judge(entry(name="accuracy", api_key="dummy"))
    every = [*bench.preflights, *bench.requests]
    assert [request.headers.get("authorization") for request in every] == [sent] * 4


def test_a_key_in_the_file_is_refused_and_never_shown_or_written(bench: Bench) -> None:
    ended = bench.judge(entry(name="accuracy", api_key=SECRET))
    assert (ended.code, bench.requests, bench.preflights) == (2, [], [])
    assert "LLM_JUDGE_ACCURACY_API_KEY" in ended.err
    assert SECRET not in ended.err + ended.out
    assert not (bench.folder / "out").exists()


def test_a_key_of_the_environment_stands_in_no_file(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_JUDGE_API_KEY", SECRET)
    ended = bench.judge()
    assert {request.headers["authorization"] for request in bench.requests} == {f"Bearer {SECRET}"}
    assert SECRET not in ended.out + ended.err
    assert [path.name for path in (bench.folder / "out").iterdir() if SECRET.encode() in path.read_bytes()] == []


def test_openais_key_is_not_sent_to_another_host_and_the_message_says_what_to_export(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    ended = bench.judge(entry(api_base="https://litellm.example"))
    assert ended.code == 2
    assert "export LLM_JUDGE_API_KEY=" in ended.err


@pytest.mark.parametrize(
    ("base", "model"),
    [("URL", "meta-llama/Llama-3-70B-Instruct"), ("URL/", "claude-haiku-4-5-20251001"), ("ROOT", "llama3:70b")],
)
def test_custom_endpoints_need_a_base_url_a_model_and_no_key(bench: Bench, base: str, model: str) -> None:
    with running_simulator(Script(reply="Score: 4"), log=bench.folder / "log.jsonl") as simulator:
        own = simulator.url.removesuffix("/v1") if base == "ROOT" else base.replace("URL", simulator.url)
        ended = bench.judge(entry(api_base=own, model=model, api_key="dummy", concurrency=16))
    assert (ended.code, bench.results["results"]["geography"]["llm_judge"]) == (0, 4.0)
    asked = [json.loads(line) for line in (bench.folder / "log.jsonl").read_text().splitlines()]
    assert {(line["path"], line["model"]) for line in asked} == {("/v1/chat/completions", model)}
    (file,) = bench.files
    assert "meta-llama__Llama-3-70B-Instruct" in file or "/" not in model


def test_two_judges_of_one_name_are_refused(bench: Bench) -> None:
    ended = bench.judge(entry(name="accuracy"), entry(name="accuracy"))
    assert (ended.code, bench.requests) == (2, [])
    assert "two judges are called 'accuracy'" in ended.err


# Reading the reply


@pytest.mark.parametrize(
    ("reply", "score", "explanation"),
    [
        ("Score: 8.5\n\nThe response is accurate.\nAnd short.", 8.5, "The response is accurate.\nAnd short."),
        ("Score: 8.50", 8.5, ""),
        ("Score: 87", 87.0, ""),
        ("Score: -3\nBad.", -3.0, "Bad."),
        ("Score: 1200.25", 1200.25, ""),
        ("My view.\nScore: 4\nbecause", 4.0, "because"),
        ("Score: 4\nNo.\nScore: 9", 4.0, "No.\nScore: 9"),
    ],
)
def test_the_first_score_line_gives_the_score_whatever_its_range_and_the_rest_explains(
    bench: Bench, reply: str, score: float, explanation: str
) -> None:
    assert bench.judge(answer=reply, data=1).code == 0
    (line,) = bench.lines()
    assert (line["score"], line["explanation"], line["judgment_raw"], line["error"]) == (
        score,
        explanation,
        reply,
        None,
    )


@pytest.mark.parametrize("reply", ["no idea", "8", "Score: X.XX", "Score: high", "I would say 7 out of 10."])
def test_a_reply_without_a_score_is_missing_and_no_zero(bench: Bench, reply: str) -> None:
    bench.judge(entry(max_error_rate=1.0), answer=lambda prompt: reply if "is 1?" in prompt else "Score: 8", data=3)
    assert bench.scores == [8.0, None, 8.0]
    assert bench.results["results"]["geography"]["llm_judge"] == 8.0
    assert bench.lines()[1]["judgment_raw"] == reply
    assert bench.lines()[1]["error"].startswith("parse_error: ")


def test_where_no_score_is_found_at_all_the_mean_is_null(bench: Bench) -> None:
    bench.judge(entry(max_error_rate=1.0), answer="no idea")
    assert bench.results["results"]["geography"] == {"llm_judge": None}


# Structured answers


def test_the_example_becomes_a_strict_schema_that_is_sent(bench: Bench) -> None:
    example = {"score": 8, "details": {"clear": True, "notes": ["short"]}, "explanation": "Fine."}
    bench.judge(entry(response_format=example), answer='{"score": 8}', data=1)
    (body,) = bench.bodies
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["strict"] is True
    notes = {"type": "array", "items": {"type": "string"}}
    details = {
        "type": "object",
        "properties": {"clear": {"type": "boolean"}, "notes": notes},
        "required": ["clear", "notes"],
        "additionalProperties": False,
    }
    assert body["response_format"]["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"score": {"type": "number"}, "details": details, "explanation": {"type": "string"}},
        "required": ["score", "details", "explanation"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(("field", "score"), [(None, 6.5), ("score", 6.5), ("fluency", 4.0)])
def test_the_score_comes_from_its_field_and_the_whole_answer_is_kept(
    bench: Bench, field: str | None, score: float
) -> None:
    reply = json.dumps(ANSWER)
    assert bench.judge(structured(score_field=field), answer=reply, data=1).code == 0
    (line,) = bench.lines()
    assert (line["score"], line["judgment_parsed"], line["judgment_raw"]) == (score, ANSWER, reply)
    assert list(line) == ["judgment_parsed" if name == "explanation" else name for name in LINE]
    (judgment,) = (bench.folder / "out" / "judgments.jsonl").read_text().splitlines()
    assert json.loads(judgment)["judgment_parsed"] == ANSWER


def test_the_placeholder_shows_the_example_and_without_it_instructions_are_appended(bench: Bench) -> None:
    shown = json.dumps(EXAMPLE, indent=2)
    bench.judge(structured(prompt_template="Judge {{ prediction }} as\n{{ response_format }}\nnow."), data=1)
    assert bench.prompts == [f"Judge It is 0. as\n{shown}\nnow."]
    bench.judge(structured(prompt_template="Judge {{ prediction }}"), data=1, flags=["--new-run"])
    (prompt,) = bench.prompts
    assert prompt.startswith("Judge It is 0.\n\nAnswer with one JSON object")
    assert prompt.endswith(shown)


@pytest.mark.parametrize("reply", ['{"accuracy": 9}', '{"score": null}', '{"score": "good"}', '{"score": ', "Score: 8"])
def test_a_structured_answer_without_a_score_is_missing_and_no_zero(bench: Bench, reply: str) -> None:
    bench.judge(structured(max_error_rate=1.0), answer=reply, data=1)
    (line,) = bench.lines()
    assert list(line) == ["judgment_parsed" if name == "explanation" else name for name in LINE]
    assert (line["score"], line["judgment_parsed"], line["judgment_raw"]) == (None, None, reply)
    assert line["error"].startswith("parse_error: ")


def test_an_endpoint_that_ignores_the_schema_is_read_too(bench: Bench) -> None:
    assert bench.judge(structured(), answer=f"Here it is:\n```json\n{json.dumps(ANSWER)}\n```", data=1).code == 0
    assert bench.scores == [6.5]


# The files


def test_each_row_leaves_a_line_with_the_keys_of_the_page_in_order(bench: Bench) -> None:
    reply = "Score: 8.5\n\nThe answer is right."
    assert bench.judge(entry(prompt_template="Judge: {{ prediction }}"), answer=reply, data=2).code == 0
    assert [list(line) for line in bench.lines()] == [LINE, LINE]
    assert bench.lines()[1] == {
        "idx": 1,
        "score": 8.5,
        "judgment_raw": reply,
        "explanation": "The answer is right.",
        "formatted_prompt": "Judge: It is 1.",
        "prediction": "It is 1.",
        "reference": "gold 1",
        "error": None,
    }


def test_a_failed_call_leaves_its_line_too(bench: Bench) -> None:
    ended = bench.judge(
        entry(max_error_rate=1.0), answer=lambda prompt: failing(400) if "is 1?" in prompt else "Score: 8"
    )
    assert ended.code == 0
    line = bench.lines()[1]
    assert (line["idx"], line["score"], line["judgment_raw"]) == (1, None, None)
    assert line["error"].startswith("call_error: ")
    assert line["prediction"] == "It is 1."


@pytest.mark.parametrize("flag", ["-o", "--output_path", "--output-path"])
def test_the_output_path_is_where_everything_lies(bench: Bench, flag: str) -> None:
    bench.judge(flags=[flag, "out"])
    assert bench.files == ["llm_judge_geography_judge-1_<timestamp>.jsonl"]
    assert {"run.db", "results.json", "judgments.jsonl"} <= {path.name for path in (bench.folder / "out").iterdir()}


@pytest.mark.parametrize(("task", "named"), [("rivers", "rivers"), (None, "geography")])
def test_results_and_files_are_named_after_the_task_else_after_the_samples(
    bench: Bench, task: str | None, named: str
) -> None:
    bench.judge(task=task)
    assert list(bench.results["results"]) == [named]
    assert bench.files == [f"llm_judge_{named}_judge-1_<timestamp>.jsonl"]


def test_without_an_output_path_the_files_are_saved_all_the_same(bench: Bench) -> None:
    folder = Path(bench.judge(flags=[]).json["folder"])
    assert len(list(folder.glob("llm_judge_geography_judge-1_*.jsonl"))) == 1


@pytest.mark.parametrize(("saved", "files"), [(None, 1), (True, 1), (False, 0)])
def test_details_are_saved_unless_the_entry_says_otherwise(bench: Bench, saved: Any, files: int) -> None:
    bench.judge(entry(save_details=saved))
    assert len(bench.files) == files
    assert bench.results["results"]["geography"] == {"llm_judge": 8.5}


def test_a_folder_nobody_can_write_to_is_told(bench: Bench) -> None:
    (bench.folder / "taken").write_text("")
    ended = bench.judge(flags=["-o", "taken/out"])
    assert ended.code == 5
    assert "taken/out" in ended.err


# Calls that fail


@pytest.mark.real_time
@pytest.mark.parametrize(("setting", "most"), [(None, 32), (3, 3), (64, 64)])
def test_so_many_calls_are_in_flight_and_no_more(bench: Bench, setting: int | None, most: int) -> None:
    with running_simulator(Script(reply="Score: 5", latency=0.4)) as simulator:
        ended = bench.judge(entry(api_base=simulator.url, concurrency=setting, preflight_check=False), data=most + 1)
    assert (ended.code, simulator.max_in_flight) == (0, most)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_error_is_retried_three_times_with_growing_waits(bench: Bench, status: int) -> None:
    ended = bench.judge(entry(preflight_check=False, max_error_rate=1.0), answer=failing(status), data=1)
    assert ended.code == 0
    assert len(bench.requests) == 4
    assert bench.scores == [None]
    assert [1 <= wait <= longest for wait, longest in zip(bench.clock.waits, (2, 4, 8), strict=True)] == [True] * 3


def test_waits_grow_and_stay_between_their_two_ends(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavelkit.config.reaching.Retrying", partial(Retrying, spread=lambda: 1.0))
    settings = {"retry_attempts": 5, "retry_min_wait": 2.0, "retry_max_wait": 20.0}
    bench.judge(entry(preflight_check=False, **settings), answer=failing(503), data=1)
    assert len(bench.requests) == 6
    assert bench.clock.waits == [4.0, 8.0, 16.0, 20.0, 20.0]
    monkeypatch.setattr("gavelkit.config.reaching.Retrying", partial(Retrying, spread=lambda: 0.0))
    bench.judge(entry(preflight_check=False, **settings), answer=failing(503), data=1, flags=["--new-run"])
    assert bench.clock.waits[5:] == [2.0] * 5


def test_by_default_no_wait_is_longer_than_a_minute(bench: Bench) -> None:
    bench.judge(entry(preflight_check=False, retry_attempts=18), answer=failing(503), data=1)
    assert len(bench.clock.waits) == 18
    assert 30 < max(bench.clock.waits) <= 60


def test_a_call_that_succeeds_after_a_retry_counts(bench: Bench) -> None:
    tried: set[str] = set()

    def once(prompt: str) -> str | HttpAnswer:
        first = prompt not in tried
        tried.add(prompt)
        return failing(429) if first else "Score: 6"

    assert bench.judge(answer=once, data=2).code == 0
    assert bench.scores == [6.0, 6.0]
    assert (len(bench.requests), len(bench.preflights)) == (4, 2)


@pytest.mark.real_time
def test_a_timeout_is_retried(bench: Bench) -> None:
    (bench.folder / "answers.jsonl").write_text('{"question": "Q", "response": "A"}\n')
    with running_simulator(Script(reply="Score: 5", rules=(Rule(first=1, delay=30),))) as simulator:
        judge = {"name": "accuracy", "prompt_template": "{{ response }}", "api_base": simulator.url, "timeout": 0.3}
        written = {"data": "answers.jsonl", "judges": [judge], "run": {"preflight_check": False}}
        (bench.folder / "judge.yaml").write_text(json.dumps(written))
        ended = bench.gavel("run", "judge.yaml", "-o", "out", "--json")
    assert (ended.code, simulator.requests, len(bench.clock.waits)) == (0, 2, 1)
    assert ended.json["judges"][0]["counts"]["ok"] == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_an_error_that_will_not_pass_is_not_retried(bench: Bench, status: int) -> None:
    ended = bench.judge(entry(preflight_check=False, max_error_rate=1.0), answer=failing(status), data=1)
    assert (len(bench.requests), bench.clock.waits) == (1, [])
    assert ended.code == (4 if status in {401, 404} else 0)


@pytest.mark.parametrize(
    ("limit", "failed", "code"), [(None, 1, 0), (None, 2, 3), (0.5, 5, 0), (0.5, 6, 3), (1.0, 10, 0)]
)
def test_a_run_fails_where_more_calls_failed_than_allowed(
    bench: Bench, limit: float | None, failed: int, code: int
) -> None:
    ended = bench.judge(
        entry(max_error_rate=limit, preflight_check=False),
        answer=lambda prompt: failing(400) if row_of(prompt) < failed else "Score: 8",
        data=10,
    )
    assert ended.code == code, ended.err
    assert len(bench.lines()) == 10  # what was judged is written before the run fails
    assert bench.results["counts"]["geography"]["llm_judge"]["call_error"] == failed


def test_replies_that_cannot_be_read_count_as_failed(bench: Bench) -> None:
    ended = bench.judge(answer=lambda prompt: "no idea" if "is 1?" in prompt else "Score: 8", data=3)
    assert ended.code == 3
    assert "10.0% may" in ended.err
    assert bench.results["results"]["geography"]["llm_judge"] == 8.0


@pytest.mark.parametrize(
    ("answer", "others", "told"),
    [
        (failing(401), [], "the key is wrong"),
        (failing(403), [], "the key has no access"),
        (failing(404, "no such model"), [], "the model is wrong"),
        (
            "Score: 8",
            [entry(name="gone", model="judge-2", api_base="http://127.0.0.1:9/v1")],
            "the address is wrong, or nothing runs there",
        ),
    ],
)
def test_the_preflight_ends_a_run_before_anything_is_judged(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, answer: Any, others: list[dict[str, Any]], told: str
) -> None:
    monkeypatch.setenv("LLM_JUDGE_API_KEY", "wrong")
    ended = bench.judge(entry(), *others, answer=answer)
    assert (ended.code, bench.requests) == (4, [])
    assert len(bench.preflights) == 1
    assert told in ended.err


def test_the_preflight_tells_an_endpoint_that_is_not_there(bench: Bench) -> None:
    ended = bench.judge(entry(api_base="http://127.0.0.1:9/v1"))
    assert ended.code == 4
    assert "the address is wrong, or nothing runs there" in ended.err


def test_the_preflight_can_be_left_out(bench: Bench) -> None:
    assert bench.judge(entry(preflight_check=False)).code == 0
    assert (bench.preflights, len(bench.requests)) == ([], 3)


def _held(folder: Path) -> int:
    reader = open_reader(folder)
    try:
        return sum(1 for _ in reader.entries())
    finally:
        reader.close()


def test_what_came_before_a_run_broke_off_is_kept_and_not_paid_for_again(bench: Bench) -> None:
    one = entry(concurrency=1, preflight_check=False)
    kept: list[int] = []

    def breaks(prompt: str) -> str | HttpAnswer:
        kept.append(_held(bench.folder / "out"))  # what a crash would leave at this moment
        return by_row(prompt) if row_of(prompt) < 2 else failing(401)

    assert bench.judge(one, answer=breaks, data=4).code == 4
    assert kept == [0, 1, 2]
    assert bench.judge(one, answer=by_row, data=4).code == 0
    assert sorted(map(row_of, bench.prompts)) == [2, 3]
    assert bench.scores == [0.0, 1.0, 2.0, 3.0]


# Around it


def test_progress_is_told_on_stderr(bench: Bench) -> None:
    assert "3 of 3 judged" in bench.judge().err


def test_the_log_tells_each_call_and_the_reply_that_could_not_be_read(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGLEVEL", "DEBUG")
    lines = bench.judge(answer="no idea").err.splitlines()
    assert sum("parse_error" in line and "no idea" in line for line in lines if line.startswith("DEBUG")) == 3


def test_a_limit_judges_the_first_rows_alone(bench: Bench) -> None:
    bench.judge(data=12, answer=by_row, flags=["-o", "out", "--limit", "10"])
    assert bench.scores == [float(n) for n in range(10)]


def test_a_flag_names_a_cheaper_model_for_once(bench: Bench) -> None:
    bench.judge(flags=["-o", "out", "--model", "small"])
    assert {body["model"] for body in bench.bodies} == {"small"}


def test_the_price_is_estimated_before_anything_is_paid(bench: Bench) -> None:
    bench.judge(entry(model="gpt-4"))
    ended = bench.gavel("check", "task.yaml", "--data", SAMPLES, "--offline", "--json")
    assert ended.code == 0, ended.err
    (judge,) = ended.json["judges"]
    price = judge["price"]
    paid_for_prompts = judge["prompt_tokens_estimate"] * price["usd_per_million_prompt_tokens"]
    paid_for_replies = 3 * 1024 * price["usd_per_million_completion_tokens"]
    assert price["as_of"]
    assert min(paid_for_prompts, paid_for_replies) > 0
    assert ended.json["usd_at_most"] == pytest.approx((paid_for_prompts + paid_for_replies) / 1e6)


WITHOUT = """
import sys
for name in ("openai", "tenacity", "genson"):
    sys.modules[name] = None
from gavelkit.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_neither_openai_nor_tenacity_nor_genson_is_needed(bench: Bench) -> None:
    bench.judge(structured(), answer=json.dumps(ANSWER))
    with running_simulator() as simulator:
        command = ["run", "task.yaml", "--data", SAMPLES, "--api-base", simulator.url, "-o", "other"]
        ended = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", WITHOUT, *command], capture_output=True, text=True, timeout=60, check=False
        )
    assert ended.returncode == 0, ended.stderr
    assert simulator.requests == 4
