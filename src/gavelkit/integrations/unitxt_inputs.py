"""What `compute` is given, as rows to judge: responses, and the fields shown beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gavelkit.integrations.unitxt_criteria import Criteria
from gavelkit.integrations.unitxt_error import unitxt_error
from gavelkit.integrations.unitxt_fields import field_of
from gavelkit.prompts.sandbox import shown

EMPTY = "<__empty_prediction__>"
"""What unitxt gives where nothing was generated."""

_ONE, _SEVERAL = "response", "responses"


def check_lengths(predictions: Sequence[Any] | None, task_data: Sequence[Any] | None) -> None:
    """Raises UnitxtError where there is nothing to judge, or not one prediction for each row."""
    if task_data is None or not len(task_data):
        message = "there is nothing to judge: task_data is empty"
        raise unitxt_error(message)
    given = _given(predictions)
    if given and len(given) != len(task_data):
        message = f"there are {len(given)} predictions for {len(task_data)} rows of task_data"
        raise unitxt_error(message)


def responses(
    predictions: Sequence[Any] | None, task_data: Sequence[Mapping[str, Any]], criteria: Sequence[Criteria]
) -> list[Any]:
    """What is judged of each row: the predictions, or where none is given the criteria's `prediction_field`.

    Raises UnitxtError where there is neither.
    """
    given = _given(predictions)
    if given:
        return given
    found = []
    for number, (row, each) in enumerate(zip(task_data, criteria, strict=True)):
        if not each.prediction_field:
            message = (
                f"there are no predictions, and the criteria {each.name!r} have no prediction_field that says which "
                f"field of task_data to judge; give one of them"
            )
            raise unitxt_error(message)
        found.append(field_of(row, each.prediction_field, where=f"task_data[{number}]: prediction_field"))
    return found


def systems(predictions: Sequence[Any]) -> list[dict[str, Any]]:
    """The responses of each row by system, in the order of the first row: the keys of a dict, else 1, 2 and so on.

    Raises UnitxtError where a row has other systems, or fewer than two.
    """
    rows = [_by_name(each) for each in predictions]
    order = list(rows[0])
    if len(order) < 2:  # noqa: PLR2004 - a contest takes two
        message = f"a contest takes two or more responses, and there is {order}"
        raise unitxt_error(message)
    for number, row in enumerate(rows):
        if set(row) != set(order):
            message = f"every row needs the same systems: the first has {sorted(order)}, row {number} {sorted(row)}"
            raise unitxt_error(message)
    return [{name: row[name] for name in order} for row in rows]


def rows_of(answers: Sequence[Any], contexts: Sequence[Mapping[str, str]], *, contests: bool) -> list[dict[str, Any]]:
    """The rows as a run reads them, each with its number as its id and its context as one text."""
    return [
        {"id": str(number), _SEVERAL if contests else _ONE: answer, "context": context_text(context)}
        for number, (answer, context) in enumerate(zip(answers, contexts, strict=True))
    ]


def mapping_of(*, contests: bool) -> dict[str, str]:
    """How a run finds the parts of such a row."""
    name = _SEVERAL if contests else _ONE
    return {"id": "id", name: name}


def contexts(task_data: Sequence[Mapping[str, Any]], fields: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """What is shown beside each row's response, by the names shown. Raises UnitxtError where a row lacks a field."""
    return [
        {
            name: str(shown(field_of(row, path, where=f"task_data[{number}]: context_fields")))
            for name, path in own.items()
        }
        for number, (row, own) in enumerate(zip(task_data, fields, strict=True))
    ]


def context_text(context: Mapping[str, str]) -> str:
    """Bare where the only field is called context, else a named line for each."""
    if [name.lower() for name in context] == ["context"]:
        return next(iter(context.values()))
    return "\n".join(f"{name}: {value}" for name, value in context.items())


def _given(predictions: Sequence[Any] | None) -> list[Any]:
    """The predictions; none where every one says that nothing was generated."""
    found = [] if predictions is None else list(predictions)
    return [] if all(each is None or (isinstance(each, str) and each == EMPTY) for each in found) else found


def _by_name(prediction: Any) -> dict[str, Any]:
    if isinstance(prediction, Mapping):
        found = {str(name): value for name, value in prediction.items()}
        if "" in found or len(found) < len(prediction):
            message = f"every system needs a name of its own, and there are {list(prediction)}"
            raise unitxt_error(message)
        return found
    if isinstance(prediction, list | tuple):
        return {str(number): value for number, value in enumerate(prediction, start=1)}
    message = f"a prediction must be a list or a dict of several systems' responses, not {type(prediction).__name__}"
    raise unitxt_error(message)
