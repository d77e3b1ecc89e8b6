"""Where a JSON object ends, and which objects count."""

from __future__ import annotations

import pytest

from gavelkit.core.errors import ParseError
from gavelkit.parsing.json_block import DEEPEST, block_end, json_objects


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("no object {at} all {}", []),
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('x {"a": {"b": [1, {"c": 2}]}} y', [{"a": {"b": [1, {"c": 2}]}}]),
        ('{ \n "a": "}{][\\"" }', [{"a": '}{]["'}]),
        ('[{"a": 1}, {"b": 2}] {"c": 3}', [{"c": 3}]),
    ],
)
def test_objects_that_stand_on_their_own_are_found_in_order(text: str, found: list[object]) -> None:
    assert list(json_objects(text, "score")) == found


@pytest.mark.parametrize("text", ['{"a": "', '{"a": "\\', '{"a": "\\"', '{"a": [1', '{"a": 1]'])
def test_a_block_that_never_ends_has_no_end(text: str) -> None:
    assert block_end(text, 0) == (len(text) if text.endswith("]") else None)
    with pytest.raises(ParseError):
        list(json_objects(text, "score"))


def test_levels_are_counted() -> None:
    def nested(levels: int) -> str:
        return '{"a":' * levels + "1" + "}" * levels

    assert list(json_objects(nested(DEEPEST), "score"))
    with pytest.raises(ParseError, match="more than 64 levels"):
        list(json_objects(nested(DEEPEST + 1), "score"))
