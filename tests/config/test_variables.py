"""A user's own variables: which names they may not take, and which nobody reads."""

from __future__ import annotations

from typing import Any

import pytest
from tests.config.assembled import observed, refusal

import gavelkit
from gavelkit.config import Surroundings
from gavelkit.config.assemble import assemble
from gavelkit.config.environment import Environment
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Event, Noticed


@pytest.mark.parametrize("name", ["prediction", "reference", "doc", "response_format"])
def test_a_variable_with_a_meaning_of_its_own_cannot_be_set(name: str) -> None:
    settings: dict[str, Any] = {"variables": {name: "x"}}
    assert f"the variable {name!r} has a meaning of its own" in refusal(None, **settings)


def test_a_variable_no_template_uses_is_told() -> None:
    (event,) = observed(variables={"tresholds": 1})
    assert event == Noticed(
        "conf.yaml 'judge': no template uses the variable 'tresholds'; is the setting threshold meant?"
    )
    (event,) = observed(variables={"zzz": 1})
    assert event == Noticed("conf.yaml 'judge': no template uses the variable 'zzz'")


def test_a_variable_within_two_letters_of_a_setting_is_told_though_a_template_uses_it() -> None:
    (event,) = observed(prompt_template="{{ response }} {{ scales }}", variables={"scales": 1})
    assert event == Noticed("conf.yaml 'judge': 'scales' is a variable of the templates; is the setting scale meant?")
    assert observed(prompt_template="{{ response }} {{ language }}", variables={"language": 1}) == []


@pytest.mark.parametrize("name", ["criterion", "options", "choose_by", "context", "response_a", "assessment"])
def test_what_a_judge_in_two_steps_gives_its_templates_cannot_be_set_either(name: str) -> None:
    with pytest.raises(ConfigError, match=f"the variable '{name}' has a meaning of its own"):
        gavelkit.judge(criterion="Is it so?", function=str, variables={name: "x"})


def test_a_variable_may_be_read_by_any_of_a_judges_templates() -> None:
    events: list[Event] = []
    for template in ("prompt_template", "selection_template", "summary_template"):
        settings = {"criterion": "Is it so?", "generate_summaries": True, "variables": {"language": "Dutch"}}
        settings |= {"preset": "criteria", template: "{{ language }} {{ response }}"}
        assemble(settings, Surroundings(Environment({}), observe=events.append), where="x")
    assert events == []
