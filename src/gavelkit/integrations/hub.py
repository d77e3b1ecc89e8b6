"""Datasets of the Hugging Face hub, by the optional package `datasets`, and the addresses that name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Self
from urllib.parse import parse_qs, urlsplit

from gavelkit.core.errors import DataError, UsageError
from gavelkit.core.path import did_you_mean

SCHEME: Final = "hf"
_OPTIONS: Final = ("split", "filter_field", "filter_value")


def load_from_hub(path: str, config: str | None, split: str, *, named: str) -> Iterable[Mapping[str, Any]]:
    """The rows, which can be read again. Raises UsageError without the package, DataError for what it cannot load."""
    try:
        package = import_module("datasets")
    except ImportError as error:
        message = f"the dataset {named!r} is loaded from the hub by a package more: pip install datasets"
        raise UsageError(message) from error
    try:
        rows: Iterable[Mapping[str, Any]] = package.load_dataset(path, config, split=split)
    except Exception as error:  # the package raises errors of many kinds, its own and others'
        message = f"{named}: {path} cannot be loaded: {error}; a file of its rows as JSONL is read as well"
        raise DataError(message) from error
    return rows


@dataclass(frozen=True, slots=True)
class HubAddress:
    """`hf://ORG/NAME?split=SPLIT`, with a config behind the name, or only the rows whose `field` has one `value`."""

    path: str
    split: str
    config: str | None = None
    field: str = ""
    value: str = ""

    @classmethod
    def parse(cls, address: str) -> Self:
        """Raises UsageError, naming the address, for one that says too little, or what is not done here."""
        parts = urlsplit(address)
        names = [each for each in (parts.netloc, *parts.path.split("/")) if each]
        given = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        unknown = next((name for name in given if name not in _OPTIONS), None)
        if unknown is not None:
            hint = did_you_mean(unknown, _OPTIONS)
            message = f"{address}: {unknown} is nothing that an address may say here{hint}; code of others is never run"
            raise UsageError(message)
        if len(names) not in {2, 3} or not given.get("split"):
            message = f"{address}: a dataset of the hub is hf://ORG/NAME?split=SPLIT, or hf://ORG/NAME/CONFIG?split=..."
            raise UsageError(message)
        if ("filter_field" in given) != ("filter_value" in given):
            message = f"{address}: filter_field and filter_value belong together"
            raise UsageError(message)
        config = names[2] if names[2:] else None
        field, value = given.get("filter_field", ""), given.get("filter_value", "")
        return cls("/".join(names[:2]), given["split"], config, field, value)

    def load(self) -> Iterable[Mapping[str, Any]]:
        """All rows of the split. Raises as `load_from_hub` does."""
        return load_from_hub(self.path, self.config, self.split, named=self.path)

    def chosen(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Those of the rows that are meant. Raises DataError where one has no such field."""
        for row in rows:
            if self.field and self.field not in row:
                message = f"{self.path}: filter_field: there is no column {self.field!r}; there are {', '.join(row)}"
                raise DataError(message)
            if not self.field or str(row[self.field]) == self.value:
                yield row
