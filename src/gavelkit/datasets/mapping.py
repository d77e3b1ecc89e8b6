"""How a row's columns become an example: by path where `map:` says so, else by the names users already have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import ONLY_SYSTEM, Example
from gavelkit.core.path import Path
from gavelkit.datasets.row_systems import PLURALS, plural_column, read_systems, text_of

ALIASES: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "input", "instruction", "prompt"),
    "response": ("response", "output", "prediction"),
    "reference": ("reference", "target", "expected", "expected_output"),
}
_LATE_RESPONSE = "answer"
_FALLBACK = "prediction_field"


class RowMapping:
    """Reads one row. The given mapping is the configuration's `map:`: a name to a path, `response` also to paths by
    system, `responses` to the path of a value that holds several systems. `filter` names the one filter of lm-eval's
    whose rows are read. `fallback` are further columns a response may stand in, tried before `answer`. Rows that are
    not `answered` have no response, whatever columns there are: a model is to give it.

    `spec` is all of it, as the record compares it. Raises ConfigError where a path is not one.
    """

    __slots__ = ("_answered", "_fallback", "_id", "_paths", "_responses", "_several", "_system", "filter", "spec")

    def __init__(
        self,
        spec: Mapping[str, Any] | None = None,
        *,
        filter: str = "",  # noqa: A002 - its name
        fallback: Sequence[str] = (),
        answered: bool = True,
    ) -> None:
        paths = dict(spec or {})
        self.filter = filter
        self._answered = answered
        self._fallback = tuple(name for name in dict.fromkeys(fallback) if name not in ALIASES["response"])
        marks = {**({"--filter": filter} if filter else {}), **({} if answered else {"--unanswered": True})}
        self.spec = {**paths, **marks, **self._fallback_spec(paths)}
        responses = paths.pop("response", None)
        named = responses if isinstance(responses, Mapping) else {ONLY_SYSTEM: responses} if responses else {}
        self._responses = {str(name): _path(f"response.{name}", text) for name, text in named.items()}
        self._several = _path("responses", paths.pop("responses")) if "responses" in paths else None
        self._id = _path("id", paths.pop("id")) if "id" in paths else None
        self._system = _path("system", paths.pop("system")) if "system" in paths else None
        self._paths = {name: _path(name, text) for name, text in paths.items()}
        if self._several is not None and self._responses:
            message = "map: response and responses both say where the responses are; give one of them"
            raise ConfigError(message)
        if self._system is not None and (self._several is not None or len(self._responses) > 1):
            message = "map: system names the system of a whole row, so response must be one path"
            raise ConfigError(message)

    def _fallback_spec(self, paths: Mapping[str, Any]) -> dict[str, Any]:
        if not self._fallback:
            return {}
        if _FALLBACK in paths:
            message = f"map: {_FALLBACK} is said by the criterion; name the column with map: {{response: ...}}"
            raise ConfigError(message)
        return {_FALLBACK: list(self._fallback)}

    @property
    def names_systems(self) -> bool:
        """Whether the mapping itself says which systems a row is about."""
        return self._system is not None or self._several is not None or bool(self._responses.keys() - {ONLY_SYSTEM})

    def has_id(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has an id of its own, not just its number."""
        return self._id is not None or "id" in row

    def identifier(self, row: Mapping[str, Any], *, number: int, source: str = "", line: int = 0) -> str:
        """The id that `example` would give the row. Raises DataError."""
        place = _place(number, source, line)
        try:
            return self._identifier(row, number, place)
        except LookupError as error:
            message = f"{place}: {error.args[0]}"
            raise DataError(message) from None

    def example(self, row: Mapping[str, Any], *, number: int, source: str = "", line: int = 0) -> Example:
        """The row as an example; its id is its number from 1 where it has none. Raises DataError."""
        place = _place(number, source, line)
        fields = dict(row)
        try:
            for name, path in self._paths.items():
                fields[name] = path.get(row)
            identifier = self._identifier(row, number, place)
            responses, used = self._answers(row, place)
        except LookupError as error:
            message = f"{place}: {error.args[0]}"
            raise DataError(message) from None
        question = _first(fields, ALIASES["question"])
        if question is not None and question != "question":
            fields["question"] = fields[question]
        doc = row.get("doc")
        return Example(
            id=identifier,
            fields=fields,
            responses=responses,
            references=self._references(fields, used),
            doc=doc if isinstance(doc, dict) else row,
            source=source,
            line=line or number,
        )

    def _identifier(self, row: Mapping[str, Any], number: int, place: str) -> str:
        if not self.has_id(row):
            return str(number)
        value = row["id"] if self._id is None else self._id.get(row)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            message = f"{place}: the id must be a text or a whole number, not {value!r}"
            raise DataError(message)
        return str(value)

    def _answers(self, row: Mapping[str, Any], place: str) -> tuple[dict[str, Any], AbstractSet[str]]:
        """The responses by system, and the columns they stood in."""
        if not self._answered:
            return {}, set()
        if self._several is not None:
            value = self._several.get(row)
            found = read_systems(value, self._several.text, place=place, bare=True)
            return found, {_top(self._several, row)}
        if self._responses:
            found = {name: text_of(path.get(row)) for name, path in self._responses.items()}
            return self._named(found, row), {_top(path, row) for path in self._responses.values()}
        column = _first(row, ALIASES["response"])
        if column is None or row[column] is None:
            plural = plural_column(row)
            if plural is not None:
                return read_systems(row[plural], plural, place=place, bare=False), {plural}
            column = _first(row, (*ALIASES["response"], *self._fallback))
        if column is None and _LATE_RESPONSE in row:
            column = _LATE_RESPONSE
        if column is None:
            looked = ", ".join((*ALIASES["response"], *PLURALS, *self._fallback, _LATE_RESPONSE))
            message = f"{place}: no response: looked for {looked}; name the field with map: {{response: ...}}"
            raise DataError(message)
        return self._named({ONLY_SYSTEM: text_of(row[column])}, row), {column}

    def _named(self, responses: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        if self._system is None:
            return responses
        (response,) = responses.values()
        return {str(self._system.get(row)): response}

    def _references(self, fields: Mapping[str, Any], used: AbstractSet[str]) -> tuple[Any, ...]:
        """What the row has under a reference's names; a column that gave the response is not its own reference."""
        taken = used - self._paths.keys()
        aliases = [alias for alias in ALIASES["reference"] if alias not in taken]
        column = "reference" if "reference" in self._paths else _first(fields, aliases)
        if column is None and _LATE_RESPONSE in fields and _LATE_RESPONSE not in taken:
            column = _LATE_RESPONSE
        value = None if column is None else fields[column]
        if value is None:
            return ()
        return tuple(value) if isinstance(value, list) else (value,)


def _place(number: int, source: str, line: int) -> str:
    return f"{source}:{line}" if source else f"row {number}"


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of several names that the row has; one that is null gives way to one that is not."""
    empty = None
    for name in names:
        if name in row:
            if row[name] is not None:
                return name
            empty = empty or name
    return empty


def _top(path: Path, row: Mapping[str, Any]) -> str:
    """The column that a path leads into."""
    return path.text if path.text in row else str(path.parts[0])


def _path(name: str, text: Any) -> Path:
    if not isinstance(text, str):
        message = f"map: {name} must be a path such as doc.question, not {text!r}"
        raise ConfigError(message)
    try:
        return Path.parse(text)
    except ValueError as error:
        message = f"map: {name}: {error}"
        raise ConfigError(message) from error
