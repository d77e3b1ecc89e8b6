"""unitxt's operators that make criteria of a field."""

from __future__ import annotations

from typing import Any

import pytest

from gavelkit.integrations import unitxt
from gavelkit.integrations.unitxt import Criteria, CriteriaWithOptions, UnitxtError

PLAIN = Criteria("best", "Which is best?")
CHOICE = CriteriaWithOptions("clear", "Is it?", options=["Yes", "No"], option_map={"Yes": 1, "No": 0})  # type: ignore[list-item] # a text is a name


@pytest.mark.parametrize(
    ("operator", "value", "made"),
    [
        ("LoadCriteria", PLAIN.to_json(), PLAIN),
        ("LoadCriteriaWithOptions", CHOICE.to_dict(), CHOICE),
        ("CreateCriteriaFromString", "Which?", Criteria("", "Which?")),
        ("CreateCriteriaFromDict", PLAIN.to_dict(), PLAIN),
        ("CreateCriteriaFromJson", PLAIN.to_json(), PLAIN),
        ("CreateCriteriaWithOptionsFromDict", CHOICE.to_dict(), CHOICE),
        ("CreateCriteriaWithOptionsFromJson", CHOICE.to_json(), CHOICE),
    ],
)
def test_each_operator_makes_criteria_of_its_form(operator: str, value: Any, made: Criteria) -> None:
    operate = getattr(unitxt, operator)(field="raw", to_field="criteria")
    assert operate.process({"raw": value, "x": 1}) == {"raw": value, "x": 1, "criteria": made}


@pytest.mark.parametrize(
    ("operator", "scores"),
    [
        ("CreateYesNoCriteriaFromString", {"Yes": 1.0, "No": 0.0}),
        ("CreateYesNoPartiallyCriteriaFromString", {"Yes": 1.0, "Partially": 0.5, "No": 0.0}),
    ],
)
def test_a_question_gets_plain_options(operator: str, scores: dict[str, float]) -> None:
    made = getattr(unitxt, operator)(field="raw").process_value("Is it polite?")
    assert (made.name, made.description, made.option_map) == ("", "Is it polite?", scores)
    assert [option.name for option in made.options] == list(scores)


def test_fields_are_named_by_paths_and_the_place_is_the_same_field_where_no_other_is_named() -> None:
    instances = [{"inner": {"raw": "Which?"}, "raw": "Why?"}]
    operate = unitxt.CreateCriteriaFromString(field="inner/raw")
    assert list(operate(instances)) == [{"inner": {"raw": Criteria("", "Which?")}, "raw": "Why?"}]
    assert instances == [{"inner": {"raw": "Which?"}, "raw": "Why?"}]


def test_options_that_are_needed_are_asked_for_and_a_missing_field_is_named() -> None:
    with pytest.raises(UnitxtError, match="CriteriaWithOptions"):
        unitxt.LoadCriteriaWithOptions(field="raw").process({"raw": PLAIN})
    with pytest.raises(UnitxtError, match=r"LoadCriteria: there is no field 'rwa'. Perhaps you meant 'raw'"):
        unitxt.LoadCriteria(field="rwa").process({"raw": PLAIN})
