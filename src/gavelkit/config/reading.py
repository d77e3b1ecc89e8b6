"""Which reader a judge gets, and how it is set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gavelkit.config.response_format import ResponseFormat
from gavelkit.core.errors import ConfigError
from gavelkit.core.event import Noticed, Observe
from gavelkit.core.path import did_you_mean
from gavelkit.core.protocols import Parser
from gavelkit.parsing import parser_for


def reader(
    own: Mapping[str, Any], settings: Mapping[str, Any], form: ResponseFormat | None, *, where: str, observe: Observe
) -> Parser:
    """The reader of a judge's replies. Raises ConfigError.

    The judge's `own` setting names it; else it is `json` where answers are JSON, else the preset's or the default.
    """
    name = settings["parser"]
    if "parser" not in own and form is not None and form.is_json:
        name = "json"
    field = settings["score_field"]
    if name == "json":
        for each in [field] if isinstance(field, str) else field:
            _check_example(form, each, where)
    elif "score_field" in own:
        observe(Noticed(f"{where}: score_field is read by the parser json, not by {name}"))
    return parser_for(
        name,
        grade_pattern=settings.get("grade_pattern"),
        grades=tuple(settings.get("options", ())),
        score_field=field,
        clamp=settings["clamp"],
    )


def _check_example(form: ResponseFormat | None, field: str, where: str) -> None:
    """Raises ConfigError where no answer like the example could ever be read."""
    if form is None or form.example is None:
        return
    if field not in form.example:
        message = f"{where}: response_format has no field {field!r}, the score_field{did_you_mean(field, form.example)}"
        raise ConfigError(message)
    value = form.example[field]
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        message = f"{where}: response_format.{field} is the score_field and must be a number, not {json.dumps(value)}"
        raise ConfigError(message)
