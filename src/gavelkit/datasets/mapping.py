"""How a row's columns become an example: by path where `map:` says so, else by the names users already have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import ONLY_SYSTEM, Example
from gavelkit.core.path import Path

ALIASES: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "input", "instruction", "prompt"),
    "response": ("response", "output", "prediction"),
    "reference": ("reference", "target", "expected", "expected_output"),
}
_LATE_RESPONSE = "answer"


class RowMapping:
    """Reads one row. The given mapping is the configuration's `map:`: a name to a path, `response` also to paths by
    system. `filter` names the one filter of lm-eval's whose rows are read.

    `spec` is both, as the record compares them. Raises ConfigError where a path is not one.
    """

    __slots__ = ("_answer_taken", "_id", "_paths", "_responses", "_system", "filter", "spec")

    def __init__(self, spec: Mapping[str, Any] | None = None, *, filter: str = "") -> None:  # noqa: A002 - its name
        paths = dict(spec or {})
        self.filter = filter
        self.spec = {**paths, **({"--filter": filter} if filter else {})}
        responses = paths.pop("response", None)
        named = responses if isinstance(responses, Mapping) else {ONLY_SYSTEM: responses} if responses else {}
        self._responses = {str(name): _path(f"response.{name}", text) for name, text in named.items()}
        self._answer_taken = any(path.parts[0] == _LATE_RESPONSE for path in self._responses.values())
        self._id = _path("id", paths.pop("id")) if "id" in paths else None
        self._system = _path("system", paths.pop("system")) if "system" in paths else None
        self._paths = {name: _path(name, text) for name, text in paths.items()}
        if self._system is not None and len(self._responses) > 1:
            message = "map: system names the system of a whole row, so response must be one path"
            raise ConfigError(message)

    def example(self, row: Mapping[str, Any], *, number: int, source: str = "", line: int = 0) -> Example:
        """The row as an example; its id is its number from 1 where it has none. Raises DataError."""
        place = f"{source}:{line}" if source else f"row {number}"
        fields = dict(row)
        try:
            for name, path in self._paths.items():
                fields[name] = path.get(row)
            identifier = self._identifier(row, number, place)
            responses, used = self._answers(row, place)
        except LookupError as error:
            message = f"{place}: {error.args[0]}"
            raise DataError(message) from None
        question = self._column(fields, "question")
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
        if self._id is None and "id" not in row:
            return str(number)
        value = row["id"] if self._id is None else self._id.get(row)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            message = f"{place}: the id must be a text or a whole number, not {value!r}"
            raise DataError(message)
        return str(value)

    def _answers(self, row: Mapping[str, Any], place: str) -> tuple[dict[str, Any], str]:
        """The responses by system, and the column they were found in where no path named it."""
        if self._responses:
            found = {name: _text(path.get(row)) for name, path in self._responses.items()}
            return self._named(found, row), _LATE_RESPONSE if self._answer_taken else ""
        column = self._column(row, "response")
        outputs = row.get("outputs")
        if column is None and isinstance(outputs, list) and outputs:
            return _outputs(outputs, place), "outputs"
        if column is None and _LATE_RESPONSE in row:
            column = _LATE_RESPONSE
        if column is not None:
            return self._named({ONLY_SYSTEM: _text(row[column])}, row), column
        looked = ", ".join((*ALIASES["response"], _LATE_RESPONSE, "outputs"))
        message = f"{place}: no response: looked for {looked}; name the field with map: {{response: ...}}"
        raise DataError(message)

    @staticmethod
    def _column(row: Mapping[str, Any], name: str) -> str | None:
        """The first of a name's aliases that the row has; one that is null gives way to one that is not."""
        empty = None
        for alias in ALIASES[name]:
            if alias in row:
                if row[alias] is not None:
                    return alias
                empty = empty or alias
        return empty

    def _named(self, responses: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        if self._system is None:
            return responses
        (response,) = responses.values()
        return {str(self._system.get(row)): response}

    def _references(self, fields: Mapping[str, Any], used: str) -> tuple[Any, ...]:
        column = "reference" if "reference" in self._paths else self._column(fields, "reference")
        if column is None and _LATE_RESPONSE in fields and used != _LATE_RESPONSE:
            column = _LATE_RESPONSE
        value = None if column is None else fields[column]
        if value is None:
            return ()
        return tuple(value) if isinstance(value, list) else (value,)


def _path(name: str, text: Any) -> Path:
    if not isinstance(text, str):
        message = f"map: {name} must be a path such as doc.question, not {text!r}"
        raise ConfigError(message)
    try:
        return Path.parse(text)
    except ValueError as error:
        message = f"map: {name}: {error}"
        raise ConfigError(message) from error


def _text(value: Any) -> Any:
    """A model that said nothing is judged as an empty response, not as the word None."""
    return "" if value is None else value


def _outputs(outputs: list[Any], place: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in outputs:
        name = item.get("id", item.get("model")) if isinstance(item, dict) else None
        if name is None or "output" not in item:
            message = f"{place}: each item of outputs needs id (or model) and output"
            raise DataError(message)
        if str(name) in found:
            message = f"{place}: outputs names the system {name!r} twice"
            raise DataError(message)
        found[str(name)] = _text(item["output"])
    return found
