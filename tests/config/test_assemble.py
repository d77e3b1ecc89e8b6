"""A judge from its settings: preset, template, parser, scale and parameters put together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.config.assembled import assembled, made, refusal

import gavelkit
from gavelkit.catalog import names, preset
from gavelkit.core.criterion import Options, Range
from gavelkit.core.errors import ConfigError, TemplateError
from gavelkit.core.limits import Limits


def test_without_settings_a_judge_is_as_documented() -> None:
    judge = made()
    assert (judge.name, judge.preset, judge.threshold, judge.limits) == ("judge", "", None, Limits(32, 0.1))
    assert (judge.parameters.model, judge.parameters.values) == ("gpt-4", {"temperature": 0.0, "max_tokens": 1024})
    assert (judge.parser.name, judge.criterion.scale, judge.criterion.higher_is_better) == ("score", None, True)


@pytest.mark.parametrize("name", names("judges"))
def test_every_shipped_judge_is_ready_to_run(name: str) -> None:
    asked: Any = {"criterion": "Is it so?"} if "selection_template" in preset(name).settings else {}
    judge = assembled(**{**preset(name).settings, "preset": name, **asked})
    assert (judge.name, judge.preset) == (name, name)
    assert judge.criterion.scale is not None
    assert gavelkit.judge(name, function=str, **asked).asks.material.keys() == judge.asks.material.keys()


def test_every_setting_overrides_the_presets_own() -> None:
    judge = gavelkit.judge("score_0_10", function=str, name="mine", scale=(0, 5), threshold=3, max_tokens=7)
    assert (judge.name, judge.criterion.scale, judge.threshold) == ("mine", Range(0, 5), 3.0)
    assert judge.parameters.values["max_tokens"] == 7


def test_what_is_sent_is_what_was_set() -> None:
    judge = made(model="m", temperature=0.5, top_p=0.9, seed=7, max_tokens=5, extra_body={"logit_bias": {"1": 2}})
    assert json.loads(judge.parameters.text) == {
        "model": "m",
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "max_tokens": 5,
        "logit_bias": {"1": 2},
    }


@pytest.mark.parametrize(
    ("settings", "parser", "scale"),
    [
        ({"parser": "rating", "scale": [1, 5], "clamp": True}, "rating", Range(1, 5, clamp=True)),
        ({"parser": "grade", "options": {"C": 1, "I": 0}}, "grade", Options({"C": 1.0, "I": 0.0})),
        ({"parser": "score_first"}, "score_first", None),
    ],
)
def test_a_parser_and_its_scale(settings: dict[str, Any], parser: str, scale: object) -> None:
    judge = made(**settings)
    assert (judge.parser.name, judge.criterion.scale) == (parser, scale)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"preset": "score_0_1"}, "there is no shipped judge 'score_0_1'; did you mean score_0_10?"),
        ({"name": "a.b"}, "the judge's name 'a.b' holds ., which gates give a meaning of their own"),
        ({"name": "a[0]"}, "holds [ ]"),
        ({"grade_pattern": "(.)"}, "grade_pattern and grades belong to the parser grade, not to score"),
        ({"options": {"C": 1}}, "grade_pattern and grades belong to the parser grade, not to score"),
        ({"parser": "grade", "grade_pattern": "no group"}, "group"),
        ({"parser": "grade", "grade_pattern": "("}, "grade_pattern"),
        ({"threshold": "7"}, "conf.yaml: judges[1]: threshold must be a number, not '7'"),
        ({"treshold": 7}, "there is no setting 'treshold'; did you mean threshold?"),
        ({"api_base": "localhost:8000"}, "api_base must be a URL"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings: dict[str, Any], words: str) -> None:
    assert words in refusal(**settings)


def test_a_judge_needs_a_prompt() -> None:
    with pytest.raises(ConfigError, match=r"judge: a judge needs a preset, a criterion or a prompt_template"):
        gavelkit.judge(function=str, name="judge")


@pytest.mark.parametrize("setting", ["prompt_template", "system_prompt"])
def test_a_template_that_is_none_is_refused_with_its_line(setting: str) -> None:
    settings: dict[str, Any] = {setting: "{{ response }}\n{% if %}"}
    with pytest.raises(TemplateError, match=rf"judges\[1\] 'x': {setting} line 2"):
        made(name="x", **settings)


def test_in_python_such_things_are_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning, match="no template uses the variable 'x'"):
        gavelkit.judge(function=str, prompt_template="{{ response }}", variables={"x": 1})
    monkeypatch.setenv("LLM_JUDGE_API_KEY", "sk-1")
    with pytest.warns(UserWarning, match="over plain http"):
        gavelkit.judge(prompt_template="{{ response }}", api_base="http://judge.example/v1")


@pytest.mark.parametrize(
    ("criterion", "name"),
    [
        ("toxicity", "toxicity"),
        ("metrics.llm_as_judge.direct.criteria.toxicity", "toxicity"),
        ("Is it so?", "judge"),
        ({"description": "Is it so?", "name": "so"}, "judge"),
    ],
)
def test_a_judge_bears_the_name_of_its_shipped_criterion(criterion: Any, name: str) -> None:
    assert gavelkit.judge(criterion=criterion, function=str).name == name
    assert gavelkit.judge(criterion=criterion, function=str, name="mine").name == "mine"


@pytest.mark.parametrize("preset", ["pairwise", "mt_bench_pair"])
def test_a_preset_that_compares_systems_judges_no_response_by_itself(preset: str) -> None:
    with pytest.raises(ConfigError, match="is not for mode: pointwise"):
        gavelkit.judge(preset, mode="pointwise", model="m", api_base="http://127.0.0.1:9")
