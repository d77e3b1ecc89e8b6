"""What models cost: the shipped table of list prices, and a user's own in the same form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from gavelkit.catalog.reader import shipped_file
from gavelkit.core.errors import ConfigError

_MILLION = 1_000_000
_FIELDS = {"models", "input", "output", "as_of"}


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens for the models whose names match, as published on a date."""

    models: tuple[str, ...]
    input: float
    output: float
    as_of: str
    source: str

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost, in USD."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION


def read_prices(own: Path | None = None) -> tuple[Price, ...]:
    """The shipped prices, and before them those of a user's file. Raises ConfigError naming the file and entry."""
    shipped = _read(shipped_file("prices.yaml"), "the shipped list prices")
    return shipped if own is None else (*_read(own, str(own)), *shipped)


def price_of(model: str, prices: Sequence[Price]) -> Price | None:
    """The first price that names the model; None where none does."""
    return next((price for price in prices if any(fnmatchcase(model, each) for each in price.models)), None)


def _read(path: Path, source: str) -> tuple[Price, ...]:
    try:
        given: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{path}: the prices cannot be read: {error.strerror or error}"
        raise ConfigError(message) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        message = f"{path}: the prices are no YAML: {' '.join(str(error).split())}"
        raise ConfigError(message) from error
    entries = given.get("prices") if isinstance(given, dict) else None
    if not isinstance(entries, list):
        message = f"{path}: a price file holds `prices:`, a list of entries such as {_example()}"
        raise ConfigError(message)
    return tuple(_price(entry, f"{path}: prices[{number}]", source) for number, entry in enumerate(entries, start=1))


def _price(entry: Any, where: str, source: str) -> Price:
    known = isinstance(entry, dict) and {"models", "input", "output"} <= entry.keys() <= _FIELDS
    models = entry["models"] if known else None
    names = [models] if isinstance(models, str) else models
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        message = f"{where} must be an entry such as {_example()}"
        raise ConfigError(message)
    costs = [entry["input"], entry["output"]]
    if any(isinstance(each, bool) or not isinstance(each, int | float) or not 0 <= each < _MILLION for each in costs):
        message = f"{where}: input and output are USD per million tokens, not {costs[0]!r} and {costs[1]!r}"
        raise ConfigError(message)
    return Price(tuple(names), float(costs[0]), float(costs[1]), str(entry.get("as_of", "")), source)


def _example() -> str:
    return "{models: [my-model], input: 0.5, output: 1.5, as_of: 2026-01-31}"
