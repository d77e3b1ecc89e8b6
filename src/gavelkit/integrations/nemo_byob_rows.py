"""The rows of a bring-your-own benchmark: where they lie, what of them is kept, and the examples drawn from them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gavelkit.core.errors import DataError, TemplateError
from gavelkit.datasets import RowMapping, Source, open_source
from gavelkit.datasets.lm_eval import Samples
from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_model import Asked, Examples, columns, examples_of
from gavelkit.integrations.nemo_byob_registry import Benchmark


def rows_of(path: Path, benchmark: Benchmark, response_field: str) -> Source:
    """The rows of a file, each whole under `doc`, its columns renamed; ids are their numbers from 0."""
    opened = open_source(path, RowMapping(answered=False))
    renamed = benchmark.field_mapping or {}

    def rows() -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, (line, given) in enumerate(opened.rows()):
            row = columns(given, renamed)
            shown = {"question": row["question"]} if "question" in row else {}
            target = {"reference": row[benchmark.target_field]} if benchmark.target_field in row else {}
            response = {"response": _said(row.get(response_field))} if response_field else {}
            yield line, {"id": str(number), "doc": row, **shown, **target, **response}

    mapping = RowMapping({"response": "response"} if response_field else None, answered=bool(response_field))
    samples = Samples(rows, place=str(path), rereadable=opened.rereadable)
    return Source(opened.name, samples, mapping, path=str(path), rereadable=opened.rereadable)


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


def data_path(benchmark: Benchmark, given: str | Path | None = None, *, what: str = "dataset") -> Path:
    """The file given, from where one stands; the benchmark's own from beside its file first. Raises ByobError."""
    named = str(benchmark.dataset if given is None else given)
    if "://" in named:
        message = f"{what}: {named!r} is no file: save the rows as JSON Lines, and name the file with --dataset"
        raise ByobError(message)
    beside = Path(inspect.getfile(benchmark.scorer_fn)).parent / named
    return beside if given is None and beside.exists() else Path(named)


def drawn_examples(benchmark: Benchmark, path: Path, *, seed: int) -> Examples | None:
    """The examples that a benchmark wants, from its rows or from those of `fewshot_dataset`. Raises UsageError."""
    if not benchmark.num_fewshot:
        return None
    if benchmark.fewshot_dataset is not None:
        path = data_path(replace(benchmark, dataset=benchmark.fewshot_dataset), what="fewshot_dataset")
    renamed = benchmark.field_mapping or {}
    rows = (columns(row, renamed) for _, row in open_source(path, RowMapping(answered=False)).rows())
    return examples_of(benchmark, rows, benchmark.num_fewshot, seed=seed)


def _said(response: Any) -> str:
    """A model that said nothing is scored for an empty response, not for the word None."""
    return "" if response is None else str(response)
