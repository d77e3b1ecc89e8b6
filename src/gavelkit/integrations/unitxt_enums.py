"""unitxt's names of evaluators, and of the shipped criteria, as its enums have them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from functools import cache

from gavelkit.catalog import names
from gavelkit.integrations.unitxt_criteria import as_criteria


class EvaluatorNameEnum(StrEnum):
    """What a judge's model may be called in the keys of a result; any other text may be, too."""

    MIXTRAL8_7b = "Mixtral8-7b"
    MIXTRAL_LARGE = "Mixtral Large"
    LLAMA3_8B = "Llama3-8b"
    LLAMA3_1_405B = "Llama3.1-405b"
    LLAMA3_1_8B = "Llama3.1-8b"
    LLAMA3_1_70B = "Llama3.1-70b"
    LLAMA3_2_3B = "Llama3.2-3b"
    LLAMA3_3_70B = "Llama3.3-70b"
    LLAMA3_4_MAVERICK = "Llama4-Maverick"
    LLAMA3_4_SCOUT = "Llama4-Scout"
    PROMETHEUS = "Prometheus"
    GPT4o = "GPT-4o"
    GPT4_1 = "GPT-4.1"
    GPT4_1_NANO = "GPT-4.1-nano"
    GPT4_1_MINI = "GPT-4.1-mini"
    O1_PREVIEW = "o1-Preview"
    O1_MINI = "o1-Mini"
    GRANITE_13B = "Granite-13b"
    GRANITE3_2B = "Granite3.0-2b"
    GRANITE3_8B = "Granite3.0-8b"
    GRANITE3_1_2B = "Granite3.1-2b"
    GRANITE3_1_8B = "Granite3.1-8b"
    GRANITE3_2_8B = "Granite3.2-8b"
    GRANITE3_3_8B = "Granite3.3-8b"
    DEEPSEEK_V3 = "DeepSeek V3"
    GEMMA_2_5_PRO = "Gemmini 2.5 Pro"
    GEMINI_2_5_FLASH = "Gemini 2.5 Flash"


_ENUMS = {"DirectCriteriaCatalogEnum": "criteria", "PairwiseCriteriaCatalogEnum": "pairwise_criteria"}

_WITHOUT_MEMBER = frozenset({"adherence_with_format", "answer_completeness", "tool_calling_correctness"})

_OWN_NAMES = {
    "temperature_in_celsius_and_fahrenheit": "TEMPERATURE",
    "manipulative_email": "MANIPULATIVE",
    "question_answer_quality": "QUALITY",
    "email_effectiveness": "EFFECTIVENESS",
    "email_structure": "STRUCTURE",
    "step_by_step_reasoning_non_coherent": "STEP_BY_STEP_NON_COHERENT",
    "step_by_step_reasoning_bad_final_answer": "STEP_BY_STEP_BAD_FINAL_ANSWER",
}

_SUBJECTS = ("user_message", "assistant_message", "context")
"""What a criterion is about begins its name, and ends its member's."""


@cache
def criteria_enum(name: str) -> type[Enum] | None:
    """The enum of that name, each member's value the shipped criteria; None where there is no such enum."""
    kind = _ENUMS.get(name)
    if kind is None:
        return None
    found = [each for each in names(kind) if each not in _WITHOUT_MEMBER]
    values = {_member(each): as_criteria(each, pairwise=kind == "pairwise_criteria") for each in found}
    return _made(name, values)


def _made(name: str, values: Mapping[str, object]) -> type[Enum]:
    made: type[Enum] = Enum(name, dict(values), module="gavelkit.integrations.unitxt")  # type: ignore[misc] # the members are known when it runs
    made.__doc__ = "The shipped criteria, by unitxt's names of them."
    return made


def _member(name: str) -> str:
    if name in _OWN_NAMES:
        return _OWN_NAMES[name]
    for subject in _SUBJECTS:
        if name.startswith(f"{subject}_"):
            return f"{name.removeprefix(f'{subject}_')}_{subject}".upper()
    return name.upper()
