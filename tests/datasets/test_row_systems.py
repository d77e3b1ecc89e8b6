"""The responses of several systems in one value of a row."""

from __future__ import annotations

from typing import Any

import pytest

from gavelkit.core.errors import DataError
from gavelkit.datasets.row_systems import plural_column, read_systems


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"predictions": {"a": "1"}, "outputs": {"a": "2"}, "responses": {"a": "3"}}, "responses"),
        ({"predictions": {"a": "1"}, "outputs": [{"id": "a", "output": "2"}]}, "outputs"),
        ({"predictions": {"a": None}}, "predictions"),
        ({"responses": {"a": 1}, "predictions": {"a": "1"}}, "predictions"),
        ({"responses": ["1"], "outputs": [], "predictions": {}}, None),
        ({"response": {"a": "1"}}, None),
    ],
)
def test_a_column_of_several_systems_is_told_by_what_it_holds(row: dict[str, Any], column: str | None) -> None:
    assert plural_column(row) == column


def test_bare_responses_are_counted_only_where_they_are_asked_for() -> None:
    assert read_systems(["x", "y"], "said", place="here", bare=True) == {"1": "x", "2": "y"}
    with pytest.raises(DataError, match=r"here: each item of said needs id \(or model\) and output"):
        read_systems(["x", "y"], "said", place="here", bare=False)


def test_a_list_of_named_and_bare_responses_is_refused() -> None:
    with pytest.raises(DataError, match=r"here: each item of said needs id \(or model\) and output"):
        read_systems([{"id": "a", "output": "x"}, "y"], "said", place="here", bare=True)


def test_systems_keep_their_order() -> None:
    assert list(read_systems({"b": "1", "a": "2"}, "said", place="here", bare=True)) == ["b", "a"]
