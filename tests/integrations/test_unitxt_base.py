"""The keywords of unitxt's three classes: their order and their defaults are those of its page."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

from gavelkit.integrations.unitxt import LLMJudge, LLMJudgeDirect, LLMJudgePairwise

SHARED = """
data_classification_policy: List[str] = None, main_score: str = {main}, prediction_type: Union[Any, str] = typing.Any,
single_reference_per_prediction: bool = False, score_prefix: str = '', n_resamples: int = 1000,
confidence_level: float = 0.95, ci_scores: List[str] = None, ci_method: str = 'BCa',
_requirements_list: Union[List[str], Dict[str, str]] = [], requirements: Union[List[str], Dict[str, str]] = [],
caching: bool = None, apply_to_streams: List[str] = None, dont_apply_to_streams: List[str] = None,
reduction_map: Dict[str, List[str]] = {reductions}, implemented_reductions: List[str] = ['mean', 'weighted_win_rate'],
inference_engine: unitxt.inference.InferenceEngine = __required__, evaluator_name: EvaluatorNameEnum = None,
check_positional_bias: bool = True, context_fields: Union[str, List[str], Dict[str, str]] = ['context'],
generate_summaries: bool = False, format: str = 'formats.chat_api', include_prompts_in_result: bool = True,
criteria_field: str = None, criteria: {criteria} = None
"""
CONSTANTS = "unitxt.llm_as_judge_constants"


def signature(main: str, reductions: str, criteria: str) -> str:
    return SHARED.format(main=main, reductions=reductions, criteria=f"{CONSTANTS}.{criteria}")


PAGE: dict[type[LLMJudge], str] = {
    LLMJudge: signature("__required__", "__required__", "Criteria"),
    LLMJudgeDirect: signature("'llm_as_judge'", "{'mean': ['llm_as_judge']}", "CriteriaWithOptions"),
    LLMJudgePairwise: signature("'1_winrate'", "{'mean': ['score']}", "Criteria"),
}


def keywords(text: str) -> list[tuple[str, str]]:
    """The names and defaults of a signature as a page shows it."""
    found, depth, part = [], 0, ""
    for letter in f"{text.strip()},":
        depth += (letter in "[{(") - (letter in "]})")
        if letter == "," and depth == 0:
            name, _, rest = part.strip().partition(":")
            found.append((name, rest.rpartition(" = ")[2]))
            part = ""
        else:
            part += letter
    return found


def default_of(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return repr(field.default_factory())
    return "__required__" if field.default is dataclasses.MISSING else repr(field.default)


@pytest.mark.parametrize("made", PAGE, ids=lambda made: made.__name__)
def test_a_constructor_takes_the_pages_keywords_in_its_order_with_its_defaults(made: type[Any]) -> None:
    ours = [(field.name, default_of(field)) for field in dataclasses.fields(made)]
    assert ours == keywords(PAGE[made])
    assert list(inspect.signature(made).parameters) == [name for name, _ in ours]
    assert {each.kind for each in inspect.signature(made).parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("made", [LLMJudgeDirect, LLMJudgePairwise])
def test_no_two_judges_share_a_default(made: type[Any]) -> None:
    one, other = made(inference_engine=str), made(inference_engine=str)
    one.reduction_map["mean"].append("more")
    one.context_fields["more"] = "more"
    assert "more" not in other.reduction_map["mean"]
    assert other.context_fields == {"context": "context"}


def test_every_keyword_without_a_meaning_here_is_told() -> None:
    told = inspect.getdoc(LLMJudge) or ""
    for name in (
        "prediction_type",
        "single_reference_per_prediction",
        "_requirements_list",
        "requirements",
        "caching",
        "apply_to_streams",
        "dont_apply_to_streams",
        "implemented_reductions",
    ):
        assert name in told


METHODS = ("before_process_multi_stream", "clean_results", "get_contexts", "get_criteria", "perform_evaluation_step")


@pytest.mark.parametrize("name", [*METHODS, "prepare"])
def test_every_method_of_the_page_is_there_and_says_what_it_does(name: str) -> None:
    for made in PAGE:
        assert inspect.getdoc(getattr(made, name))
