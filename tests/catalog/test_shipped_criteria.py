"""The shipped criteria: their facts stay as they were published, and each text says something of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

import pytest

from gavelkit.catalog import criterion_fields, names, read_criterion
from gavelkit.core.criterion import Options

YES_IS_ONE = {"Yes": 1, "No": 0}
YES_IS_ZERO = {"Yes": 0, "No": 1}
ONE_TO_FIVE = {"1": 0, "2": 0.25, "3": 0.5, "4": 0.75, "5": 1}
FOUR_LEVELS = {"Excellent": 1, "Acceptable": 0.75, "Could be Improved": 0.5, "Bad": 0}
CHAIN = ["question", "premise", "hypothesis", "correct answer"]
STEP = ["question", "premise", "hypothesis", "model reasoning", "correct answer"]

DIRECT: Mapping[str, tuple[str, list[str], Mapping[str, float]]] = {
    "temperature_in_celsius_and_fahrenheit": ("response", [], {"Yes": 1, "No": 0.5, "Pass": 0}),
    "conciseness": ("response", ["question"], YES_IS_ONE),
    "answer_relevance": ("response", ["question"], FOUR_LEVELS),
    "harmfulness": ("response", [], YES_IS_ONE),
    "insensitivity": ("response", [], YES_IS_ONE),
    "coherence": ("response", ["original text"], ONE_TO_FIVE),
    "irrelevant_information": ("user response", [], YES_IS_ZERO),
    "conversational": ("user response", [], YES_IS_ONE),
    "truthfulness": ("response", [], YES_IS_ONE),
    "manipulative_email": ("email response", [], YES_IS_ONE),
    "question_answer_quality": ("response", ["question"], FOUR_LEVELS),
    "consistency": ("response", ["original text"], ONE_TO_FIVE),
    "professional_tone": ("email response", [], YES_IS_ONE),
    "fluency": ("response", [], ONE_TO_FIVE),
    "email_effectiveness": (
        "email response",
        [],
        {"Excellent": 1, "Acceptable": 0.5, "Could be Improved": 0.25, "Bad": 0},
    ),
    "grammar_and_punctuation": ("response", [], YES_IS_ONE),
    "empathy": ("email response", [], YES_IS_ONE),
    "objectivity": ("response", [], YES_IS_ONE),
    "engagement": ("email response", [], YES_IS_ONE),
    "relevance": ("response", ["article"], ONE_TO_FIVE),
    "email_structure": ("email response", [], YES_IS_ONE),
    "examples_and_details": ("response", [], YES_IS_ONE),
    "naturalness": ("user response", [], YES_IS_ONE),
    "information_from_reference": ("user response", ["reference document"], YES_IS_ONE),
    "information_outside_reference": ("user response", ["reference document"], YES_IS_ZERO),
    "summarization_preference": ("response", ["summary"], {"Excellent": 1, "Good": 0.75, "Average": 0.5, "Poor": 0}),
    "summarization_informativeness": ("summary", ["article"], ONE_TO_FIVE),
    "summarization_relevance": ("summary", ["article"], ONE_TO_FIVE),
    "summarization_fluency": ("summary", [], ONE_TO_FIVE),
    "summarization_coherence": ("summary", [], ONE_TO_FIVE),
    "step_by_step_reasoning_overall_quality": ("generated response", CHAIN, ONE_TO_FIVE),
    "step_by_step_reasoning_coherency": ("generated response", CHAIN, ONE_TO_FIVE),
    "step_by_step_reasoning_missing_steps": ("generated response", CHAIN, YES_IS_ZERO),
    "step_by_step_reasoning_contradiction": ("generated response", CHAIN, YES_IS_ZERO),
    "step_by_step_reasoning_bad_grammar": ("step", [], YES_IS_ZERO),
    "step_by_step_reasoning_non_factual": ("step", STEP, YES_IS_ZERO),
    "step_by_step_reasoning_non_coherent": ("step", STEP, YES_IS_ZERO),
    "step_by_step_reasoning_bad_final_answer": ("step", STEP, YES_IS_ZERO),
    "step_by_step_reasoning_hallucination": ("step", STEP, YES_IS_ZERO),
    "step_by_step_reasoning_redundancy": ("step", STEP, YES_IS_ZERO),
    "step_by_step_reasoning_repetition": ("step", STEP, YES_IS_ZERO),
    "step_by_step_reasoning_commonsense": ("step", STEP, YES_IS_ZERO),
    "step_by_step_reasoning_arithmetic": ("step", STEP, YES_IS_ZERO),
    "reference_document_faithfulness": ("response", ["reference_document"], YES_IS_ONE),
    "user_message_general_harm": ("user message", [], YES_IS_ONE),
    "user_message_social_bias": ("user message", [], YES_IS_ONE),
    "user_message_jailbreak": ("user message", [], YES_IS_ONE),
    "user_message_violence": ("user message", [], YES_IS_ONE),
    "user_message_profanity": ("user message", [], YES_IS_ONE),
    "user_message_unethical_behavior": ("user message", [], YES_IS_ONE),
    "assistant_message_general_harm": ("assistant message", ["user message"], YES_IS_ONE),
    "assistant_message_social_bias": ("assistant message", ["user message"], YES_IS_ONE),
    "assistant_message_violence": ("assistant message", ["user message"], YES_IS_ONE),
    "assistant_message_profanity": ("assistant message", ["user message"], YES_IS_ONE),
    "assistant_message_unethical_behavior": ("assistant message", ["user message"], YES_IS_ONE),
    "assistant_message_compliance": (
        "assistant message",
        ["user message"],
        {"Compliance": 1, "Partial": 0.5, "Refusal": 0},
    ),
    "context_context_relevance": ("context", ["user message", "assistant message"], YES_IS_ONE),
    "assistant_message_groundedness": ("assistant message", ["user message", "context"], YES_IS_ONE),
    "assistant_message_answer_relevance": ("assistant message", ["user message", "context"], YES_IS_ONE),
    "correctness_based_on_ground_truth": (
        "response",
        ["ground truth"],
        {"correct": 1, "partially_correct": 0.5, "incorrect": 0},
    ),
    "toxicity": ("text", [], YES_IS_ONE),
    "logical_validity_of_reasoning": ("model reasoning", ["problem statement", "statements"], YES_IS_ONE),
    "translation_quality": (
        "translation",
        ["source language", "target language", "source text", "reference translation"],
        {"0": 0, "1": 0.166667, "2": 0.333333, "3": 0.5, "4": 0.666667, "5": 0.833333, "6": 1},
    ),
    "adherence_with_format": (
        "response",
        ["question"],
        {"Excellent": 1, "Good": 0.75, "mediocre": 0.5, "Bad": 0.25, "Very Bad": 0},
    ),
    "answer_completeness": (
        "response",
        ["question"],
        {"Excellent": 1, "Good": 0.75, "mediocre": 0.5, "Bad": 0.25, "Very Bad": 0},
    ),
    "tool_calling_correctness": (
        "response",
        ["question", "tools"],
        {"Excellent": 1, "Good": 0.75, "Mediocre": 0.5, "Bad": 0.25, "Very Bad": 0},
    ),
}
"""The prediction field, the context fields and the scores of each, in the order shown."""

CONTESTS: Mapping[str, tuple[str, list[str]]] = {
    "temperature_in_celsius_and_fahrenheit": ("response", []),
    "funny_joke": ("response", []),
    "factually_consistent": ("response", ["source document"]),
    "inclusivity": ("response", []),
    "reference_document_faithfulness": ("response", ["reference document"]),
    "summarization_preference": ("summary", ["article"]),
    "email_inclusivity": ("email", []),
}
"""The prediction field and the context fields of each."""

LOWER_IS_BETTER = {
    "assistant_message_general_harm",
    "assistant_message_profanity",
    "assistant_message_social_bias",
    "assistant_message_unethical_behavior",
    "assistant_message_violence",
    "harmfulness",
    "insensitivity",
    "manipulative_email",
    "toxicity",
    "user_message_general_harm",
    "user_message_jailbreak",
    "user_message_profanity",
    "user_message_social_bias",
    "user_message_unethical_behavior",
    "user_message_violence",
}
KINDS = {"criteria": False, "pairwise_criteria": True}


def all_fields() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for kind, pairwise in KINDS.items():
        for name in names(kind):
            yield f"{kind}/{name}", criterion_fields(name, pairwise=pairwise)


SHIPPED = dict(all_fields())


def texts(fields: Mapping[str, Any]) -> list[str]:
    return [fields["description"], *(each["description"] for each in fields.get("options", ()))]


def test_all_of_them_ship_and_no_other() -> None:
    assert names("criteria") == sorted(DIRECT)
    assert names("pairwise_criteria") == sorted(CONTESTS)


@pytest.mark.parametrize("name", DIRECT)
def test_a_direct_criterion_keeps_its_fields_its_options_and_their_scores_in_order(name: str) -> None:
    fields = criterion_fields(name)
    prediction_field, context_fields, scores = DIRECT[name]
    assert fields["prediction_field"] == prediction_field
    assert fields.get("context_fields", []) == context_fields
    assert list(fields["option_map"].items()) == list(scores.items())
    assert [each["name"] for each in fields["options"]] == list(scores)


@pytest.mark.parametrize("name", CONTESTS)
def test_a_contests_criterion_keeps_its_fields_and_has_no_options(name: str) -> None:
    fields = criterion_fields(name, pairwise=True)
    prediction_field, context_fields = CONTESTS[name]
    assert fields["prediction_field"] == prediction_field
    assert fields.get("context_fields", []) == context_fields
    assert not fields.keys() & {"options", "option_map", "polarity"}


def test_a_lower_score_is_better_exactly_where_a_high_one_means_something_bad() -> None:
    marked = {name: SHIPPED[f"criteria/{name}"].get("polarity") for name in names("criteria")}
    assert {name for name, polarity in marked.items() if polarity == "lower_is_better"} == LOWER_IS_BETTER
    assert {polarity for polarity in marked.values() if polarity is not None} == {"lower_is_better"}


def test_no_text_is_used_twice() -> None:
    plain = Counter(
        re.sub(r"\W+", " ", text).strip().casefold() for fields in SHIPPED.values() for text in texts(fields)
    )
    assert [text for text, times in plain.items() if times > 1] == []


@pytest.mark.parametrize("place", SHIPPED)
def test_a_file_holds_its_fields_and_no_others(place: str) -> None:
    known = {"description", "prediction_field", "context_fields", "polarity", "options", "option_map"}
    assert SHIPPED[place].keys() <= known
    assert all(each.keys() == {"name", "description"} for each in SHIPPED[place].get("options", ()))


@pytest.mark.parametrize("place", SHIPPED)
def test_a_text_is_a_sentence_or_three_without_line_breaks(place: str) -> None:
    fields = SHIPPED[place]
    for text in texts(fields):
        assert text == " ".join(text.split())
        assert text[-1] in ".?"
    assert 40 < len(fields["description"]) < 420
    assert len(re.findall(r"[.?](?= |$)", fields["description"])) <= 3


@pytest.mark.parametrize("name", DIRECT)
def test_a_direct_criterion_asks_and_each_option_says_when_it_fits(name: str) -> None:
    fields = criterion_fields(name)
    assert fields["description"].count("?") == 1
    for option in fields["options"]:
        assert 15 < len(option["description"]) < 260
        assert not option["description"][0].isupper(), "it stands after the word if"
        assert not option["description"].startswith("if ")


@pytest.mark.parametrize("name", CONTESTS)
def test_a_contests_criterion_says_what_makes_the_better_response(name: str) -> None:
    description = criterion_fields(name, pairwise=True)["description"]
    assert description.startswith("The better response ")
    assert "?" not in description


@pytest.mark.parametrize("place", SHIPPED)
def test_what_is_shown_beside_the_response_is_spoken_of_by_its_name(place: str) -> None:
    fields = SHIPPED[place]
    said = " ".join(texts(fields)).casefold()
    shown = fields.get("context_fields", [])
    assert not shown or any(name.casefold() in said for name in shown)


@pytest.mark.parametrize("place", SHIPPED)
def test_it_becomes_a_criterion_as_the_file_gives_it(place: str) -> None:
    kind, _, name = place.partition("/")
    fields, criterion = SHIPPED[place], read_criterion(name, where="criterion", pairwise=KINDS[kind])
    assert (criterion.name, criterion.description) == (name, fields["description"])
    assert criterion.prediction_field == fields["prediction_field"]
    assert list(criterion.context_fields) == fields.get("context_fields", [])
    assert criterion.higher_is_better is ("polarity" not in fields)
    if kind == "criteria":
        assert isinstance(criterion.scale, Options)
        assert list(criterion.scale.scores.items()) == list(fields["option_map"].items())
        assert list(criterion.scale.descriptions.values()) == texts(fields)[1:]


def test_the_files_are_part_of_the_package() -> None:
    for place in SHIPPED:
        text = files("gavelkit.catalog").joinpath(f"{place}.yaml").read_text(encoding="utf-8")
        assert max(map(len, text.splitlines())) < 160
