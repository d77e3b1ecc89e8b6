"""Metrics are found under the names that they were given."""

from __future__ import annotations

import pytest

from gavelkit.integrations import context_bench_registry
from gavelkit.integrations.context_bench import MeanScore, PassRate, get_metric, register_metric


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_bench_registry, "_metrics", {})


def test_a_metric_is_found_by_its_name_and_the_last_one_counts() -> None:
    register_metric("mine", MeanScore())
    register_metric("mine", PassRate())
    assert get_metric("mine") == PassRate()


def test_an_unknown_metric_is_a_key_error_that_lists_what_there_is() -> None:
    with pytest.raises(KeyError, match="there are: none"):
        get_metric("mine")
    register_metric("b", MeanScore())
    register_metric("a", MeanScore())
    with pytest.raises(KeyError, match="no metric is registered as 'c'; there are: a, b"):
        get_metric("c")
