"""One judgment as a flat row: the columns that every export shares.

`reply`, `reasoning`, `finish_reason` and `served_model` are those of the last step, which holds the verdict; tokens,
`seconds` and `attempts` are summed over all steps, and tokens are None where any step's endpoint did not count.
`judgment_parsed` is the whole object of a structured answer. `position_bias` says whether the verdict changed with the
order, None where that is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gavelkit.core.judgment import Judgment, Step
from gavelkit.core.protocols import Entry
from gavelkit.core.slot import subject
from gavelkit.reports.wellformed import well_formed

RenderPrompt = Callable[[Entry], str | None]
"""Gives the prompt of a judgment, for exports that show it; None where it cannot be told any more."""

Value = str | float | int | bool | Mapping[str, Any] | None

COLUMNS = (
    "id",
    "judge",
    "system",
    "repeat",
    "status",
    "score",
    "passed",
    "grade",
    "explanation",
    "judgment_parsed",
    "failure_kind",
    "failure_message",
    "reply",
    "reasoning",
    "finish_reason",
    "served_model",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "seconds",
    "attempts",
    "position_bias",
)
PROMPT = "prompt"


def columns(prompt: RenderPrompt | None) -> tuple[str, ...]:
    """The names of the columns, in their order."""
    return COLUMNS if prompt is None else (*COLUMNS, PROMPT)


def row(entry: Entry, prompt: RenderPrompt | None = None) -> dict[str, Value]:
    """The row of a judgment, its keys in the order of `columns`, its texts valid UTF-8."""
    judgment = entry.judgment
    values = (
        *_slot(judgment),
        *_verdict(judgment),
        *_last_reply(judgment.steps),
        *_cost(judgment.steps),
        judgment.position_bias,
    )
    if prompt is not None:
        values = (*values, prompt(entry))
    texts = (well_formed(value) if isinstance(value, str) else value for value in values)
    return dict(zip(columns(prompt), texts, strict=True))


def _slot(judgment: Judgment) -> tuple[Value, ...]:
    slot = judgment.slot
    return slot.example_id, slot.judge, subject(slot.systems), slot.repeat, judgment.status.value


def _verdict(judgment: Judgment) -> tuple[Value, ...]:
    grade, failure = judgment.grade, judgment.failure
    return (
        judgment.score,
        judgment.passed,
        grade.value if grade else None,
        grade.explanation if grade else None,
        grade.parts or None if grade else None,
        failure.kind.value if failure and failure.kind else None,
        failure.message if failure else None,
    )


def _last_reply(steps: tuple[Step, ...]) -> tuple[Value, ...]:
    if not steps:
        return None, None, None, None
    last = steps[-1].completion
    return last.text, last.reasoning, last.finish_reason, last.served_model


def _cost(steps: tuple[Step, ...]) -> tuple[Value, ...]:
    completions = [step.completion for step in steps]
    if not completions:
        return None, None, None, None, None
    return (
        _total(completion.usage.prompt_tokens for completion in completions),
        _total(completion.usage.completion_tokens for completion in completions),
        _total(completion.usage.cached_tokens for completion in completions),
        sum(completion.seconds for completion in completions),
        sum(completion.attempts for completion in completions),
    )


def _total(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
