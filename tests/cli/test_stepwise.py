"""The flags of judges with a criterion: each is the setting of its name, as a file would have it."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

import gavelkit
from gavelkit.cli.stepwise import add_stepwise, read_stepwise
from gavelkit.config.schema import JUDGE
from gavelkit.core.errors import ConfigError


def parsed(*arguments: str, pairwise: bool = False) -> dict[str, Any]:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_stepwise(parser, pairwise=pairwise)
    return read_stepwise(parser.parse_args(arguments))


def test_what_is_not_given_is_no_setting() -> None:
    assert parsed() == {}


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (["--criterion", "toxicity"], {"criterion": "toxicity"}),
        (["--criterion", "Is it so: yes?"], {"criterion": "Is it so: yes?"}),
        (["--context-fields", "question"], {"context_fields": "question"}),
        (["--context-fields", "[question, doc.note]"], {"context_fields": ["question", "doc.note"]}),
        (["--context-fields", "{Note: doc/note}"], {"context_fields": {"Note": "doc/note"}}),
        (["--on-inconsistent", "mean"], {"on_inconsistent": "mean"}),
        (["--choose-by", "logprobs"], {"choose_by": "logprobs"}),
        (["--check-positional-bias", "false"], {"check_positional_bias": False}),
    ],
)
def test_each_flag_is_its_setting(arguments: list[str], settings: dict[str, Any]) -> None:
    assert parsed(*arguments) == settings
    assert settings.keys() <= {setting.name for setting in JUDGE}


def test_contests_have_a_baseline_and_rules_of_their_own() -> None:
    settings = parsed("--baseline", "gpt 4", "--on-inconsistent", "drop", pairwise=True)
    assert settings == {"baseline": "gpt 4", "on_inconsistent": "drop"}
    for arguments, pairwise in [(["--on-inconsistent", "drop"], False), (["--on-inconsistent", "mean"], True)]:
        with pytest.raises(argparse.ArgumentError, match="invalid choice"):
            parsed(*arguments, pairwise=pairwise)


@pytest.mark.parametrize(
    ("flag", "name"), [("--context-fields", "context_fields"), ("--check-positional-bias", "check_positional_bias")]
)
def test_what_is_no_yaml_stays_text_for_the_settings_check(flag: str, name: str) -> None:
    assert parsed(flag, "[a") == {name: "[a"}
    with pytest.raises(ConfigError, match=r"\[a"):
        gavelkit.judge(criterion="Is it so?", function=str, **parsed(flag, "[a"))
