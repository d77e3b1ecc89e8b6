"""A response that was asked for in the run itself: it stands in the record as the first step of its judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gavelkit.core.example import Example
from gavelkit.core.judgment import Step

_ANSWER = "answer of "
"""How the name of such a step begins; the system's name follows."""


def answer_step(system: str) -> str:
    """What the step is called in which a system answers."""
    return f"{_ANSWER}{system}"


def is_answer(step: str) -> bool:
    """Whether a step of this name is a system's answer, and not a judge's."""
    return step.startswith(_ANSWER)


def with_answers(example: Example, steps: Sequence[Step]) -> Example:
    """The example with the responses that stand in these steps, of which they are the first; the same without any."""
    if not steps or not is_answer(steps[0].name):
        return example
    given = {step.name.removeprefix(_ANSWER): step.completion.text for step in steps if is_answer(step.name)}
    return replace(example, responses={**example.responses, **given})
