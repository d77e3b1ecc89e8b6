"""A benchmark made ready to run: what is refused before anything is asked, and what makes two runs the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.integrations.byob_files import a_file

from gavelkit.core.errors import UsageError
from gavelkit.core.event import ignore
from gavelkit.integrations.nemo_byob import ByobError, JudgeConfig
from gavelkit.integrations.nemo_byob_load import load_benchmark
from gavelkit.integrations.nemo_byob_plan import Choices, Model, Planned, folder_of, plan
from gavelkit.storage.schema import FILE_NAME

URL = "http://127.0.0.1:9/v1"


def planned(
    folder: Path, *, model: Model | None = None, settings: dict[str, Any] | None = None, **choices: Any
) -> Planned:
    benchmark = load_benchmark(a_file(folder, "return judge_score(sample)", **(settings or {})))
    model = model or Model(url=URL, model_id="m")
    return plan(benchmark, output_dir=folder / "out", model=model, choices=Choices(**choices), observe=ignore)


def a_judge(**settings: Any) -> dict[str, Any]:
    return {"extra": {"judge": {"url": URL, "model_id": "a", **settings}}}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"endpoint_type": "completions_logprob", "choices": ["A", "B"]}, "is not offered"),
        ({"extra": {"judge": {"model_id": "a"}}}, "need 'url'"),
        (a_judge(parallelism=0), "judge: parallelism must be a whole number from 1 up"),
        (a_judge(api_key="NOT_SET"), "NOT_SET, which holds the key, is not set"),
        (a_judge(url="http://169.254.169.254/"), "an address where no judge lives"),
        ({"num_fewshot": 5}, "5 examples are wanted"),
        ({"dataset": "none.jsonl"}, "none.jsonl: there is no such file"),
    ],
)
def test_what_cannot_work_is_refused(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        planned(tmp_path, settings=settings)
    assert said in str(error.value)


def test_without_a_model_and_without_responses_nobody_answers(tmp_path: Path) -> None:
    benchmark = load_benchmark(a_file(tmp_path, "return {'x': 1}"))
    with pytest.raises(UsageError, match=r"which model answers\?"):
        plan(benchmark, output_dir=tmp_path, model=None, choices=Choices(), observe=ignore)


def test_a_model_of_another_type_is_asked_as_chat_where_that_is_said(tmp_path: Path) -> None:
    model = Model(url=URL, model_id="m", endpoint_type="chat")
    made = planned(tmp_path, model=model, settings={"endpoint_type": "completions"}).judge
    assert [probe.engine for probe in made.probes] == ["openai_chat"]


def test_a_base_model_is_asked_by_plain_completions_and_its_judges_as_chats(tmp_path: Path) -> None:
    judge = {"extra": {"judge": {"url": URL, "model_id": "a"}}}
    chat = planned(tmp_path, settings=judge).judge
    made = planned(tmp_path, settings={"endpoint_type": "completions", **judge}).judge
    assert [(probe.model, probe.engine) for probe in made.probes] == [("m", "openai_completions"), ("a", "openai_chat")]
    assert made.asks.hash != chat.asks.hash


def test_where_the_scorer_alone_asks_a_base_model_that_is_another_question_too(tmp_path: Path) -> None:
    plain = Model(url=URL, model_id="m", endpoint_type="completions")
    asks = {
        planned(tmp_path, model=model, response_field="target").judge.asks.hash
        for model in (Model(url=URL, model_id="m"), plain)
    }
    assert len(asks) == 2


def test_a_base_models_address_that_is_a_chats_is_refused(tmp_path: Path) -> None:
    model = Model(url=f"{URL}/chat/completions", model_id="m", endpoint_type="completions")
    with pytest.raises(UsageError, match=r"the model under test: api_base ends in /chat/completions"):
        planned(tmp_path, model=model)


def test_each_judge_in_extra_is_tried_and_what_only_looks_like_one_is_not(tmp_path: Path) -> None:
    extra = {
        "judge": {"url": URL, "model_id": "a"},
        "judge_1": {"url": URL, "model_id": "b"},
        "referee": {"url": URL, "model_id": "c"},
        "search": {"url": "gopher://x", "model_id": "d"},
        "depth": 3,
    }
    probes = planned(tmp_path, settings={"extra": extra}).judge.probes
    assert [(probe.model, probe.wanted) for probe in probes] == [("m", True), ("a", True), ("b", True), ("c", False)]


def test_a_judges_settings_may_be_an_object(tmp_path: Path) -> None:
    benchmark = load_benchmark(a_file(tmp_path, "return judge_score(sample)"))
    benchmark.extra["judge"] = JudgeConfig(URL, "a")  # type: ignore[index] # a dict, as the decorator makes it
    model = Model(url=URL, model_id="m")
    made = plan(benchmark, output_dir=tmp_path, model=model, choices=Choices(), observe=ignore)
    assert [probe.model for probe in made.judge.probes] == ["m", "a"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (a_judge(), a_judge(temperature=0.5), False),
        (a_judge(), a_judge(max_new_tokens=7), False),
        (a_judge(), a_judge(url="http://127.0.0.1:10/v1", max_retries=0, request_timeout=3), True),
        ({}, {"system_prompt": "Be brief."}, False),
        ({}, {"num_fewshot": 1}, False),
        ({}, {"target_field": "other"}, True),
    ],
)
def test_what_shapes_what_is_asked_makes_another_run(
    tmp_path: Path, one: dict[str, Any], other: dict[str, Any], *, same: bool
) -> None:
    hashes = [planned(tmp_path, settings=settings).judge.asks.hash for settings in (one, other)]
    assert (hashes[0] == hashes[1]) is same


@pytest.mark.parametrize(
    ("name", "value", "expects"),
    [
        ("parallelism", 0, "a whole number from 1 up"),
        ("n_repeats", 257, "a whole number from 1 to 256"),
        ("limit", 0, "a whole number from 1 up"),
        ("num_fewshot", -1, "a whole number from 0 up"),
        ("max_error_rate", 1.5, "a number from 0 to 1"),
    ],
)
def test_a_number_out_of_its_bounds_is_refused(name: str, value: float, expects: str) -> None:
    with pytest.raises(ByobError, match=f"{name} must be {expects}, not {value}"):
        Choices(**{name: value})  # type: ignore[arg-type] # numbers of any kind, on purpose


def test_a_key_in_the_place_of_its_variables_name_is_not_shown() -> None:
    assert "sk-" not in repr(Model(url="http://127.0.0.1:9", model_id="m", api_key_name="sk-mine"))


def test_a_new_run_takes_the_first_folder_that_holds_none(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert folder_of(out, "qa", new_run=True) == out / "qa"
    for folder in ("out", "out-2"):
        (tmp_path / folder / "qa").mkdir(parents=True)
        (tmp_path / folder / "qa" / FILE_NAME).touch()
    assert folder_of(out, "qa", new_run=True) == tmp_path / "out-3" / "qa"
    assert folder_of(out, "qa", new_run=False) == out / "qa"
