"""The form of the answer: sent as a strict schema, shown in the prompt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gavelkit.config.response_format import read_response_format, templates
from gavelkit.core.errors import ConfigError

EXAMPLE = {
    "reasoning": "It reads well.",
    "score": 8,
    "accuracy": 9.5,
    "details": {"names": ["a", "b"], "whole": True, "note": None, "points": [{"x": 1}]},
}


def sent(given: dict[str, Any]) -> Any:
    form = read_response_format({"response_format": given}, "conf.yaml")
    assert form is not None
    return json.loads(form.sent)


def test_an_example_becomes_a_strict_schema_at_every_level() -> None:
    inner = {
        "type": "object",
        "properties": {
            "names": {"type": "array", "items": {"type": "string"}},
            "whole": {"type": "boolean"},
            "note": {"type": "null"},
            "points": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"x": {"type": "number"}},
                    "required": ["x"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["names", "whole", "note", "points"],
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "score": {"type": "number"},
            "accuracy": {"type": "number"},
            "details": inner,
        },
        "required": ["reasoning", "score", "accuracy", "details"],
        "additionalProperties": False,
    }
    form = {"name": "llm_judge_response", "strict": True, "schema": schema}
    assert sent(EXAMPLE) == {"type": "json_schema", "json_schema": form}


def test_fields_keep_their_order() -> None:
    schema = sent({"zeta": 1, "score": 2, "alpha": {"y": 1, "x": 2}})["json_schema"]["schema"]
    assert list(schema["properties"]) == schema["required"] == ["zeta", "score", "alpha"]
    assert list(schema["properties"]["alpha"]["properties"]) == ["y", "x"]


@pytest.mark.parametrize(
    "form",
    [
        {"type": "text"},
        {"type": "json_object"},
        {"type": "json_schema", "json_schema": {"name": "mine", "schema": {"type": "object"}}},
    ],
)
def test_a_form_of_the_wires_own_is_sent_as_it_is(form: dict[str, Any]) -> None:
    assert sent(form) == form


@pytest.mark.parametrize("kind", ["essay", 3, ["text"], None])
def test_any_other_type_is_a_field_of_an_example(kind: object) -> None:
    assert sent({"type": kind, "score": 8})["type"] == "json_schema"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "conf.yaml: response_format is empty: give an example of the answer"),
        ({"score": 8, "names": []}, "conf.yaml: response_format.names is an empty list: give one item"),
        ({"score": 8, "deep": {"list": [{}]}}, "conf.yaml: response_format.deep.list[0] is empty"),
        ({True: 8}, "a field's name must be a text, not True; put it in quotes"),
    ],
)
def test_an_example_that_shows_nothing_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        sent(given)
    assert words in str(caught.value)


def test_two_forms_are_one_too_many() -> None:
    with pytest.raises(ConfigError, match="response_format stands in extra_body too; keep one"):
        read_response_format({"response_format": {"score": 8}, "extra_body": {"response_format": {}}}, "conf.yaml")


def test_what_a_prompt_shows_is_the_example_as_written() -> None:
    form = read_response_format({"response_format": {"why": "é", "score": 8.5}}, "conf.yaml")
    assert form is not None
    assert form.shown == '{\n  "why": "é",\n  "score": 8.5\n}'


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ({"response_format": {"score": 8}}, True),
        ({}, False),
        ({"response_format": {"type": "json_object"}}, False),
        ({"response_format": {"score": 8}, "prompt_template": "{{ x }} {{ response_format }}"}, False),
        ({"response_format": {"score": 8}, "system_prompt": "{{ response_format }}"}, False),
        ({"response_format": {"score": 8}, "prompt_template": "Mind the response_format: {{ x }}\n"}, True),
    ],
)
def test_an_instruction_is_added_where_no_template_shows_the_example(settings: dict[str, Any], *, asked: bool) -> None:
    given = {"prompt_template": "{{ x }}", **settings}
    user, _ = templates(given, read_response_format(given, "conf.yaml"), "conf.yaml")
    assert (user.text != given["prompt_template"]) == asked
    assert not asked or user.text.startswith(f"{given['prompt_template'].rstrip()}\n\nAnswer with one JSON object")
