"""lm-eval's task files: what becomes a judge, what is included, what is ignored, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gavelkit.config import Flags, Surroundings, read_configuration, read_file
from gavelkit.config.environment import Environment
from gavelkit.config.schema import JUDGE
from gavelkit.config.task_file import SETTINGS
from gavelkit.core.errors import ConfigError, TemplateError
from gavelkit.core.event import Event, Noticed, ignore
from gavelkit.core.limits import Limits
from gavelkit.judges import Direct
from gavelkit.parsing import ScoreFirstParser

TEMPLATE = "Q: {{ doc.question }}\nA: {{ prediction }}\nScore:"
ROW = {"doc_id": 0, "doc": {"question": "q", "en": "Hi", "ar": "Marhaba"}, "target": "t", "filtered_resps": ["Hello"]}


def entry(**settings: Any) -> dict[str, Any]:
    return {"metric": "llm_judge", "prompt_template": TEMPLATE, **settings}


def put(path: Path, given: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(given if isinstance(given, str) else yaml.safe_dump(given), encoding="utf-8")
    return path


def task(folder: Path, *entries: Any, **keys: Any) -> Path:
    return put(folder / "task.yaml", {"task": "mytask", "metric_list": list(entries), **keys})


def samples(folder: Path) -> Path:
    file = folder / "samples_mytask_2025-01-02T03-04-05.123456.jsonl"
    file.write_text(json.dumps(ROW) + "\n")
    return file


def read(file: Path, variables: dict[str, str] | None = None, *, events: list[Event] | None = None) -> Any:
    surroundings = Surroundings(Environment(variables or {}), observe=ignore if events is None else events.append)
    return read_configuration(file, surroundings, flags=Flags({"data": str(samples(file.parent))}, {}))


def judges(file: Path, variables: dict[str, str] | None = None) -> tuple[Direct, ...]:
    made: tuple[Direct, ...] = read(file, variables).judges
    return made


def refusal(file: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        read(file)
    return str(caught.value).removeprefix(f"{file}: ")


def prompt(file: Path) -> str:
    made = read(file)
    (example,) = made.source.examples()
    return str(made.judges[0].prompt.messages(example, "")[0].content)


def test_an_entry_is_a_judge_with_every_default_of_llm_judge(tmp_path: Path) -> None:
    (judge,) = judges(task(tmp_path, entry(aggregation="llm_judge", higher_is_better=True)))
    assert judge.name == "llm_judge"
    assert judge.parameters.model == "gpt-4"
    assert judge.parameters.values == {"temperature": 0.0, "max_tokens": 1024}
    assert judge.limits == Limits(32, 0.1)
    assert isinstance(judge.parser, ScoreFirstParser)
    assert judge.criterion.scale is None
    assert judge.criterion.higher_is_better
    assert judge.save_details
    assert judge.probes[0].wanted
    defaults = {setting.name: setting.default for setting in JUDGE}
    assert (defaults["retry_attempts"], defaults["retry_min_wait"], defaults["retry_max_wait"]) == (3, 1.0, 60.0)


def test_every_setting_of_an_entry_is_obeyed(tmp_path: Path) -> None:
    file = task(
        tmp_path,
        entry(
            name="accuracy",
            api_base="http://localhost:8000/v1",
            api_key="dummy",
            model="m",
            temperature=0.5,
            max_tokens=7,
            concurrency=16,
            save_details=False,
            retry_attempts=5,
            retry_min_wait=2.0,
            retry_max_wait=120.0,
            max_error_rate=0.05,
            preflight_check=False,
            higher_is_better=False,
            hf_evaluate=False,
        ),
    )
    made = read(file)
    (judge,) = made.judges
    assert (judge.name, judge.parameters.model) == ("accuracy", "m")
    assert judge.parameters.values == {"temperature": 0.5, "max_tokens": 7}
    assert judge.limits == Limits(16, 0.05)
    assert not judge.criterion.higher_is_better
    assert not judge.save_details
    assert [(probe.api_base, probe.wanted) for probe in judge.probes] == [("http://localhost:8000/v1", False)]
    (given,) = read_file(file)["judges"]
    assert (given["retry_attempts"], given["retry_min_wait"], given["retry_max_wait"]) == (5, 2.0, 120.0)


def test_every_setting_of_an_entry_is_one_of_a_judge() -> None:
    assert {setting.name for setting in JUDGE} >= SETTINGS


def test_several_named_judges_stand_side_by_side(tmp_path: Path) -> None:
    file = task(tmp_path, entry(name="accuracy", model="a"), {"metric": "bleu"}, entry(name="fluency", model="b"))
    assert [(judge.name, judge.parameters.model) for judge in judges(file)] == [("accuracy", "a"), ("fluency", "b")]


def test_a_named_judge_is_told_apart_from_the_one_without_a_name(tmp_path: Path) -> None:
    assert [judge.named for judge in judges(task(tmp_path, entry(), entry(name="fluency")))] == [False, True]


def test_variables_of_the_environment_stand_below_the_file(tmp_path: Path) -> None:
    file = task(tmp_path, entry(name="accuracy"), entry(name="fluency", model="own"), entry())
    variables = {"LLM_JUDGE_ACCURACY_MODEL": "a", "LLM_JUDGE_FLUENCY_MODEL": "b", "LLM_JUDGE_MODEL": "all"}
    assert [judge.parameters.model for judge in judges(file, variables)] == ["a", "own", "all"]


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    flags = Flags({"data": str(samples(tmp_path)), "concurrency": 2, "limit": 1}, {"model": "flag"})
    made = read_configuration(task(tmp_path, entry(model="own")), Surroundings(Environment({})), flags=flags)
    assert (made.judges[0].parameters.model, made.judges[0].limits.concurrency, made.run.limit) == ("flag", 2, 1)


def test_the_data_is_called_by_the_task(tmp_path: Path) -> None:
    assert read(task(tmp_path, entry(), task="other")).source.name == "other"
    assert read(put(tmp_path / "base.yaml", {"metric_list": [entry()]})).source.name == "mytask"


def test_other_metrics_and_unknown_keys_are_ignored(tmp_path: Path) -> None:
    keys = {"dataset_name": "x", "output_type": "generate_until", "generation_kwargs": {"until": []}, "num_fewshot": 0}
    file = task(tmp_path, {"metric": "exact_match", "aggregation": "mean", "regexes_to_ignore": [","]}, entry(), **keys)
    assert [judge.name for judge in judges(file)] == ["llm_judge"]


def test_an_answer_in_a_form_is_read_as_json(tmp_path: Path) -> None:
    (given,) = read_file(task(tmp_path, entry(response_format={"score": 8.5}, score_field="score")))["judges"]
    assert "parser" not in given  # so that the form decides
    assert (given["response_format"], given["score_field"]) == ({"score": 8.5}, "score")


# Custom variables


def test_other_keys_of_an_entry_are_variables(tmp_path: Path) -> None:
    file = task(tmp_path, entry(prompt_template="{{ style }} {{ prediction }}", style="Be terse."))
    assert prompt(file) == "Be terse. Hello"


def test_variables_of_the_metadata_stand_below_the_entrys_own(tmp_path: Path) -> None:
    metadata = {"extra_llm_judge_fields": {"a": "shared", "b": "shared"}}
    file = task(tmp_path, entry(prompt_template="{{ a }} {{ b }}", b="own"), metadata=metadata)
    assert prompt(file) == "shared own"


def test_a_variable_that_no_template_uses_warns_and_names_the_setting_that_may_be_meant(tmp_path: Path) -> None:
    events: list[Event] = []
    read(task(tmp_path, entry(concurency=3), metadata={"extra_llm_judge_fields": {"unused": 1}}), events=events)
    (event,) = events
    assert isinstance(event, Noticed)
    assert "no template uses the variable 'concurency'; is the setting concurrency meant?" in event.message


@pytest.mark.parametrize("name", ["prediction", "reference", "doc"])
@pytest.mark.parametrize("shared", [True, False])
def test_a_variable_may_not_hide_what_has_a_meaning(tmp_path: Path, name: str, shared: bool) -> None:  # noqa: FBT001 - a parameter of the test
    file = (
        task(tmp_path, entry(), metadata={"extra_llm_judge_fields": {name: "x"}})
        if shared
        else task(tmp_path, entry(**{name: "x"}))
    )
    assert f"the variable {name!r} has a meaning of its own" in refusal(file)


# include


BASE = {
    "metadata": {"version": 1.0, "extra_llm_judge_fields": {"source_field": "en", "style": "terse"}},
    "metric_list": [entry(prompt_template="{{ style }}: {{ doc[source_field] }} -> {{ prediction }}")],
}


def test_one_variable_of_an_included_file_can_be_set_anew(tmp_path: Path) -> None:
    put(tmp_path / "base.yaml", BASE)
    own = {"include": "../base.yaml", "metadata": {"extra_llm_judge_fields": {"source_field": "ar"}}}
    assert prompt(put(tmp_path / "ar" / "task.yaml", own)) == "terse: Marhaba -> Hello"
    assert prompt(put(tmp_path / "en" / "task.yaml", {"include": "../base.yaml"})) == "terse: Hi -> Hello"


def test_the_including_file_wins_key_by_key(tmp_path: Path) -> None:
    put(tmp_path / "base.yaml", {**BASE, "task": "base"})
    own = {"include": "base.yaml", "task": "own", "metric_list": [entry(name="own")]}
    made = read(put(tmp_path / "task.yaml", own))
    assert (made.source.name, [judge.name for judge in made.judges]) == ("own", ["own"])


def test_of_several_included_files_the_first_wins(tmp_path: Path) -> None:
    put(tmp_path / "a.yaml", {"metric_list": [entry(name="a")]})
    put(tmp_path / "b.yaml", {"metric_list": [entry(name="b")], "task": "of_b"})
    made = read(put(tmp_path / "task.yaml", {"include": ["a.yaml", "b.yaml"]}))
    assert (made.source.name, [judge.name for judge in made.judges]) == ("of_b", ["a"])


def test_an_included_file_includes_relative_to_itself(tmp_path: Path) -> None:
    put(tmp_path / "deep" / "base.yaml", BASE)
    put(tmp_path / "deep" / "middle.yaml", {"include": "base.yaml"})
    assert prompt(put(tmp_path / "task.yaml", {"include": "deep/middle.yaml"})) == "terse: Hi -> Hello"


def test_a_file_may_be_included_twice_and_never_in_a_circle(tmp_path: Path) -> None:
    put(tmp_path / "base.yaml", BASE)
    put(tmp_path / "a.yaml", {"include": "base.yaml"})
    put(tmp_path / "b.yaml", {"include": "base.yaml"})
    assert prompt(put(tmp_path / "task.yaml", {"include": ["a.yaml", "b.yaml"]})) == "terse: Hi -> Hello"
    put(tmp_path / "a.yaml", {"include": "task.yaml"})
    with pytest.raises(ConfigError, match=r"include goes in a circle: task\.yaml -> a\.yaml -> task\.yaml"):
        read(tmp_path / "task.yaml")


def test_a_file_that_includes_itself_is_a_circle(tmp_path: Path) -> None:
    file = put(tmp_path / "task.yaml", {"include": "task.yaml"})
    assert refusal(file) == "include goes in a circle: task.yaml -> task.yaml"


def test_an_endless_chain_of_files_ends(tmp_path: Path) -> None:
    for number in range(120):
        put(tmp_path / f"{number}.yaml", {"include": f"{number + 1}.yaml"})
    with pytest.raises(ConfigError, match="more than 100 files are included"):
        read(tmp_path / "0.yaml")


def test_an_included_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = put(tmp_path / "task.yaml", {"include": "none.yaml"})
    with pytest.raises(ConfigError) as caught:
        read(file)
    assert str(caught.value) == (
        f"{tmp_path / 'none.yaml'}: cannot be read: No such file or directory "
        "(include is relative to the file it stands in)"
    )


# Tags


def test_no_function_is_ever_run_and_its_value_is_left_out(tmp_path: Path) -> None:
    put(tmp_path / "utils.py", f"open({str(tmp_path / 'ran')!r}, 'w')\ndef target(doc): raise SystemExit\n")
    text = """
