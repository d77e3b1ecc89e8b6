"""Criteria in every form a user has them in, and what is said of one that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gavelkit.catalog import context_paths, criterion_of_row, is_name, names, read_criterion
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import Example
from gavelkit.datasets import RowMapping

FULL: dict[str, Any] = {
    "name": "length",
    "description": "How long is it?",
    "prediction_field": "summary",
    "context_fields": {"text": "doc/text"},
    "options": [{"name": "Short", "description": "a line"}, {"name": "Very Short", "description": ""}, "Long"],
    "option_map": {"Long": 0, "Short": 0.5, "Very Short": 1},
}


def read(value: Any, **settings: Any) -> Criterion:
    return read_criterion(value, where="conf.yaml: criterion", **settings)


def refusal(value: Any, **settings: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        read(value, **settings)
    assert str(caught.value).startswith("conf.yaml: criterion")
    return str(caught.value)


def scores(criterion: Criterion) -> list[tuple[str, float]]:
    assert isinstance(criterion.scale, Options)
    return list(criterion.scale.scores.items())


# the forms


@pytest.mark.parametrize("name", names("criteria"))
def test_a_shipped_name_is_read_with_its_options_its_fields_and_its_polarity(name: str) -> None:
    criterion = read(name)
    assert criterion.name == name
    assert len(scores(criterion)) >= 2
    assert isinstance(criterion.scale, Options)
    assert criterion.scale.descriptions.keys() == criterion.scale.scores.keys()


def test_a_long_name_is_its_short_one() -> None:
    assert read("metrics.llm_as_judge.direct.criteria.toxicity") == read("toxicity")
    assert read("toxicity").higher_is_better is False


def test_a_question_is_answered_yes_or_no() -> None:
    criterion = read(" Is it so? ")
    assert (criterion.name, criterion.description) == ("", "Is it so?")
    assert scores(criterion) == [("Yes", 1.0), ("No", 0.0)]


def test_a_question_may_have_answers_of_its_own() -> None:
    assert scores(read("How?", options={"Well": 2.0, "Badly": 1.0})) == [("Well", 2.0), ("Badly", 1.0)]


def test_a_mapping_is_read_whole_its_options_in_the_order_shown() -> None:
    criterion = read(FULL)
    assert scores(criterion) == [("Short", 0.5), ("Very Short", 1.0), ("Long", 0.0)]
    assert isinstance(criterion.scale, Options)
    assert criterion.scale.descriptions == {"Short": "a line", "Very Short": "", "Long": ""}
    assert (criterion.name, criterion.prediction_field) == ("length", "summary")
    assert criterion.context_fields == {"text": "doc/text"}


def test_the_json_of_an_artifact_is_the_mapping() -> None:
    artifact = {"__type__": "criteria_with_options", **FULL}
    assert read(json.dumps(artifact, indent=1)) == read(artifact) == read(FULL)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("yes/no", [("Yes", 1.0), ("No", 0.0)]),
        ("yes/no/partially", [("Yes", 1.0), ("Partially", 0.5), ("No", 0.0)]),
    ],
)
def test_the_usual_options_have_names(options: str, expected: list[tuple[str, float]]) -> None:
    assert scores(read({"description": "Is it so?", "options": options})) == expected


def test_without_options_a_mapping_has_those_of_its_option_map_or_yes_and_no() -> None:
    assert scores(read({"description": "?", "option_map": {"b": 1, "a": 0}})) == [("b", 1.0), ("a", 0.0)]
    assert scores(read({"description": "?"})) == [("Yes", 1.0), ("No", 0.0)]


def test_numbers_may_be_options() -> None:
    numbered = {"description": "?", "options": [1, 2.0, 2.5, 1234567], "option_map": {1: 1, "2": 2, 2.5: 3, 1234567: 4}}
    assert scores(read(numbered)) == [("1", 1.0), ("2", 2.0), ("2.5", 3.0), ("1234567", 4.0)]


def test_a_low_score_may_be_the_better_one() -> None:
    assert read({**FULL, "polarity": "lower_is_better"}).higher_is_better is False
    assert read({**FULL, "polarity": "higher_is_better"}).higher_is_better is True


@pytest.mark.parametrize("text", ["toxicity", "a_b.c", " toxicity "])
def test_one_word_is_meant_as_a_name(text: str) -> None:
    assert is_name(text)


@pytest.mark.parametrize("text", ["Is it so?", "two words", "helpful?", "", "{}", "a..b", "7"])
def test_anything_else_is_a_question(text: str) -> None:
    assert not is_name(text)


# contests


@pytest.mark.parametrize("name", names("pairwise_criteria"))
def test_a_shipped_pairwise_criterion_has_no_options(name: str) -> None:
    criterion = read(name, pairwise=True)
    assert (criterion.name, criterion.scale) == (name, None)
    assert criterion.description


def test_a_contest_takes_a_question_a_mapping_and_a_criterion_with_options() -> None:
    assert read("Which is shorter?", pairwise=True) == Criterion("", description="Which is shorter?")
    assert read({"description": "Which?"}, pairwise=True).scale is None
    assert read("conciseness", pairwise=True).description == read("conciseness").description


def test_a_contest_takes_no_criterion_that_asks_for_something_bad() -> None:
    assert "'toxicity' asks for something bad" in refusal("toxicity", pairwise=True)


def test_a_response_by_itself_takes_no_criterion_for_contests() -> None:
    assert "is for contests" in refusal("funny_joke")


# what is refused


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("toxicty", "there is no shipped criterion 'toxicty'; did you mean toxicity?"),
        ("", "must be a shipped name, a question or a mapping, not ''"),
        (7, "must be a shipped name, a question or a mapping, not 7"),
        (["a"], "must be a shipped name"),
        ("{", "not JSON"),
        ('{"description": ' + "[" * 100_000, "not JSON"),
        ({"description": "?", "option": []}, "there is no field 'option'; did you mean options?"),
        ({1: "?"}, "there is no field 1"),
        ({}, "description is missing: the question asked of a response"),
        ({"description": " "}, "description is missing"),
        ({**FULL, "name": 7}, "name must be a text, not 7"),
        ({**FULL, "prediction_field": ["a"]}, "prediction_field must be a text"),
        ({**FULL, "context_fields": 7}, "context_fields is a name, a list of names, or a mapping"),
        ({**FULL, "polarity": "low"}, "polarity is lower_is_better or higher_is_better, not 'low'"),
        ({**FULL, "options": "good/bad"}, "options is a list, or one of yes/no, yes/no/partially"),
        ({**FULL, "options": "yes/no"}, "without an option_map"),
        ({**FULL, "options": []}, "options is empty"),
        ({**FULL, "options": 7}, "options is a list of {name, description}"),
        ({**FULL, "options": [{"description": "x"}]}, "options is a list of {name, description}"),
        ({**FULL, "options": [True, False]}, "put yes and no in quotes"),
        ({**FULL, "options": ["Short", "short"]}, "two options are called 'short'"),
        ({**FULL, "option_map": None}, "option_map is missing: the score of each option"),
        ({**FULL, "option_map": {"Short": 1}}, "option_map gives no number for the option 'Very Short'"),
        ({**FULL, "option_map": {**FULL["option_map"], "Long": "0"}}, "no number for the option 'Long'"),
        ({**FULL, "option_map": {**FULL["option_map"], "Long": True}}, "no number for the option 'Long'"),
        ({**FULL, "option_map": {**FULL["option_map"], "Long": float("nan")}}, "no number for the option 'Long'"),
        ({**FULL, "option_map": {**FULL["option_map"], "Long": 10**400}}, "no number for the option 'Long'"),
    ],
)
def test_what_is_no_criterion_is_refused_saying_what_would_be_right(value: Any, words: str) -> None:
    assert words in refusal(value)


def test_a_criterion_with_options_takes_no_others() -> None:
    assert "a shipped criterion has options of its own" in refusal("toxicity", options={"a": 1.0})
    assert "a criterion that is a mapping brings its own options" in refusal(FULL, options={"a": 1.0})


# the criterion of each row


def a_row(**columns: Any) -> Example:
    return RowMapping().example({"id": "7", "response": "r", **columns}, number=1)


@pytest.mark.parametrize(
    ("field", "columns"),
    [
        ("criterion", {"criterion": "toxicity"}),
        ("what to ask", {"what to ask": "toxicity"}),
        ("meta.criterion", {"meta": {"criterion": "toxicity"}}),
        ("doc.criterion", {"doc": {"criterion": "toxicity"}}),
        ("doc.criterion", {"criterion": "toxicity"}),
        ("criterion", {"doc": {"criterion": "toxicity"}}),
        ("criteria[1]", {"criteria": ["x", "toxicity"]}),
    ],
)
def test_a_rows_criterion_stands_in_any_field(field: str, columns: dict[str, Any]) -> None:
    assert criterion_of_row(field)(a_row(**columns)) == read("toxicity")


@pytest.mark.parametrize("value", ["Is it so?", FULL, json.dumps(FULL)])
def test_a_rows_criterion_has_any_form(value: Any) -> None:
    assert criterion_of_row("criterion")(a_row(criterion=value)) == read(value)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"criterio": "toxicity"}, "row '7': criteria_field: no field 'criterion'"),
        ({"criterio": "toxicity"}, "did you mean criterio?"),
        ({"criterion": None}, "row '7': criterion must be a shipped name, a question or a mapping, not None"),
        ({"criterion": "toxicty"}, "row '7': criterion: there is no shipped criterion 'toxicty'"),
    ],
)
def test_a_row_without_one_is_a_row_that_is_wrong(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError) as caught:
        criterion_of_row("criterion")(a_row(**columns))
    assert words in str(caught.value)


def test_a_field_that_is_no_path_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match=r"criteria_field: 'a\.\.b' is not a path"):
        criterion_of_row("a..b")


# context fields


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ("question", {"question": "question"}),
        (["question", "doc.note"], {"question": "question", "doc.note": "doc.note"}),
        ({"Note": "doc/note"}, {"Note": "doc/note"}),
        ([], {}),
    ],
)
def test_context_fields_are_a_name_a_list_or_a_mapping(value: Any, paths: dict[str, str]) -> None:
    assert context_paths(value) == paths


@pytest.mark.parametrize("value", [7, None, [7], {"a": 7}, {7: "a"}, "", [""], {"": "a"}, {"a": ""}])
def test_context_fields_of_any_other_form_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="a name, a list of names, or a mapping of shown names to paths"):
        context_paths(value)
