"""Criteria in unitxt's form, from every form they come in and back."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from gavelkit.integrations.unitxt import Criteria, CriteriaOption, CriteriaWithOptions, UnitxtError
from gavelkit.integrations.unitxt_criteria import as_criteria

CLEAR = CriteriaWithOptions(
    name="clear",
    description="Is it clear?",
    prediction_field="response",
    context_fields={"asked": "question"},
    options=[CriteriaOption("Yes", "every word is known."), CriteriaOption("No", "")],
    option_map={"Yes": 1.0, "No": 0.0},
)


def test_criteria_come_back_from_their_json() -> None:
    assert CriteriaWithOptions.from_jsons(CLEAR.to_json()) == CLEAR
    plain = Criteria("best", "Which is best?")
    assert Criteria.from_jsons(plain.to_json()) == plain


def test_their_json_is_the_artifacts_indented_by_four() -> None:
    assert CLEAR.to_json().startswith('{\n    "__type__": "criteria_with_options",\n    "name": "clear",')
    assert json.loads(CLEAR.to_json())["options"][0] == {
        "__type__": "criteria_option",
        "name": "Yes",
        "description": "every word is known.",
    }
    assert list(json.loads(Criteria("best", "Which?").to_json())) == ["__type__", "name", "description"]


@pytest.mark.parametrize("form", [CLEAR, CLEAR.to_json(), CLEAR.to_dict()])
def test_every_form_of_the_same_criteria_is_the_same(form: object) -> None:
    assert as_criteria(form) == CLEAR


def test_an_object_of_another_package_is_read_by_its_fields() -> None:
    options = [SimpleNamespace(name="Yes", description="it is."), SimpleNamespace(name="No", description=None)]
    given = SimpleNamespace(name="clear", description="Is it?", options=options, option_map=None)
    found = as_criteria(given)
    assert isinstance(found, CriteriaWithOptions)
    assert list(found.options) == [CriteriaOption("Yes", "it is."), CriteriaOption("No", "")]
    assert type(as_criteria(SimpleNamespace(name="best", description="Which?"))) is Criteria


@pytest.mark.parametrize("name", ["answer_relevance", "metrics.llm_as_judge.direct.criteria.answer_relevance"])
def test_a_shipped_criterion_comes_by_its_short_and_its_long_name(name: str) -> None:
    found = as_criteria(name)
    assert isinstance(found, CriteriaWithOptions)
    assert (found.name, found.prediction_field, found.context_fields) == ("answer_relevance", "response", ["question"])
    assert [option.name for option in found.options] == ["Excellent", "Acceptable", "Could be Improved", "Bad"]


def test_a_contest_takes_a_shipped_criterion_of_either_kind() -> None:
    assert type(as_criteria("summarization_preference", pairwise=True)) is Criteria
    assert type(as_criteria("metrics.llm_as_judge.pairwise.criteria.funny_joke", pairwise=True)) is Criteria
    assert isinstance(as_criteria("answer_relevance", pairwise=True), CriteriaWithOptions)


def test_a_criterion_whose_high_score_is_bad_says_so() -> None:
    assert json.loads(as_criteria("toxicity").to_json())["polarity"] == "lower_is_better"
    assert "polarity" not in json.loads(as_criteria("answer_relevance").to_json())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (7, "shipped name"),
        ("[1]", "no shipped criterion"),
        ("{broken", "not JSON"),
        ({"name": "x"}, "description"),
        ({"description": "x"}, "name"),
        ({"name": "x", "description": "y", "options": [{"description": "z"}]}, "an option needs a name"),
    ],
)
def test_what_is_no_criteria_is_refused(given: object, said: str) -> None:
    with pytest.raises(UnitxtError, match=said):
        as_criteria(given)
