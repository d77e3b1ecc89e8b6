"""A judge's settings: defaults, what a mapping may say, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from gavelkit.integrations.nemo_byob_config import ByobError, JudgeConfig

NEEDED: dict[str, Any] = {"url": "http://judge1:8000/v1", "model_id": "judge-a"}


def test_the_defaults_are_those_of_the_page() -> None:
    config = JudgeConfig.from_dict(NEEDED)
    assert (config.api_key, config.temperature, config.top_p, config.max_new_tokens) == (None, 0.0, 1.0, 4096)
    assert (config.parallelism, config.max_retries, config.request_timeout) == (None, 16, 600)


def test_every_setting_is_taken_from_the_mapping_and_others_are_left_alone() -> None:
    given: dict[str, Any] = {
        **NEEDED,
        "api_key": "KEY",
        "temperature": None,
        "top_p": 0.9,
        "max_new_tokens": 64,
        "parallelism": 8,
        "max_retries": 2,
        "request_timeout": 30,
    }
    assert JudgeConfig.from_dict({**given, "server_type": "vllm"}) == JudgeConfig(**given)


def test_older_names_are_read_too() -> None:
    config = JudgeConfig.from_dict({**NEEDED, "api_key_name": "KEY", "max_tokens": 7, "max_new_tokens": 0})
    assert (config.api_key, config.max_new_tokens) == ("KEY", 7)


@pytest.mark.parametrize(
    ("base", "endpoint"),
    [
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h:8000", "http://h:8000/v1/chat/completions"),
    ],
)
def test_prompts_go_to_the_chat_completions_below_the_base_url(base: str, endpoint: str) -> None:
    assert JudgeConfig(base, "m").endpoint == endpoint


@pytest.mark.parametrize("missing", ["url", "model_id"])
def test_url_and_model_are_required(missing: str) -> None:
    with pytest.raises(ByobError, match=f"need '{missing}'"):
        JudgeConfig.from_dict({name: value for name, value in NEEDED.items() if name != missing})


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"url": "judge1:8000"}, "base URL"),
        ({"model_id": ""}, "name of a model"),
        ({"max_retries": -1}, "max_retries must be a whole number from 0 up"),
        ({"max_retries": True}, "max_retries must be a whole number"),
        ({"max_retries": 2.5}, "max_retries must be a whole number from 0 up, not 2.5"),
        ({"request_timeout": 0}, "request_timeout must be a number above 0"),
        ({"request_timeout": float("inf")}, "request_timeout must be a number above 0"),
        ({"request_timeout": float("nan")}, "request_timeout must be a number above 0"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(ByobError, match=message):
        JudgeConfig.from_dict({**NEEDED, **setting})


def test_the_key_is_the_variables_and_there_is_none_where_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "secret\n")
    assert JudgeConfig(**NEEDED).resolve_api_key() is None
    assert JudgeConfig(**NEEDED, api_key="KEY").resolve_api_key() == "secret"


def test_a_variable_that_is_not_set_is_a_value_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="not set: MY_KEY"):
        JudgeConfig(**NEEDED, api_key="MY_KEY").resolve_api_key()


def test_neither_a_key_nor_what_stands_in_its_place_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "secret")
    assert JudgeConfig(**NEEDED, api_key="KEY").without_key("it is secret") == "it is (key)"
    mistaken = JudgeConfig(**NEEDED, api_key="sk-abc")
    assert mistaken.without_key("it is sk-abc") == "it is (key)"
    assert "sk-abc" not in repr(mistaken)
