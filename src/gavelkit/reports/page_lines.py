"""One judgment as a line of its judge's own file.

idx               the row's place in the data, from 0
score             the number, null where there is none
judgment_raw      the reply word for word, null where none came
explanation       the words round the verdict; `judgment_parsed` stands in its place where the judge asks for JSON
formatted_prompt  what was sent, null where it cannot be told any more
prediction        the response that was judged
reference         the reference, a list where there are several, null where there is none
error             null exactly where `score` is a number, else `<status>: <message>`
"""

from __future__ import annotations

import json

from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Entry
from gavelkit.reports.wellformed import plain_json


def page_line(entry: Entry, *, place: int, prompt: str | None, structured: bool = False) -> bytes:
    """The line, ending in a line feed: strict JSON in valid UTF-8. A `structured` judge's lines have the same keys."""
    judgment, example = entry.judgment, entry.example
    grade = judgment.grade
    responses = [example.responses.get(system) for system in judgment.slot.systems]
    values: dict[str, object] = {
        "idx": place,
        "score": plain_json(judgment.score),
        "judgment_raw": plain_json(judgment.steps[-1].completion.text if judgment.steps else None),
    }
    parts = grade.parts if grade else None
    if structured or parts:
        values["judgment_parsed"] = plain_json(parts or None, as_written=True)
    else:
        values["explanation"] = plain_json(grade.explanation if grade else None)
    values |= {
        "formatted_prompt": plain_json(prompt),
        "prediction": plain_json(responses[0] if len(responses) == 1 else responses),
        "reference": plain_json(example.reference),
        "error": _error(judgment),
    }
    return json.dumps(values, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _error(judgment: Judgment) -> object:
    if judgment.score is not None:
        return None
    message = judgment.failure.message if judgment.failure else "no verdict"
    return plain_json(f"{judgment.status}: {message}")
