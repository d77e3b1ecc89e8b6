"""What was sent otherwise than asked, as a record keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from gavelkit.core.message import Parameters

FORMAT = "response_format"


def differing(asked: Parameters, sent: Parameters) -> Mapping[str, object] | None:
    """The parameters whose values differ, by what was sent; None stands for one left out. None where all are equal."""
    if asked.text == sent.text:
        return None
    before, after = everything(asked), everything(sent)
    names = [*after, *(name for name in before if name not in after)]
    missing = object()
    changed = {name: after.get(name) for name in names if before.get(name, missing) != after.get(name, missing)}
    return changed or None


def everything(parameters: Parameters) -> Mapping[str, object]:
    """All that is asked besides the model, the response format among it."""
    if not parameters.response_format:
        return parameters.values
    return {**parameters.values, FORMAT: json.loads(parameters.response_format)}
