"""Which of several files have a row of which id. Knows nothing of what else the rows hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from gavelkit.core.errors import DataError
from gavelkit.core.example import Example
from gavelkit.core.hash_index import HashIndex
from gavelkit.core.identity import short_hash
from gavelkit.datasets.source import Source

MOST_FILES = 60
"""Each file is a bit of a signed 64-bit number."""


@dataclass(frozen=True, slots=True)
class Counts:
    """For each file how many ids it is the first to have (`led`), and how many no other has (`lonely`)."""

    led: Sequence[int]
    lonely: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A row that a message may point at: a file's first."""

    place: str
    identifier: str
    own: bool


class SharedIds:
    """The ids of several files, read once when they are asked for. Holds a hash and a number for each id."""

    __slots__ = ("_counts", "_found", "_sources")

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._found = HashIndex()
        self._counts: Counts | None = None

    def counts(self) -> Counts:
        """What the ids come to.

        Raises DataError: what a file alone would raise; a file without rows; an id twice in one file; ids in some rows
        and none in others, whose numbers would meet ids by chance; a file that shares no id with any other.
        """
        if self._counts is None:
            self._found = HashIndex()
            firsts: list[_Seen] = []
            for at in range(len(self._sources)):
                firsts.append(self._read_file(at, firsts))
            sets = Counter(map(itemgetter(1), self._found.items()))
            _refuse_strangers(firsts, sets)
            self._counts = _counts(sets, len(firsts))
        return self._counts

    def files(self, example: Example) -> int:
        """The files that have the example's id, a bit each. Raises DataError where none had it when they were read."""
        files = self._found.get(short_hash(example.id))
        if files is None:
            message = f"{example.place}: the id {example.id!r} is new: the file changed while it was read; start again"
            raise DataError(message)
        return files

    def _read_file(self, at: int, firsts: Sequence[_Seen]) -> _Seen:
        first, source = None, self._sources[at]
        for line, identifier, own in _numbered(source):
            first = first or _Seen(f"{source.path}:{line}", identifier, own)
            _refuse_unlike(f"{source.path}:{line}", firsts[0] if firsts else first, own=own)
            key = short_hash(identifier)
            files = self._found.get(key) or 0
            if files >> at & 1:
                before = next(number for number, each, _own in _numbered(source) if each == identifier)
                message = (
                    f"{source.path}:{line}: the id {identifier!r} stands already in line {before}; ids must differ"
                )
                raise DataError(message)
            self._found.put(key, files | 1 << at)
        if first is None:
            message = f"{source.path}: there is no row to join"
            raise DataError(message)
        return first


def first_file(files: int) -> int:
    """The number of the first of some files, given as bits."""
    return (files & -files).bit_length() - 1


def _numbered(source: Source) -> Iterator[tuple[int, str, bool]]:
    """Each row's line and id, and whether the id is its own and not its number."""
    for number, (line, row) in enumerate(source.rows(), start=1):
        identifier = source.mapping.identifier(row, number=number, source=source.path, line=line)
        yield line, identifier, source.mapping.has_id(row)


def _counts(sets: Counter[int], files: int) -> Counts:
    led, lonely = [0] * files, [0] * files
    for each, count in sets.items():
        led[first_file(each)] += count
        if each.bit_count() == 1:
            lonely[first_file(each)] += count
    return Counts(led, lonely)


def _refuse_unlike(place: str, first: _Seen, *, own: bool) -> None:
    if own != first.own:
        here, there = ("an id", "none") if own else ("no id", f"the id {first.identifier!r}")
        message = (
            f"{place}: the row has {here}, and {first.place} has {there}; rows are joined by their ids or, where none "
            f"has one, by their numbers; map: {{id: ...}} names the id"
        )
        raise DataError(message)


def _refuse_strangers(firsts: Sequence[_Seen], sets: Counter[int]) -> None:
    for at, first in enumerate(firsts):
        if not any(each >> at & 1 and each.bit_count() > 1 for each in sets):
            other = firsts[1 if at == 0 else 0]
            message = (
                f"{first.place}: no id of this file stands in another one: here is {first.identifier!r}, and "
                f"{other.place} has {other.identifier!r}; map: {{id: ...}} names an id that they share"
            )
            raise DataError(message)
