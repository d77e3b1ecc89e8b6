"""Judgments as JSON lines, one each, as they stream by."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import BinaryIO

from gavelkit.core.judgment import Judgment
from gavelkit.core.protocols import Entry
from gavelkit.reports.rows import RenderPrompt, row
from gavelkit.reports.wellformed import plain_json

Cost = Callable[[Entry], float | None]
"""What the replies of a judgment cost in USD, None where nobody knows."""


def export_jsonl(
    entries: Iterable[Entry], file: BinaryIO, *, prompt: RenderPrompt | None = None, cost: Cost | None = None
) -> int:
    """Write the columns of `rows.COLUMNS` as one object a line, and return how many lines.

    Besides, `systems` lists the named systems that were judged or compared, and `steps` holds name and reply of each
    step where there are several, else null; `effective` what was sent otherwise than asked, by step, else null; `usd`
    is there where `cost` tells it.
    Always valid UTF-8 and strict JSON: a lone surrogate becomes U+FFFD, a number that is not finite null.
    """
    written = 0
    for entry in entries:
        line: dict[str, object] = {**row(entry, prompt), **_lists(entry.judgment)}
        if cost is not None:
            line["usd"] = cost(entry)
        values = {name: plain_json(value, as_written=True) for name, value in line.items()}
        file.write(json.dumps(values, ensure_ascii=False, allow_nan=False).encode() + b"\n")
        written += 1
    return written


def _lists(judgment: Judgment) -> dict[str, object]:
    """What a table has no cell for."""
    steps = [{"name": step.name, "reply": step.completion.text} for step in judgment.steps]
    return {
        "systems": [system for system in judgment.slot.systems if system],
        "steps": steps if len(steps) > 1 else None,
        "effective": {step.name: step.completion.effective for step in judgment.steps if step.completion.effective}
        or None,
    }
