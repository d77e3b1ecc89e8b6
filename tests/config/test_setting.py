"""Every setting: what it takes, what it refuses, and what the refusal says."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import pytest

from gavelkit.config.assemble import JudgeSettings
from gavelkit.config.door import RunOptions
from gavelkit.config.schema import JUDGE, LIMITS, RUN, TOP
from gavelkit.config.setting import Setting, letters_apart, read_settings
from gavelkit.core.errors import ConfigError

WHOLE_FROM_1 = ([1, 32, 1000], [0, -1, 1.5, "3", True, [1]], "a whole number from 1 up")
WHOLE_FROM_0 = ([0, 3, 10**6], [-1, 0.5, "0", False], "a whole number from 0 up")
CONCURRENCY = ([1, 32, 1000, "auto"], [0, -1, 1.5, "3", "Auto", True, [1]], "a whole number from 1 up, or auto")
ABOVE_0 = ([0.01, 5, 100.0], [0, -1, "1", math.nan, math.inf, True], "a number above 0")
NUMBER_FROM_0 = ([0, 0.5, 100], [-0.1, "1", math.nan, math.inf, True], "a number from 0 up")
SHARE = ([0, 0.1, 1, 1.0], [-0.1, 1.1, "0.1", math.nan, True], "a number from 0 to 1")
WORDS = (["x", "two words"], ["", 7, ["x"], True, 1.5], "a text")
FLAGS = ([True, False], [0, 1, "true", "yes"], "true or false")
MAPPINGS = ([{}, {"a": {"b": [1]}}], [[], "a", 7, {"day": dt.date(2026, 1, 1)}, {"n": math.nan}], "a mapping")

TABLE: dict[str, tuple[list[Any], list[Any], str]] = {
    "data": (
        ["a.jsonl", ["a.jsonl", "b.csv"], {"gpt 4": "a.jsonl", "b": "b.jsonl"}],
        ["", 7, [], {}, True, [""], ["a", 7], {"": "a.jsonl"}, {1: "a.jsonl"}, {"a": ["b"]}],
        "a file, a list of files, or a mapping of a system's name to its file",
    ),
    "filter": WORDS,
    "map": MAPPINGS,
    "gates": MAPPINGS,
    "judges": ([[{}], [1, 2]], [[], {}, "x", 7], "a list of judges"),
    "run": MAPPINGS,
    "prices": WORDS,
    "concurrency": CONCURRENCY,
    "max_concurrency": WHOLE_FROM_1,
    "max_error_rate": SHARE,
    "retry_attempts": WHOLE_FROM_0,
    "retry_min_wait": NUMBER_FROM_0,
    "retry_max_wait": NUMBER_FROM_0,
    "max_wait": ABOVE_0,
    "requests_per_minute": ABOVE_0,
    "tokens_per_minute": ABOVE_0,
    "preflight_check": FLAGS,
    "timeout": ([0.1, 600, 86_400], [0, -1, 86_401, "60", math.inf, True], "a number above 0 to 86400"),
    "name": WORDS,
    "preset": WORDS,
    "prompt_template": WORDS,
    "system_prompt": WORDS,
    "variables": MAPPINGS,
    "mode": (["pointwise", "pairwise"], ["listwise", 2], "one of pointwise, pairwise"),
    "criterion": (
        ["toxicity", "Is it so?", {"description": "Is it so?"}],
        ["", " ", {}, [], 7, True],
        "a shipped criterion's name, a question, or a mapping with description and options",
    ),
    "criteria_field": WORDS,
    "context_fields": (
        ["question", ["question", "doc.note"], {"Context": "doc/note"}],
        [7, ["question", 7], {"a": 1}, [""], {"": "a"}, True],
        "a field's name, a list of names, or a mapping of shown names to paths",
    ),
    "check_positional_bias": FLAGS,
    "on_inconsistent": (
        ["first", "mean", "abstain", "tie", "drop"],
        ["second", True],
        "one of first, mean, abstain, tie, drop",
    ),
    "choose_by": (["text", "json_schema", "logprobs"], ["json", 1], "one of text, json_schema, logprobs"),
    "generate_summaries": FLAGS,
    "selection_template": WORDS,
    "summary_template": WORDS,
    "baseline": WORDS,
    "answers": (
        [["A", "B"], ("Response A", "Response B", "Tie")],
        [["A"], ["A", "a"], ["A", "B", "C", "D"], ["A", ""], ["A", 2], "AB", {"A": "B"}],
        "two or three different words: the first response, the second and a tie",
    ),
    "parser": (["score", "grade", "json"], ["xml", 1, True], "one of score, score_first, grade, rating, json"),
    "grade_pattern": WORDS,
    "response_format": MAPPINGS,
    "score_field": (
        ["overall", {"a": 10, "b": 0.5}],
        ["", 7, {}, ["a"], {"a": 0}, {"a": "10"}, {"": 10}, {7: 10}, {"a": True}],
        "a text, or a mapping of several fields to the most that each can be, such as {a: 10, b: 10}",
    ),
    "save_details": FLAGS,
    "options": (
        [{"C": 1, "I": 0}, {"A": 0.5}, {1: 1, 2.5: 0}],
        [{}, [], "C", {"C": "1"}, {"C": math.nan}, {"C": True}, {True: 1, False: 0}],
        "a mapping of each option to its score, such as {C: 1, I: 0}",
    ),
    "scale": (
        [[0, 10], (-1, 1), [0.5, 1]],
        [[10, 0], [1, 1], [1], [1, 2, 3], "0-10", {"low": 0}, [0, "10"], [0, math.inf]],
        "two numbers, the lower first, such as [0, 10]",
    ),
    "clamp": FLAGS,
    "higher_is_better": FLAGS,
    "threshold": ([-5, 0, 7.5], ["7", math.nan, math.inf, True, [7]], "a number"),
    "engine": (
        ["openai_chat", "openai_completions", "ollama", "recorded"],
        ["litellm", 1],
        "one of openai_chat, openai_completions, ollama, recorded",
    ),
    "replies": WORDS,
    "model": WORDS,
    "api_base": WORDS,
    "temperature": NUMBER_FROM_0,
    "max_tokens": WHOLE_FROM_1,
    "top_p": SHARE,
    "seed": WHOLE_FROM_0,
    "extra_body": MAPPINGS,
    "api_key": (["dummy", "", "sk-x", 7], [], "a placeholder"),
    "repeat": ([1, 5, 256], [0, 257, 1.5, "2", True], "a whole number from 1 to 256"),
    "limit": WHOLE_FROM_1,
    "on_failure": (["missing", "raise"], ["ignore", 0, True], "one of missing, worst, zero, raise"),
    "max_cost": ABOVE_0,
    "confirm_above": ([0, 1.5], [-1, "1", True], "a number from 0 up"),
    "max_requests": WHOLE_FROM_1,
    "interval": (["student_t", "bca"], ["t", 0], "one of student_t, bca"),
    "output": WORDS,
}
SETTINGS = {setting.name: setting for setting in (*TOP, *RUN, *JUDGE)}


def test_every_setting_stands_in_the_table_below() -> None:
    assert set(TABLE) == set(SETTINGS)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, (good, _, _) in TABLE.items() for value in good])
def test_a_good_value_is_taken(name: str, value: Any) -> None:
    read = read_settings({name: value}, [SETTINGS[name]], "conf.yaml")[name]
    assert read == value or isinstance(value, list | tuple | dict) or name in {"api_key", "context_fields"}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, (_, bad, _) in TABLE.items() for value in bad])
def test_a_bad_value_is_refused_naming_file_and_setting_and_what_would_be_right(name: str, value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings({name: value}, [SETTINGS[name]], "conf.yaml")
    expected = TABLE[name][2]
    assert str(caught.value).startswith(f"conf.yaml: {name} must be {expected}, not {value!r}")
    assert SETTINGS[name].kind.expects == expected


def test_words_that_yaml_reads_as_booleans_are_refused_as_options_with_the_remedy() -> None:
    with pytest.raises(ConfigError, match="put them in quotes"):
        read_settings({"options": {True: 1, False: 0}}, JUDGE, "conf.yaml")


def test_values_come_back_in_the_types_the_flow_uses() -> None:
    given = {"scale": [0, 10], "options": {1: 1}, "threshold": 7, "temperature": 1}
    assert read_settings(given, JUDGE, "x") == {
        "scale": (0.0, 10.0),
        "options": {"1": 1.0},
        "threshold": 7.0,
        "temperature": 1.0,
    }


def test_null_is_a_setting_left_out() -> None:
    assert read_settings(dict.fromkeys(SETTINGS), SETTINGS.values(), "x") == {}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("treshold", "; did you mean threshold?"),
        ("max_error", "; did you mean max_error_rate?"),
        (7, "; there are "),
        ("zzz", "; there are "),
    ],
)
def test_an_unknown_setting_is_refused_with_the_nearest_one(name: object, hint: str) -> None:
    with pytest.raises(ConfigError, match=r"conf\.yaml: there is no setting") as caught:
        read_settings({name: 1}, JUDGE, "conf.yaml")  # type: ignore[dict-item] # as a file may hold it
    assert hint in str(caught.value)


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=lambda setting: setting.name)
def test_every_default_is_a_value_the_setting_takes_and_every_help_is_a_sentence(setting: Setting) -> None:
    if setting.default is not None:
        assert setting.kind.read(setting.default) == setting.default
    assert setting.help.endswith(".")
    assert setting.help[0].isupper()


def test_python_takes_the_same_settings_as_a_file() -> None:
    assert {*JudgeSettings.__annotations__, "preset"} == {setting.name for setting in JUDGE}
    assert set(RunOptions.__annotations__) < {setting.name for setting in RUN}
    assert {setting.name for setting in LIMITS} < {setting.name for setting in JUDGE}


@pytest.mark.parametrize(
    ("one", "other", "letters"),
    [
        ("", "", 0),
        ("seed", "seed", 0),
        ("", "seed", 4),
        ("sed", "seed", 1),
        ("sead", "seed", 1),
        ("kitten", "sitting", 3),
    ],
)
def test_letters_apart_are_counted_both_ways(one: str, other: str, letters: int) -> None:
    assert letters_apart(one, other) == letters_apart(other, one) == letters
