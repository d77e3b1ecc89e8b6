"""The rows of a bring-your-own benchmark: where they lie, what of them is kept, and the examples drawn from them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from gavelkit.core.errors import DataError, TemplateError
from gavelkit.datasets import RowMapping, Source, open_source
from gavelkit.datasets.lm_eval import Samples
from gavelkit.integrations.hub import SCHEME, HubAddress
from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_model import Asked, Examples, columns, examples_of
from gavelkit.integrations.nemo_byob_registry import Benchmark


def rows_of(opened: Source, benchmark: Benchmark, response_field: str) -> Source:
    """The rows as read, each whole under `doc`, its columns renamed; ids are their numbers from 0."""
    renamed = benchmark.field_mapping or {}

    def rows() -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, (line, given) in enumerate(opened.rows()):
            row = columns(given, renamed)
            shown = {"question": row["question"]} if "question" in row else {}
            target = {"reference": row[benchmark.target_field]} if benchmark.target_field in row else {}
            response = {"response": _said(row.get(response_field))} if response_field else {}
            yield line, {"id": str(number), "doc": row, **shown, **target, **response}

    mapping = RowMapping({"response": "response"} if response_field else None, answered=bool(response_field))
    samples = Samples(rows, place=opened.path, rereadable=opened.rereadable)
    return replace(opened, rows=samples, mapping=mapping)


def refuse_unfillable(source: Source, asked: Asked, response_field: str, *, limit: int | None) -> None:
    """Raises DataError where no row has what is wanted of it, which is a mistake and no gap in the data."""
    if not source.rereadable:
        return
    first = ""
    for example in source.examples(limit=limit):
        if response_field:
            if response_field in example.doc:
                return
            first = (
                first or f"{example.place}: there is no field {response_field!r}; there are {', '.join(example.doc)}"
            )
            continue
        try:
            asked(example)
        except TemplateError as error:
            first = first or str(error)
        else:
            return
    if first:
        message = f"no row has what is asked for: {first}"
        raise DataError(message)


def opened_data(benchmark: Benchmark, given: str | Path | None = None, *, what: str = "dataset") -> Source:
    """The data given, a file's from where one stands; the benchmark's own from beside its file first.

    Or those of the hub, `hf://ORG/NAME?split=SPLIT`. Raises UsageError.
    """
    named = str(benchmark.dataset if given is None else given)
    scheme, sign, _ = named.partition("://")
    mapping = RowMapping(answered=False)
    if sign and scheme != SCHEME:
        message = f"{what}: {named!r} is no file: save the rows as JSON Lines, and name the file with --dataset"
        raise ByobError(message)
    if sign:
        return _of_hub(HubAddress.parse(named), named)
    beside = Path(inspect.getfile(benchmark.scorer_fn)).parent / named
    return open_source(beside if given is None and beside.exists() else Path(named), mapping)


def _of_hub(address: HubAddress, named: str) -> Source:
    load = cache(address.load)
    rows = Samples(lambda: enumerate(address.chosen(load()), start=1), place=named, rereadable=True)
    return Source(address.path, rows, RowMapping(answered=False), path=named)


def drawn_examples(benchmark: Benchmark, data: Source, *, seed: int) -> Examples | None:
    """The examples that a benchmark wants, from its rows or from those of `fewshot_dataset`. Raises UsageError.

    Of a data set of the hub they come from its `fewshot_split`, where that is named.
    """
    if not benchmark.num_fewshot:
        return None
    if benchmark.fewshot_dataset is not None:
        data = opened_data(replace(benchmark, dataset=benchmark.fewshot_dataset), what="fewshot_dataset")
    if benchmark.fewshot_split is not None:
        data = _other_split(data.path, benchmark.fewshot_split)
    renamed = benchmark.field_mapping or {}
    rows = (columns(row, renamed) for _, row in data.rows())
    return examples_of(benchmark, rows, benchmark.num_fewshot, seed=seed)


def _other_split(named: str, split: str) -> Source:
    if not named.startswith(f"{SCHEME}://"):
        message = f"fewshot_split: {named} is a file, and has no splits; name a file with fewshot_dataset instead"
        raise ByobError(message)
    return _of_hub(replace(HubAddress.parse(named), split=split), named)


def _said(response: Any) -> str:
    """A model that said nothing is scored for an empty response, not for the word None."""
    return "" if response is None else str(response)
