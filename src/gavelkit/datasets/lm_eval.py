"""lm-eval's samples: each row gets the id, the question and the response that its users mean. Knows no mapping."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from gavelkit.core.errors import DataError

Row = Mapping[str, Any]
Rows = Iterable[tuple[int, Row]]

_QUESTIONS = ("question", "input", "instruction", "prompt")
_SAMPLES = re.compile(r"samples_(.+?)_\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:[.-]\d+)?")
_UNFILTERED = "none"


def is_sample(row: Row) -> bool:
    """Whether a row is one that lm-eval logs: it has `doc_id`, `doc`, `target`, and `filtered_resps` or `resps`."""
    if "doc_id" not in row or "target" not in row or not isinstance(row.get("doc"), dict):
        return False
    return isinstance(row.get("filtered_resps"), list) or isinstance(row.get("resps"), list)


def task_of(stem: str) -> str:
    """The task that a file `samples_<task>_<time>` is about; any other stem as it is."""
    match = _SAMPLES.fullmatch(stem)
    return match[1] if match else stem


class Samples:
    """Rows of which lm-eval's get the columns `id`, `question` and `response`; all others stay as they are.

    The id is `doc_id`, with the filter's name where the rows come from several filters. `chosen` keeps the rows of one
    filter. Rows that can be read only once always tell their filter in the id. Raises DataError where no row has the
    chosen filter.
    """

    __slots__ = ("_chosen", "_place", "_rereadable", "_rows", "_several")

    def __init__(self, rows: Callable[[], Rows], *, chosen: str = "", place: str, rereadable: bool) -> None:
        self._rows = rows
        self._chosen = chosen
        self._place = place
        self._rereadable = rereadable
        self._several: bool | None = None

    def __call__(self) -> Iterator[tuple[int, Row]]:
        if self._chosen:
            yield from self._of_one_filter()
            return
        for line, row in self._rows():
            yield line, self._named(row) if is_sample(row) else row

    @property
    def mixed(self) -> bool:
        """Whether the rows are samples of several filters, where that can be known beforehand. Raises DataError."""
        if self._chosen or not self._rereadable:
            return False
        _line, first = next(iter(self._rows()), (0, {}))
        if self._several is None and is_sample(first):
            self._several = self._has_several()
        return bool(self._several)

    def _of_one_filter(self) -> Iterator[tuple[int, Row]]:
        seen: dict[str, None] = {}
        for line, row in self._rows():
            name = _filter(row) if is_sample(row) else None
            if name == self._chosen:
                yield line, _read(row, row["doc_id"])
            if name is not None:
                seen[name] = None
        if self._chosen not in seen:
            there = f"there are {', '.join(seen)}" if seen else "only samples of lm-eval have one"
            message = f"{self._place}: no row has the filter {self._chosen!r}; {there}"
            raise DataError(message)

    def _named(self, row: Row) -> Row:
        if self._several is None:
            self._several = self._has_several() if self._rereadable else True
        name = _filter(row)
        apart = self._several and (self._rereadable or name != _UNFILTERED)
        return _read(row, f"{row['doc_id']}:{name}" if apart else row["doc_id"])

    def _has_several(self) -> bool:
        seen: set[str] = set()
        for _line, row in self._rows():
            if is_sample(row):
                seen.add(_filter(row))
            if len(seen) > 1:
                return True
        return False


def _filter(row: Row) -> str:
    return str(row.get("filter", _UNFILTERED))


def _read(row: Row, identifier: Any) -> Row:
    """The row with its new columns."""
    columns: dict[str, Any] = {"id": identifier}
    question = next((row["doc"][name] for name in _QUESTIONS if name in row["doc"]), None)
    if question is not None and not any(name in row for name in _QUESTIONS):
        columns["question"] = question
    found, response = _response(row)
    if found:
        columns["response"] = response
    return {**row, **columns}


def _response(row: Row) -> tuple[bool, Any]:
    """What the filter left, else what the model said first. Lists are no text: likelihoods, or several answers."""
    filtered, raw = row.get("filtered_resps"), row.get("resps")
    if filtered:
        value = filtered[0]
    elif raw and isinstance(raw[0], list) and raw[0]:
        value = raw[0][0]
    else:
        return False, None
    return not isinstance(value, list | dict), value
