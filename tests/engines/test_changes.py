"""How each refused parameter is asked for otherwise."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from gavelkit.core.message import Parameters
from gavelkit.engines.changes import CHANGES, REFUSABLE

CHANGE = {change.name: change for change in CHANGES}
SCHEMA = json.dumps({"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}})
OBJECT = json.dumps({"type": "json_object"})


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("max_tokens renamed", {"max_tokens": 9, "n": 1}, {"max_completion_tokens": 9, "n": 1}),
        ("max_tokens renamed", {"max_tokens": 9, "max_completion_tokens": 7}, {"max_completion_tokens": 7}),
        ("max_completion_tokens renamed", {"max_completion_tokens": 9}, {"max_tokens": 9}),
        ("temperature left out", {"temperature": 0.0, "n": 1}, {"n": 1}),
        ("top_p left out", {"top_p": 0.5}, {}),
        ("seed left out", {"seed": 1}, {}),
        ("logprobs left out", {"logprobs": True, "top_logprobs": 20}, {}),
        ("response_format left out", {"response_format": {"type": "json_object"}}, {}),
        ("response_format left out", {"response_format": "odd"}, {}),
    ],
)
def test_a_refused_parameter_is_renamed_or_left_out(
    name: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    assert CHANGE[name].make(Parameters("m", before)).values == after


@pytest.mark.parametrize("change", CHANGES, ids=[change.name for change in CHANGES])
def test_where_there_is_nothing_to_change_the_same_parameters_come_back(change: Any) -> None:
    asked = Parameters("m", {"n": 1})
    assert change.make(asked) is asked


def test_a_schema_becomes_any_object_and_then_nothing() -> None:
    as_object, left_out = CHANGE["json_schema as json_object"], CHANGE["response_format left out"]
    asked = Parameters("m", {"n": 1}, SCHEMA)
    assert json.loads(as_object.make(asked).response_format) == {"type": "json_object"}
    assert left_out.make(as_object.make(asked)) == Parameters("m", {"n": 1})


def test_an_endpoint_that_takes_no_object_may_still_take_a_schema() -> None:
    asked = Parameters("m", {}, SCHEMA)
    assert CHANGE["response_format left out"].make(asked) is asked
    plain = Parameters("m", {}, OBJECT)
    assert CHANGE["json_schema as json_object"].make(plain) is plain


def test_a_schema_among_the_other_values_is_found_too() -> None:
    asked = Parameters("m", {"n": 1, "response_format": json.loads(SCHEMA)})
    assert CHANGE["json_schema as json_object"].make(asked).text == Parameters("m", {"n": 1}, OBJECT).text


def test_every_change_says_what_is_lost_and_every_parameter_is_known() -> None:
    assert all(change.says.startswith(tuple(change.parameters)) for change in CHANGES)
    assert {
        "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "response_format", "logprobs",
        "top_logprobs",
    } == REFUSABLE  # fmt: skip
