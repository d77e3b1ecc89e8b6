"""Where examples come from: a file of a known type, or rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from gavelkit.core.errors import DataError
from gavelkit.core.example import ONLY_SYSTEM, Example
from gavelkit.core.hash_index import HashIndex
from gavelkit.core.identity import short_hash
from gavelkit.datasets.delimited import read_delimited
from gavelkit.datasets.jsonl import read_jsonl
from gavelkit.datasets.lm_eval import Samples, task_of
from gavelkit.datasets.mapping import RowMapping
from gavelkit.datasets.parquet import read_parquet

Rows = Iterator[tuple[int, dict[str, Any]]]
Reader = Callable[[Path], Rows]

READERS: Mapping[str, Reader] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".parquet": read_parquet,
}


@dataclass(frozen=True, slots=True)
class Source:
    """Examples that can be read again and again (`rereadable`), or once, as from a pipe."""

    name: str
    rows: Samples
    mapping: RowMapping
    path: str = ""
    rereadable: bool = True

    def examples(self, *, limit: int | None = None) -> Iterator[Example]:
        """The first `limit` examples in order. Raises DataError naming file, line and field."""
        for number, (line, row) in enumerate(islice(self.rows(), limit), start=1):
            yield self.mapping.example(row, number=number, source=self.path, line=line)


def open_source(path: str | Path, mapping: RowMapping) -> Source:
    """A data file by its ending. Raises DataError for a missing file or a type nobody reads."""
    file = Path(path)
    if not file.exists():
        message = f"{file}: there is no such file"
        raise DataError(message)
    reader = _reader(file)
    name = file.name.removesuffix(".gz")
    stem = Path(name).stem if Path(name).suffix in READERS else name
    again = file.is_file()
    rows = Samples(lambda: reader(file), chosen=mapping.filter, place=str(file), rereadable=again)
    return Source(task_of(stem), rows, mapping, path=str(file), rereadable=again)


def rows_source(rows: Iterable[Any], mapping: RowMapping, *, name: str = "rows") -> Source:
    """Rows in memory; an iterator can be read once."""
    once = iter(rows) is rows

    def numbered() -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, Mapping):
                message = f"row {number}: a mapping is needed, not {type(row).__name__}"
                raise DataError(message)
            yield number, row

    samples = Samples(numbered, chosen=mapping.filter, place=name, rereadable=not once)
    return Source(name, samples, mapping, rereadable=not once)


def refuse_duplicates(examples: Iterable[Example]) -> Iterator[Example]:
    """The same examples. Raises DataError where an id comes twice for one system, naming both lines."""
    seen = HashIndex()
    for example in examples:
        for system in example.responses or (ONLY_SYSTEM,):  # a row that nobody has answered yet
            key = short_hash(f"{example.id}\0{system}")
            first = seen.get(key)
            if first is not None:
                of = f" for system {system!r}" if system else ""
                message = f"{example.place}: the id {example.id!r} stands already in line {first}{of}; ids must differ"
                raise DataError(message)
            seen.put(key, example.line)
        yield example


def _reader(file: Path) -> Reader:
    suffixes = [suffix for suffix in file.suffixes if suffix != ".gz"]
    reader = READERS.get(suffixes[-1].lower()) if suffixes else None
    if reader is None and not file.is_file():
        return read_jsonl
    if reader is None:
        known = ", ".join((*READERS, ".jsonl.gz"))
        message = f"{file}: a data file ends in one of {known}"
        raise DataError(message)
    return reader
