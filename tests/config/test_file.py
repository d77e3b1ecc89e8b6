"""A configuration: data, mapping, judges and the run's settings, from a file and flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.makers import TEMPLATE, some_rows, write_rows

from gavelkit.config import Flags, Surroundings, configure_judges, read_configuration
from gavelkit.config.environment import Environment
from gavelkit.core.errors import ConfigError, DataError, TemplateError
from gavelkit.core.limits import Limits
from gavelkit.run import RunSettings

GIVEN: dict[str, Any] = {
    "data": "answers.jsonl",
    "map": {"question": "q"},
    "judges": [{"name": "accuracy", "prompt_template": TEMPLATE, "model": "m", "scale": [0, 10]}],
    "run": {"concurrency": 7, "limit": 5, "on_failure": "worst", "output": "out"},
}
NO_FLAGS = Flags({}, {})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "conf"
    folder.mkdir()
    write_rows(folder / "answers.jsonl", some_rows(3))
    return folder


def written(folder: Path, **changes: Any) -> Path:
    given = {name: value for name, value in {**GIVEN, **changes}.items() if value is not None}
    path = folder / "judge.yaml"
    path.write_text(yaml.safe_dump(given))
    return path


def read(path: Path, flags: Flags = NO_FLAGS) -> Any:
    return read_configuration(path, Surroundings(Environment({})), flags=flags)


def refusal(path: Path, flags: Flags = NO_FLAGS) -> str:
    with pytest.raises(ConfigError) as caught:
        read(path, flags)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(f"{path}: ")


def a_judge(name: str | None = "x", **settings: Any) -> dict[str, Any]:
    return {**({"name": name} if name else {}), "prompt_template": TEMPLATE, **settings}


def test_a_file_becomes_everything_a_run_needs(folder: Path) -> None:
    made = read(written(folder))
    assert made.name == "judge"
    assert made.source.path == str(folder / "answers.jsonl")
    assert made.source.mapping.spec == {"question": "q"}
    assert made.run == RunSettings(limit=5, on_failure="worst")
    assert made.output == folder / "out"
    (judge,) = made.judges
    assert (judge.name, judge.limits) == ("accuracy", Limits(7, 0.1))
    assert [probe.api_base for probe in judge.probes] == ["https://api.openai.com/v1"]


def test_what_it_was_made_from_is_kept_for_the_record(folder: Path) -> None:
    path = written(folder)
    kept = read(path, Flags({"limit": 2}, {"model": "n"})).settings
    assert kept["given"] == GIVEN
    assert kept["flags"] == [{"limit": 2}, {"model": "n"}]
    assert kept["config"] == str(path.resolve())
    assert kept["folder"] == str(folder.resolve())
    json.dumps(kept)


def test_a_judges_own_limits_win_over_the_runs(folder: Path) -> None:
    judges = [a_judge("a", concurrency=2), a_judge("b")]
    made = read(written(folder, judges=judges, run={"concurrency": 9, "max_error_rate": 0.5}))
    assert [judge.limits for judge in made.judges] == [Limits(2, 0.5), Limits(9, 0.5)]


def test_flags_win_over_both_and_apply_to_every_judge(folder: Path) -> None:
    judges = [a_judge("a", concurrency=2, model="own", threshold=1), a_judge("b")]
    made = read(
        written(folder, judges=judges),
        Flags({"concurrency": 1, "limit": 2, "on_failure": "zero"}, {"model": "flag", "threshold": 4}),
    )
    assert [judge.limits.concurrency for judge in made.judges] == [1, 1]
    assert [judge.parameters.model for judge in made.judges] == ["flag", "flag"]
    assert [judge.threshold for judge in made.judges] == [4.0, 4.0]
    assert (made.run.limit, made.run.on_failure) == (2, "zero")


def test_paths_in_the_file_are_relative_to_it_and_those_of_flags_to_where_one_stands(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = folder.parent / "here"
    here.mkdir()
    write_rows(here / "mine.jsonl", some_rows(2))
    reply = '{"example_id": "r1", "judge": "accuracy", "reply": "Score: 3"}\n'
    (here / "r.jsonl").write_text(reply)
    monkeypatch.chdir(here)
    path = written(folder)
    made = read(path, Flags({"data": "mine.jsonl", "output": "there"}, {"replies": "r.jsonl"}))
    assert (made.source.path, made.output) == ("mine.jsonl", Path("there"))
    assert made.judges[0].parameters.model == "m"
    (folder / "r.jsonl").write_text(reply)
    judges = [{**GIVEN["judges"][0], "replies": "r.jsonl"}]
    assert read(written(folder, judges=judges)).judges[0].engine is not None


def test_flags_of_the_mapping_add_to_the_files(folder: Path) -> None:
    flags = Flags({"map": {"response": {"a": "x"}, "question": "other"}}, {})
    assert read(written(folder, map={"question": "q", "id": "n"}), flags).source.mapping.spec == {
        "question": "other",
        "id": "n",
        "response": {"a": "x"},
    }


def test_without_output_the_folder_is_found_by_what_is_asked(folder: Path) -> None:
    assert read(written(folder, run=None)).output is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"data": None}, "data is missing: the file of model outputs"),
        ({"judges": None}, "judges is missing: a list with at least one judge"),
        ({"judges": []}, "judges must be a list of judges, not []"),
        ({"judges": ["accuracy"]}, "judges[1] must be a mapping of settings, not 'accuracy'"),
        ({"judges": [a_judge(), a_judge("y", treshold=1)]}, "judges[2]: there is no setting 'treshold'"),
        ({"judges": [{"name": "x"}]}, "judges[1] 'x': a judge needs a preset, a criterion or a prompt_template"),
        ({"run": {"concurrency": 0}}, "run: concurrency must be a whole number from 1 up, or auto, not 0"),
        ({"run": {"threads": 3}}, "run: there is no setting 'threads'"),
        ({"jugdes": []}, "there is no setting 'jugdes'; did you mean judges?"),
        ({"judges": [a_judge("x"), a_judge("x")]}, "two judges are called 'x' and 'x'; give each a name of its own"),
        ({"judges": [a_judge("a b"), a_judge("a-b")]}, "two judges are called 'a b' and 'a-b'"),
        ({"judges": [a_judge(None), a_judge(None)]}, "two judges are called 'judge' and 'judge'"),
        ({"judges": [a_judge(api_key="sk-secret")]}, "api_key stands in the file"),
    ],
)
def test_a_wrong_file_is_refused_by_its_place(folder: Path, changes: dict[str, Any], words: str) -> None:
    path = written(folder, **changes)
    with pytest.raises(ConfigError) as caught:
        read(path)
    assert words in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_a_wrong_flag_is_refused(folder: Path) -> None:
    assert "concurrency must be a whole number from 1 up, or auto, not 0" in refusal(
        written(folder), Flags({"concurrency": 0}, {})
    )


@pytest.mark.parametrize("text", ["", "- a\n", "words", "7"])
def test_a_file_that_is_no_mapping_is_refused(folder: Path, text: str) -> None:
    path = folder / "judge.yaml"
    path.write_text(text)
    assert refusal(path) == "a configuration is a mapping with data and judges"


def test_missing_data_and_wrong_templates_are_refused_too(folder: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        read(written(folder, data="none.jsonl"))
    with pytest.raises(TemplateError, match=r"judge.yaml: judges\[1\] 'x': prompt_template line 1"):
        read(written(folder, judges=[a_judge(prompt_template="{{")]))


def test_the_judges_of_a_configuration_can_be_made_alone(folder: Path) -> None:
    surroundings = Surroundings(Environment({}), folder)
    judges = configure_judges({"judges": [a_judge("a")]}, surroundings, where="x", flags=Flags({"limit": 3}, {}))
    assert [judge.name for judge in judges] == ["a"]
