"""The shipped price table, and a user's own before it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gavelkit.catalog import price_of, read_prices, shipped_file
from gavelkit.core.errors import ConfigError


def test_every_shipped_price_has_its_date_and_output_costs_more_than_input() -> None:
    for price in read_prices():
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", price.as_of), price.models
        assert 0 < price.input < price.output, price.models


def test_the_file_says_that_it_may_be_out_of_date() -> None:
    text = shipped_file("prices.yaml").read_text(encoding="utf-8")
    assert "may be out of date" in text
    assert "check your provider" in text


@pytest.mark.parametrize(
    ("model", "costs"),
    [
        ("gpt-4", (30, 60)),
        ("gpt-4o", (2.5, 10)),
        ("gpt-4o-mini", (0.15, 0.6)),
        ("gpt-4o-mini-2024-07-18", (0.15, 0.6)),
        ("gpt-3.5-turbo", (0.5, 1.5)),
        ("gpt-4.1-mini", (0.4, 1.6)),
        ("claude-haiku-4-5-20251001", (1, 5)),
        ("claude-sonnet-4-5-20250929", (3, 15)),
        ("gpt-4o-audio-preview", None),
        ("meta-llama/Llama-3-70B-Instruct", None),
        ("simulated", None),
    ],
)
def test_a_model_has_its_own_price_or_none(model: str, costs: tuple[float, float] | None) -> None:
    price = price_of(model, read_prices())
    assert (None if price is None else (price.input, price.output)) == costs


def test_a_cost_is_per_million_tokens() -> None:
    price = price_of("gpt-4o", read_prices())
    assert price is not None
    assert price.cost(1_000_000, 500_000) == pytest.approx(2.5 + 5)


def test_a_users_own_price_wins(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("prices:\n  - {models: 'gpt-4*', input: 1, output: 2}\n")
    price = price_of("gpt-4o", read_prices(path))
    assert price is not None
    assert (price.input, price.output, price.as_of, price.source) == (1, 2, "", str(path))
    assert price_of("claude-3-haiku-20240307", read_prices(path)) is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a price file holds `prices:`, a list of entries such as {models: [my-model]"),
        ("[1]", "a price file holds `prices:`"),
        ("prices: {a: 1}", "a price file holds `prices:`"),
        ("prices: [7]", "prices[1] must be an entry such as"),
        ("prices: [{models: [m], input: 1}]", "prices[1] must be an entry such as"),
        ("prices: [{models: [m], input: 1, output: 1, cached: 1}]", "prices[1] must be an entry such as"),
        ("prices: [{models: [7], input: 1, output: 1}]", "prices[1] must be an entry such as"),
        ("prices: [{models: m, input: cheap, output: 1}]", "prices[1]: input and output are USD per million tokens"),
        ("prices: [{models: m, input: -1, output: 1}]", "prices[1]: input and output are USD per million tokens"),
        ("prices: [{models: m, input: .nan, output: 1}]", "prices[1]: input and output are USD per million tokens"),
        ("prices: [", "the prices are no YAML"),
    ],
)
def test_a_file_that_is_none_is_refused_with_what_would_be_right(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(words)) as caught:
        read_prices(path)
    assert str(caught.value).startswith(str(path))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the prices cannot be read: No such file"):
        read_prices(tmp_path / "none.yaml")
