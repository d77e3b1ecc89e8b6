"""context-bench's datasets by name: local files, loaders of your own, and the hub's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec

from gavelkit.core.errors import DataError, UsageError
from gavelkit.core.path import did_you_mean
from gavelkit.datasets.jsonl import read_jsonl
from gavelkit.datasets.lines import raw_lines
from gavelkit.integrations.context_bench_forms import plain_row
from gavelkit.integrations.context_bench_hub import hub_datasets, hub_rows

_FILES: Final = (".jsonl", ".jsonl.gz", ".json")
_loaders: dict[str, Callable[..., Iterable[Mapping[str, Any]]]] = {}


def load_dataset(name: str | Path, n: int | None = None) -> list[dict[str, Any]]:
    """The rows of a dataset, the first `n` where that is given, each with an `id` and the `dataset` it comes from.

    `name` is a loader's that was registered, a file ending in .jsonl, .jsonl.gz or .json (a list of objects), or one
    of the hub's in `dataset_names()`, some of them as NAME:config. Question files of MT-Bench and AlpacaEval are
    recognised by their keys. Raises DataError for an unknown name, a file that cannot be read and a row that is no
    object; UsageError where the package `datasets` is missing, for a config without choice, and for a negative `n`.
    """
    spec = str(name)
    if n is not None and n < 0:
        message = f"n is how many rows are loaded at most, 0 or more, and not {n}"
        raise UsageError(message)
    rows = islice(_rows(spec, n), n)
    return [{"id": number, "dataset": spec, **row} for number, row in enumerate(rows)]


def load_jsonl(path: str | Path, n: int | None = None) -> list[dict[str, Any]]:
    """The rows of a JSONL file, plain or .gz, as they are; one without `id` gets the number of its line, from 0.

    Blank lines are no rows: they count for the numbers, and not for `n`. Raises DataError naming file and line.
    """
    return [{**row, "id": row.get("id", line - 1)} for line, row in islice(read_jsonl(Path(path)), n)]


def register_dataset(name: str, loader: Callable[..., Iterable[Mapping[str, Any]]]) -> None:
    """Make `loader()` what `load_dataset(name)` loads, and `loader(n=n)` where it is told `n`. The last one counts."""
    _loaders[name] = loader


def dataset_names() -> list[str]:
    """Every name that `load_dataset` knows, sorted; files have none."""
    return sorted(_loaders.keys() | hub_datasets().keys())


def _rows(spec: str, n: int | None) -> Iterator[dict[str, Any]]:
    loader = _loaders.get(spec)
    if loader is not None:
        return _loaded(spec, loader() if n is None else loader(n=n))
    if spec.endswith(_FILES):
        return _file(Path(spec))
    name, colon, config = spec.partition(":")
    if name not in hub_datasets():
        raise DataError(_unknown(name))
    if colon and not config:
        message = f"{spec!r} names no config; leave out the colon, or write {name}:CONFIG"
        raise UsageError(message)
    return hub_rows(name, n, config=config or None)


def _loaded(name: str, rows: Iterable[object]) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            message = f"{name}: row {number}: a loader gives mappings, and there is a {type(row).__name__}"
            raise DataError(message)
        yield dict(row)


def _file(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".json":
        for number, row in enumerate(_listed(path)):
            yield {"id": number, **plain_row(row, f"{path}: item {number}")}
    else:
        for line, row in read_jsonl(path):
            yield {"id": line - 1, **plain_row(row, f"{path}:{line}")}


def _listed(path: Path) -> list[dict[str, Any]]:
    try:
        rows = msgspec.json.decode(b"".join(line for _, line in raw_lines(path)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"{path}: not JSON: {error}"
        raise DataError(message) from error
    if not isinstance(rows, list):
        message = f"{path}: a list of JSON objects is needed, and there is a {type(rows).__name__}"
        raise DataError(message)
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            message = f"{path}: item {number}: a JSON object is needed, and there is {str(row)[:60]!r}"
            raise DataError(message)
    return rows


def _unknown(name: str) -> str:
    near = did_you_mean(name, dataset_names())
    hint = f"{near} There" if "did you mean" in near else "; there"
    return (
        f"there is no dataset {name!r}{hint} are {', '.join(dataset_names())}, and files ending in {', '.join(_FILES)}"
    )
