"""Several files side by side: the rows with one id become one example, with a response from each file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import ONLY_SYSTEM, Example
from gavelkit.datasets.lm_eval import Samples
from gavelkit.datasets.mapping import RowMapping
from gavelkit.datasets.shared_ids import MOST_FILES, SharedIds, first_file
from gavelkit.datasets.source import Source, open_source

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class JoinedSource(Source):
    """Files joined by id, one a system: `files` are their sources by the system's name.

    Examples come in the order of the first file, then the rows of each later file that those before it lack. Everything
    but the responses is the first file's that has the row. The files' ids are read once beforehand; then the files are
    read in lockstep, and only rows that stand in another order are held.
    """

    files: Mapping[str, Source] = field(default_factory=dict)
    ids: SharedIds = field(kw_only=True, compare=False, repr=False)

    def examples(self, *, limit: int | None = None) -> Iterator[Example]:
        """The first `limit` examples in order.

        Raises DataError: what a file alone would raise; an id twice in a file; a file that shares no id with another;
        a row with several systems; rows of one id with different questions or references.
        """
        return islice(self._examples(), limit)

    @property
    def lonely(self) -> Mapping[str, int]:
        """How many rows stand in one file alone, by system. Raises DataError as `examples` does for ids."""
        return dict(zip(self.files, self.ids.counts().lonely, strict=True))

    def _examples(self) -> Iterator[Example]:
        sources = list(self.files.values())
        for leader, led in enumerate(self.ids.counts().led):
            if led:
                yield from self._led_by(leader, sources)

    def _led_by(self, leader: int, sources: Sequence[Source]) -> Iterator[Example]:
        """The examples of which this file is the first."""
        names = list(self.files)
        others = {at: _Beside(sources[at], self._leads(leader)) for at in range(leader + 1, len(sources))}
        for example in filter(self._leads(leader), sources[leader].examples()):
            files = self.ids.files(example)
            found = {names[leader]: _only_response(example)}
            for at, other in others.items():
                beside = other.take(example.id) if files >> at & 1 else None
                if beside is not None:
                    _refuse_other(example, beside)
                    found[names[at]] = _only_response(beside)
            yield replace(example, responses=found)

    def _leads(self, leader: int) -> Callable[[Example], bool]:
        return lambda example: first_file(self.ids.files(example)) == leader


def joined_source(files: Mapping[str, str | Path], mapping: RowMapping) -> JoinedSource:
    """Data files by the names of the systems that answered in them, each row with an id and one response.

    Raises ConfigError where the mapping names systems itself, or there are no two named files; DataError as
    `open_source` does, and for a pipe, since files that are joined are read more than once.
    """
    if len(files) not in range(2, MOST_FILES + 1) or "" in files:
        message = f"files to be joined: 2 to {MOST_FILES} are needed, each with a name, not {list(files)!r}"
        raise ConfigError(message)
    if mapping.names_systems:
        message = "map: files that are joined are a system each, so response must be one path and system left out"
        raise ConfigError(message)
    sources = {name: open_source(path, mapping) for name, path in files.items()}
    for source in sources.values():
        if not source.rereadable and not Path(source.path).is_dir():
            message = f"{source.path}: files that are joined are read more than once, which a pipe cannot be"
            raise DataError(message)
    several = list(sources.values())
    return JoinedSource(
        name="-and-".join(dict.fromkeys(source.name for source in several)),
        rows=Samples(lambda: _all_rows(several), place=several[0].path, rereadable=True),
        mapping=mapping,
        path=", ".join(f"{name}={source.path}" for name, source in sources.items()),
        files=sources,
        ids=SharedIds(several),
    )


class _Beside:
    """One of the later files: gives the row of an id, and holds what it passes on the way there."""

    __slots__ = ("_examples", "_held")

    def __init__(self, source: Source, wanted: Callable[[Example], bool]) -> None:
        self._examples = filter(wanted, source.examples())
        self._held: dict[str, Example] = {}

    def take(self, identifier: str) -> Example | None:
        if identifier in self._held:
            return self._held.pop(identifier)
        for example in self._examples:
            if example.id == identifier:
                return example
            self._held[example.id] = example
        return None


def _all_rows(sources: Sequence[Source]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for source in sources:
        yield from source.rows()


def _only_response(example: Example) -> Any:
    if list(example.responses) != [ONLY_SYSTEM]:
        named = ", ".join(map(repr, example.responses))
        message = f"{example.place}: a row that is joined holds one response, and here are the systems {named}"
        raise DataError(message)
    return example.responses[ONLY_SYSTEM]


def _refuse_other(example: Example, beside: Example) -> None:
    """Rows with one id must be about the same; what a later file does not say is no difference."""
    told = {
        "question": (example.fields.get("question"), beside.fields.get("question")),
        "reference": (example.reference, beside.reference),
    }
    for name, (here, there) in told.items():
        if here is not None and there is not None and here != there and str(here) != str(there):
            message = (
                f"{beside.place}: the id {example.id!r} has another {name} than in {example.place}: "
                f"{_start(there)} and {_start(here)}; rows with one id must be about the same"
            )
            raise DataError(message)


def _start(value: Any) -> str:
    text = str(value)
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