task: mytask
doc_to_target: !function utils.target
process_docs: !!python/name:os.system
nested: [!function utils.a, {x: !other y}]
evil: !!python/object/apply:os.system ["touch ran"]
metric_list:
  - metric: !function utils.metric
  - metric: llm_judge
    aggregation: !function utils.aggregation
    prompt_template: "{{ prediction }}"
"""
    assert prompt(put(tmp_path / "task.yaml", text)) == "Hello"
    assert not (tmp_path / "ran").exists()


def test_in_an_ordinary_configuration_a_tag_is_refused(tmp_path: Path) -> None:
    file = put(tmp_path / "conf.yaml", "data: !function x.y\njudges: [{preset: score_0_10}]\n")
    assert "could not determine a constructor for the tag '!function'" in refusal(file)


# Data


def test_a_task_file_alone_says_which_file_to_pass(tmp_path: Path) -> None:
    file = task(tmp_path, entry(), dataset_path="gsm8k")
    with pytest.raises(ConfigError) as caught:
        read_configuration(file, Surroundings(Environment({})))
    assert str(caught.value) == (
        f"{file}: a task file holds no responses; pass the samples file that lm-eval wrote with --log_samples: "
        "--data samples_mytask_<time>.jsonl"
    )
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "files",
    ["rows.jsonl", ["rows.jsonl"], {"test": "rows.jsonl", "train": "none.jsonl"}],
)
def test_local_data_with_responses_is_used(tmp_path: Path, files: object) -> None:
    (tmp_path / "rows.jsonl").write_text('{"question": "q", "response": "r"}\n')
    kwargs = {"dataset_path": "json", "dataset_kwargs": {"data_files": files}, "test_split": "test"}
    made = read_configuration(task(tmp_path, entry(), **kwargs), Surroundings(Environment({})))
    assert [each.responses[""] for each in made.source.examples()] == ["r"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('{"question": "q"}\n', {}),
        ("no json", {}),
        ("", {}),
        ('{"response": "r"}\n', {"dataset_path": "somewhere/else"}),
        ('{"response": "r"}\n', {"dataset_kwargs": {"data_files": "https://example.com/rows.jsonl"}}),
        ('{"response": "r"}\n', {"dataset_kwargs": {"data_files": ["rows.jsonl", "more.jsonl"]}}),
        ('{"response": "r"}\n', {"dataset_kwargs": {"data_files": {"train": "rows.jsonl"}}}),
        ('{"response": "r"}\n', {"dataset_kwargs": None}),
    ],
)
def test_other_data_needs_the_samples_file(tmp_path: Path, text: str, keys: dict[str, Any]) -> None:
    (tmp_path / "rows.jsonl").write_text(text)
    given = {"dataset_path": "json", "dataset_kwargs": {"data_files": "rows.jsonl"}, **keys}
    with pytest.raises(ConfigError, match="pass the samples file"):
        read_configuration(task(tmp_path, entry(), **given), Surroundings(Environment({})))


# What is refused


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"metric_list": None}, "metric_list has no entry with metric: llm_judge"),
        ({"metric_list": [{"metric": "bleu"}]}, "metric_list has no entry with metric: llm_judge"),
        ({"metric_list": "llm_judge"}, "metric_list must be a list of mappings, each with its metric"),
        ({"metric_list": ["llm_judge"]}, "metric_list must be a list of mappings, each with its metric"),
        ({"metric_list": [{"metric": "llm_judge"}]}, "metric_list[1]: prompt_template is missing"),
        ({"metric_list": [entry(aggregation="mean")]}, "metric_list[1]: aggregation must be llm_judge, not 'mean'"),
        (
            {"metric_list": [{"metric": "bleu"}, entry(temperature="hot")]},
            "metric_list[2]: temperature must be a number from 0 up, not 'hot'",
        ),
        ({"metric_list": [entry(concurrency=0)]}, "metric_list[1]: concurrency must be a whole number from 1 up"),
        ({"metric_list": [entry(), entry()]}, "two judges are called 'llm_judge' and 'llm_judge'"),
        ({"metric_list": [entry(name="a b"), entry(name="a-b")]}, "two judges are called 'a b' and 'a-b'"),
        ({"metric_list": [entry(name="v1.0")]}, "the judge's name 'v1.0' holds ."),
        ({"metric_list": [entry(api_base="http://169.254.169.254/v1")]}, "an address where no judge lives"),
        ({"metric_list": [dict([*entry().items(), (7, "x")])]}, "metric_list[1]: a variable's name is a text, not 7"),
        ({"metadata": {"extra_llm_judge_fields": ["x"]}}, "extra_llm_judge_fields must be a mapping, not ['x']"),
        ({"include": 7}, "include must be a path or a list of paths, not 7"),
        ({"include": [""]}, "include must be a path or a list of paths, not ['']"),
    ],
)
def test_a_wrong_task_file_is_refused_by_its_place(tmp_path: Path, keys: dict[str, Any], words: str) -> None:
    assert words in refusal(put(tmp_path / "task.yaml", {"task": "t", "metric_list": [entry()], **keys}))


def test_an_included_file_must_be_a_mapping(tmp_path: Path) -> None:
    put(tmp_path / "base.yaml", "- a\n")
    with pytest.raises(ConfigError, match=r"base\.yaml: a task file is a mapping"):
        read(put(tmp_path / "task.yaml", {"include": "base.yaml"}))


def test_a_wrong_template_is_told_with_its_judge(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"'llm_judge': prompt_template line 1"):
        read(task(tmp_path, entry(prompt_template="{{")))


def test_a_key_in_a_task_file_is_refused_and_never_shown(tmp_path: Path) -> None:
    message = refusal(task(tmp_path, entry(name="accuracy", api_key="sk-secret")))
    assert "LLM_JUDGE_ACCURACY_API_KEY" in message
    assert "sk-secret" not in message
