"""Whom a judge's calls go to by its `engine`: defaults, variables, keys, and what Ollama does not take."""

from __future__ import annotations

from typing import Any

import pytest
from tests.config.assembled import assembled, made, observed, reaching, refusal

from gavelkit.core.errors import ConfigError
from gavelkit.engines import Ceiling, Gated, Ollama, OpenAIChat, OpenAICompletions, Repairing, Retrying
from gavelkit.judges import Direct


def of_ollama(environment: dict[str, str] | None = None, /, **settings: Any) -> Direct:
    return made(environment, engine="ollama", **settings)


def base_of(judge: Direct) -> str:
    provider = reaching(judge)[-1]
    assert isinstance(provider, Ollama)
    return provider._base


def test_round_ollama_stands_what_stands_round_any_endpoint() -> None:
    assert [type(engine) for engine in reaching(of_ollama())] == [Repairing, Retrying, Ceiling, Gated, Ollama]
    assert isinstance(reaching(made())[-1], OpenAIChat)


@pytest.mark.parametrize(
    ("variables", "settings", "base"),
    [
        ({}, {}, "http://localhost:11434"),
        ({"OPENAI_BASE_URL": "https://c.example/v1"}, {}, "http://localhost:11434"),
        ({"LLM_JUDGE_API_BASE": "http://b.example:11434/v1"}, {}, "http://b.example:11434"),
        (
            {"LLM_JUDGE_X_API_BASE": "http://a.example", "LLM_JUDGE_API_BASE": "http://b"},
            {"name": "x"},
            "http://a.example",
        ),
        ({"LLM_JUDGE_API_BASE": "http://b.example"}, {"api_base": "http://file.example:1"}, "http://file.example:1"),
    ],
)
def test_the_file_then_the_judges_variables_name_ollamas_address_and_openais_never_does(
    variables: dict[str, str], settings: dict[str, Any], base: str
) -> None:
    judge = of_ollama(variables, **settings)
    assert base_of(judge) == base
    assert judge.probes[0].api_base.startswith(base)


@pytest.mark.parametrize(
    ("variables", "settings", "model"),
    [({}, {}, "llama3.2"), ({"LLM_JUDGE_MODEL": "b"}, {}, "b"), ({"LLM_JUDGE_MODEL": "b"}, {"model": "file"}, "file")],
)
def test_the_model_nobody_names_is_llama_with_ollama(
    variables: dict[str, str], settings: dict[str, Any], model: str
) -> None:
    assert of_ollama(variables, **settings).parameters.model == model
    assert made().parameters.model == "gpt-4"


def test_a_key_in_the_environment_is_neither_used_nor_in_the_way() -> None:
    keys = {"OPENAI_API_KEY": "sk-1", "LLM_JUDGE_API_KEY": "sk-2"}
    judge = of_ollama(keys, api_base="http://judge.example:11434")
    (probe,) = judge.probes
    assert (probe.engine, probe.key_variable, probe.key_variables) == ("ollama", "", ())
    assert probe.account == of_ollama(api_base="http://judge.example:11434").probes[0].account
    assert observed(engine="ollama", api_base="http://judge.example") == []


def test_a_key_in_the_file_is_refused_with_ollama_too() -> None:
    assert "sk-secret" not in refusal(engine="ollama", api_key="sk-secret")
    assert "never used" in refusal(engine="ollama", api_key="sk-secret")
    assert of_ollama(api_key="ollama")


@pytest.mark.parametrize("base", ["http://169.254.169.254", "localhost:11434", "http://me:pass@host:11434"])
def test_addresses_where_no_judge_lives_are_refused_with_ollama_too(base: str) -> None:
    assert "api_base" in refusal(engine="ollama", api_base=base)


@pytest.mark.parametrize(
    ("further", "words"),
    [
        ({"num_predict": 9}, "extra_body cannot set 'num_predict', which Ollama gets from max_tokens: set that"),
        ({"options": {"num_predict": 9}}, "cannot set 'num_predict'"),
        ({"prompt": "x"}, "which Ollama gets from prompt_template"),
        ({"system": "x"}, "which Ollama gets from system_prompt"),
        ({"options": 8192}, "extra_body: options must be a mapping, such as {num_ctx: 8192}, not 8192"),
    ],
)
def test_what_a_setting_says_extra_body_does_not_say_again(further: dict[str, Any], words: str) -> None:
    assert words in refusal(engine="ollama", extra_body=further)


def test_judges_of_one_ollama_share_their_gate_however_its_address_is_written() -> None:
    one, two = (of_ollama(api_base=base).probes[0] for base in ("http://h:1", "http://h:1/v1/"))
    assert (one.account, one.model) == (two.account, two.model)


def plain(environment: dict[str, str] | None = None, /, **settings: Any) -> Direct:
    return made(environment, engine="openai_completions", **settings)


def test_plain_completions_are_reached_as_a_chat_is_with_the_same_key_and_defaults() -> None:
    judge = plain({"OPENAI_API_KEY": "sk-1"})
    assert [type(engine) for engine in reaching(judge)] == [Repairing, Retrying, Ceiling, Gated, OpenAICompletions]
    (probe,) = judge.probes
    assert (probe.engine, probe.api_base, probe.model, probe.key_variable) == (
        "openai_completions",
        "https://api.openai.com/v1",
        "gpt-4",
        "OPENAI_API_KEY",
    )
    environment = {"OPENAI_BASE_URL": "https://c.example/v1"}
    assert plain(environment).probes[0].api_base == "https://c.example/v1"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"api_base": "http://h:1/v1/chat/completions/"}, "asked at /completions: leave that out"),
        (
            {"extra_body": {"prompt": "x"}},
            "cannot set 'prompt', which the endpoint gets from prompt_template: set that",
        ),
        ({"api_base": "http://169.254.169.254"}, "api_base names 169.254.169.254"),
        ({"api_key": "sk-secret"}, "never used"),
    ],
)
def test_what_does_not_fit_plain_completions_is_refused(settings: dict[str, Any], words: str) -> None:
    assert words in refusal(engine="openai_completions", **settings)
    assert plain(api_base="http://h:1/v1/completions")


@pytest.mark.parametrize(
    "settings", [{"criterion": "conciseness"}, {"mode": "pairwise", "criterion": "Which is the better one?"}]
)
def test_letters_probabilities_need_a_chat(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="choose_by: logprobs needs a chat"):
        assembled(engine="openai_completions", choose_by="logprobs", **settings)
    assert assembled(engine="openai_completions", choose_by="json_schema", **settings)
    assert assembled(choose_by="logprobs", **settings)
