"""context-bench's datasets on the Hugging Face hub, loaded by the optional package `datasets`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from string import ascii_uppercase
from typing import Any, TypeGuard

import yaml

from gavelkit.catalog import shipped_file
from gavelkit.core.errors import DataError, UsageError
from gavelkit.core.path import Path
from gavelkit.integrations.context_bench_forms import conversation
from gavelkit.integrations.hub import load_from_hub


@dataclass(frozen=True, slots=True)
class HubDataset:
    """Where a dataset lies, and which of its columns become a row. The shipped list says what each field means."""

    path: str
    split: str
    config: str | None = None
    configs: bool = False
    id: str = ""
    question: str = ""
    asks: str = ""
    answer: str = ""
    after: str = ""
    context: str = ""
    titles: str = ""
    choices: str = ""
    labels: str = ""
    turns: str = ""
    references: str = ""


@cache
def hub_datasets() -> Mapping[str, HubDataset]:
    """The shipped list, by name."""
    given = yaml.safe_load(shipped_file("context_bench_datasets.yaml").read_text(encoding="utf-8"))
    return {name: HubDataset(**fields) for name, fields in given["datasets"].items()}


def hub_rows(name: str, n: int | None = None, *, config: str | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a shipped name, at most `n`, each with `id`, `question`, `answer` and `context`.

    Raises UsageError without the package `datasets` and for a config where there is no choice, DataError for what
    cannot be loaded and for a row whose columns are others.
    """
    listed = hub_datasets()
    known = listed[name]
    if config is not None and not known.configs:
        message = f"the dataset {name!r} has no configs to choose from; "
        raise UsageError(message + f"these have: {', '.join(each for each in listed if listed[each].configs)}")
    rows = load_from_hub(known.path, config or known.config, known.split, named=name)
    for number, row in enumerate(islice(rows, n)):
        yield _row(known, row, number, f"{name}: row {number}")


def _row(known: HubDataset, row: Mapping[str, Any], number: int, place: str) -> dict[str, Any]:
    try:
        return {"id": _value(row, known.id) if known.id else number, **_content(known, row, place)}
    except (LookupError, TypeError, ValueError) as error:
        message = f"{place}: its columns are no longer those of the list: {error}"
        raise DataError(message) from error


def _content(known: HubDataset, row: Mapping[str, Any], place: str) -> dict[str, Any]:
    if known.turns:
        return conversation(_value(row, known.turns), _value(row, known.references), place)
    question = known.asks or _text(_value(row, known.question))
    if known.choices:
        return _choice(known, row, question)
    answer = _text(_value(row, known.answer))
    if known.after:
        answer = answer.rpartition(known.after)[2].strip()
    return {"question": question, "answer": answer, "context": _context(known, row) or question}


def _choice(known: HubDataset, row: Mapping[str, Any], question: str) -> dict[str, Any]:
    """A question with its possible answers: they stand in the context, lettered, and the right one is the answer."""
    choices, right = list(_value(row, known.choices)), _value(row, known.answer)
    at = list(_value(row, known.labels)).index(right) if known.labels else int(right)
    lettered = "\n".join(f"{letter}) {choice}" for letter, choice in zip(ascii_uppercase, choices, strict=False))
    return {
        "question": question,
        "answer": _text(choices[at]),
        "context": f"{question}\n\n{lettered}",
        "choices": choices,
        "correct_letter": ascii_uppercase[at],
    }


def _context(known: HubDataset, row: Mapping[str, Any]) -> str:
    """The passages one below the other, each behind its title where there are titles."""
    value = _value(row, known.context) if known.context else ""
    passages = [_joined(each) for each in value] if _is_list(value) else [_text(value)]
    if known.titles:
        passages = [f"{a}: {b}" for a, b in zip(_value(row, known.titles), passages, strict=False)]
    return "\n".join(each for each in passages if each)


def _joined(sentences: object) -> str:
    return "".join(map(_text, sentences)) if _is_list(sentences) else _text(sentences)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _value(row: Mapping[str, Any], column: str) -> Any:
    return Path.parse(column).get(row)


def _text(value: object) -> str:
    return "" if value is None else str(value)
