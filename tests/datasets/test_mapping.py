"""How a row's columns become an example."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import Example
from gavelkit.datasets import RowMapping


def read(row: dict[str, Any], mapping: dict[str, Any] | None = None) -> Example:
    return RowMapping(mapping).example(row, number=3, source="rows.jsonl", line=5)


def refusal(row: dict[str, Any], mapping: dict[str, Any] | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read(row, mapping)
    return str(caught.value)


def refused_map(mapping: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        RowMapping(mapping)
    return str(caught.value)


# names users already have


@pytest.mark.parametrize("name", ["question", "input", "instruction", "prompt"])
def test_a_question_goes_by_four_names(name: str) -> None:
    example = read({name: "q", "response": "r"})
    assert example.fields["question"] == example.fields[name] == "q"


@pytest.mark.parametrize("name", ["response", "output", "prediction", "answer"])
def test_a_response_goes_by_four_names(name: str) -> None:
    assert read({name: "r"}).responses == {"": "r"}


@pytest.mark.parametrize("name", ["reference", "target", "expected", "expected_output", "answer"])
def test_a_reference_goes_by_five_names(name: str) -> None:
    assert read({"response": "r", name: "ref"}).references == ("ref",)


def test_the_first_of_several_names_wins() -> None:
    example = read({"prompt": "3", "input": "2", "output": "b", "response": "a", "expected": "y", "target": "x"})
    assert (example.fields["question"], example.responses, example.references) == ("2", {"": "a"}, ("x",))


@pytest.mark.parametrize("response", ["response", "output", "prediction"])
def test_an_answer_beside_a_response_is_the_reference(response: str) -> None:
    example = read({response: "r", "answer": "ref"})
    assert (example.responses, example.references) == ({"": "r"}, ("ref",))


def test_an_answer_alone_is_the_response_and_never_its_own_reference() -> None:
    example = read({"question": "q", "answer": "r"})
    assert (example.responses, example.references) == ({"": "r"}, ())


@pytest.mark.parametrize("mapping", [{"response": "answer"}, {"response": {"a": "answer", "b": "other"}}])
def test_an_answer_named_as_the_response_is_not_its_own_reference(mapping: dict[str, Any]) -> None:
    assert read({"answer": "r", "other": "o"}, mapping).references == ()


def test_an_answer_is_the_reference_where_another_column_is_named_as_the_response() -> None:
    assert read({"answer": "ref", "other": "o"}, {"response": "other"}).references == ("ref",)


def test_a_reference_column_comes_before_an_answer() -> None:
    assert read({"response": "r", "answer": "a", "target": "t"}).references == ("t",)


# references


@pytest.mark.parametrize(
    ("value", "references"),
    [("a", ("a",)), (["a", "b"], ("a", "b")), ([], ()), (None, ()), ("", ("",)), (7, (7,)), ({"x": 1}, ({"x": 1},))],
)
def test_a_reference_is_one_several_or_none(value: Any, references: tuple[Any, ...]) -> None:
    assert read({"response": "r", "reference": value}).references == references


def test_a_row_without_a_reference_has_none() -> None:
    assert read({"response": "r"}).reference is None


def test_a_reference_is_found_by_its_path() -> None:
    mapping = {"reference": "doc.golds"}
    assert read({"response": "r", "target": "t", "doc": {"golds": ["a", "b"]}}, mapping).references == ("a", "b")


# ids


@pytest.mark.parametrize(("value", "identifier"), [("x7", "x7"), (7, "7"), (0, "0"), (-1, "-1"), (2**70, str(2**70))])
def test_an_id_is_a_text_or_a_whole_number(value: Any, identifier: str) -> None:
    assert read({"id": value, "response": "r"}).id == identifier


def test_without_an_id_the_rows_number_is_its_id() -> None:
    assert read({"response": "r"}).id == "3"


def test_an_id_is_found_by_its_path() -> None:
    assert read({"id": "no", "response": "r", "doc": {"key": 9}}, {"id": "doc.key"}).id == "9"


@pytest.mark.parametrize("value", [None, True, False, 1.5, "", [1], {"a": 1}])
def test_another_id_is_refused_with_its_place_and_value(value: Any) -> None:
    said = f"rows.jsonl:5: the id must be a text or a whole number, not {value!r}"
    assert refusal({"id": value, "response": "r"}) == said


# responses and systems


@pytest.mark.parametrize("value", ["r", "", 7, ["a"], {"a": 1}])
def test_a_response_stays_what_it_is(value: Any) -> None:
    assert read({"response": value}).responses == {"": value}


def test_a_model_that_said_nothing_gave_an_empty_response() -> None:
    assert read({"response": None}).responses == {"": ""}
    assert read({"a": None}, {"response": "a"}).responses == {"": ""}


def test_several_systems_are_named_by_the_map_in_its_order() -> None:
    mapping = {"response": {"new": "b", "old": "doc.a"}}
    example = read({"doc": {"a": "1"}, "b": "2", "response": "no"}, mapping)
    assert list(example.responses.items()) == [("new", "2"), ("old", "1")]


def test_a_column_names_the_system_of_a_row() -> None:
    row = {"model": "m1", "response": "r", "text": "t"}
    assert read(row, {"system": "model"}).responses == {"m1": "r"}
    assert read(row, {"system": "model", "response": "text"}).responses == {"m1": "t"}


def test_a_system_column_does_not_go_with_several_responses() -> None:
    said = refused_map({"system": "model", "response": {"a": "x", "b": "y"}})
    assert said == "map: system names the system of a whole row, so response must be one path"


def test_a_list_of_outputs_names_its_systems() -> None:
    outputs = [{"id": "a", "output": "1"}, {"model": "b", "output": None}, {"id": 3, "model": "no", "output": "x"}]
    assert read({"outputs": outputs}).responses == {"a": "1", "b": "", "3": "x"}


@pytest.mark.parametrize("item", ["text", {"id": "a"}, {"output": "x"}, {"id": None, "output": "x"}])
def test_an_output_needs_a_name_and_a_text(item: Any) -> None:
    assert refusal({"outputs": [item]}) == "rows.jsonl:5: each item of outputs needs id (or model) and output"


def test_an_output_named_twice_is_refused() -> None:
    outputs = [{"id": 1, "output": "x"}, {"model": "1", "output": "y"}]
    assert refusal({"outputs": outputs}) == "rows.jsonl:5: outputs names the system '1' twice"


@pytest.mark.parametrize("column", ["responses", "outputs", "predictions"])
def test_a_column_of_responses_by_system_names_its_systems(column: str) -> None:
    example = read({column: {"new model": "1", "v1.5 [b]": None, "モデル": ""}, "answer": "ref"})
    assert example.responses == {"new model": "1", "v1.5 [b]": "", "モデル": ""}
    assert example.references == ("ref",)


def test_one_response_comes_before_a_column_of_several_unless_it_is_null() -> None:
    assert read({"output": "r", "outputs": {"a": "1"}}).responses == {"": "r"}
    assert read({"output": None, "outputs": {"a": "1"}}).responses == {"a": "1"}
    assert read({"output": None, "outputs": {}}).responses == {"": ""}


@pytest.mark.parametrize("value", [{}, {"text": "a", "tokens": 3}, ["a", "b"], "a", None])
def test_a_column_that_does_not_plainly_hold_systems_gives_way_to_an_answer(value: Any) -> None:
    assert read({"responses": value, "predictions": value, "answer": "r"}).responses == {"": "r"}


@pytest.mark.parametrize(
    ("value", "responses"),
    [
        ({"a": "1", "b": None, "c.d": {"x": 1}, "e": 7}, {"a": "1", "b": "", "c.d": {"x": 1}, "e": 7}),
        (["x", None, 7], {"1": "x", "2": "", "3": 7}),
        ([{"id": "a", "output": "1"}, {"model": "b", "output": "2"}], {"a": "1", "b": "2"}),
    ],
)
def test_the_map_leads_to_the_responses_of_several_systems(value: Any, responses: dict[str, Any]) -> None:
    assert read({"doc": {"said": value}, "response": "no"}, {"responses": "doc.said"}).responses == responses
    assert read({"outputs": value}, {"responses": "outputs"}).responses == responses


@pytest.mark.parametrize("value", ["text", None, 7, {}, []])
def test_what_holds_no_systems_is_refused_where_the_map_leads_to_it(value: Any) -> None:
    said = refusal({"said": value}, {"responses": "said"})
    found = repr(value) if value or value is None else f"an empty {type(value).__name__}"
    assert said == (
        f"rows.jsonl:5: said must be a mapping of systems to their responses, or a list of them, not {found}"
    )


def test_a_system_without_a_name_or_named_twice_is_refused() -> None:
    nameless = "rows.jsonl:5: outputs holds a response of a system without a name"
    assert refusal({"outputs": {"": "x", "a": "y"}}) == nameless
    assert refusal({"outputs": [{"id": "", "output": "x"}]}) == nameless
    assert refusal({"responses": {"1": "x", 1: "y"}}) == "rows.jsonl:5: responses names the system '1' twice"


def test_a_map_says_once_where_the_responses_are() -> None:
    assert refused_map({"response": "a", "responses": "b"}) == (
        "map: response and responses both say where the responses are; give one of them"
    )
    assert refused_map({"system": "a", "responses": "b"}) == (
        "map: system names the system of a whole row, so response must be one path"
    )
    assert refused_map({"responses": {"a": "b"}}).startswith("map: responses must be a path such as")


@pytest.mark.parametrize(
    ("mapping", "named"),
    [
        ({}, False),
        ({"response": "a"}, False),
        ({"response": {"x": "a"}}, True),
        ({"responses": "a"}, True),
        ({"system": "a"}, True),
    ],
)
def test_a_mapping_knows_whether_it_names_systems(mapping: dict[str, Any], named: bool) -> None:  # noqa: FBT001 - a parameter
    assert RowMapping(mapping).names_systems is named


@given(st.dictionaries(st.text(min_size=1), st.text() | st.none(), min_size=1))
def test_any_text_may_name_a_system(outputs: dict[str, str | None]) -> None:
    expected = {name: text or "" for name, text in outputs.items()}
    assert read({"outputs": outputs}).responses == expected
    assert read({"deep": [outputs]}, {"responses": "deep[0]"}).responses == expected


@pytest.mark.parametrize("row", [{"question": "q"}, {"outputs": []}, {"outputs": "text"}, {}])
def test_a_row_without_a_response_says_where_it_was_looked_for(row: dict[str, Any]) -> None:
    assert refusal(row) == (
        "rows.jsonl:5: no response: looked for response, output, prediction, responses, outputs, predictions, answer; "
        "name the field with map: {response: ...}"
    )


# further columns for the response


def read_with(row: dict[str, Any], *fallback: str, mapping: dict[str, Any] | None = None) -> Example:
    return RowMapping(mapping, fallback=fallback).example(row, number=3, source="rows.jsonl", line=5)


def test_a_further_column_comes_after_the_usual_ones_and_before_an_answer() -> None:
    assert read_with({"email response": "r", "answer": "ref"}, "email response").responses == {"": "r"}
    assert read_with({"email response": "r", "answer": "ref"}, "email response").references == ("ref",)
    assert read_with({"summary": "no", "output": "r"}, "summary").responses == {"": "r"}
    assert read_with({"summary": "no", "outputs": {"a": "1"}}, "summary").responses == {"a": "1"}
    assert read_with({"summary": "no", "x": "r"}, "summary", mapping={"response": "x"}).responses == {"": "r"}
    assert read_with({"b": "2", "c": "3"}, "a", "b", "c").responses == {"": "2"}


def test_a_null_response_gives_way_to_a_further_column() -> None:
    assert read_with({"response": None, "summary": "r"}, "summary").responses == {"": "r"}
    assert read_with({"response": None, "summary": None}, "summary").responses == {"": ""}


def test_further_columns_are_named_where_no_response_is_found() -> None:
    with pytest.raises(DataError, match="responses, outputs, predictions, summary, answer; name the field with map"):
        read_with({"question": "q"}, "summary")


def test_further_columns_are_part_of_what_the_mapping_is() -> None:
    assert RowMapping({"id": "x"}, fallback=("summary",)).spec == {"id": "x", "prediction_field": ["summary"]}
    assert RowMapping({"id": "x"}, fallback=("response",)).spec == RowMapping({"id": "x"}).spec


def test_a_map_cannot_name_what_the_criterion_says() -> None:
    with pytest.raises(ConfigError, match=r"map: prediction_field is said by the criterion; name the column"):
        RowMapping({"prediction_field": "x"}, fallback=("summary",))
    assert RowMapping({"prediction_field": "x"}).spec == {"prediction_field": "x"}


@pytest.mark.parametrize("column", ["reference", "target", "expected", "expected_output", "answer"])
def test_a_column_that_gave_the_response_is_never_its_own_reference(column: str) -> None:
    assert read_with({column: "r"}, column).references == ()
    assert read({column: "r"}, {"response": column}).references == ()
    assert read({column: {"a": "r", "b": "s"}}, {"responses": column}).references == ()


def test_the_next_reference_is_taken_where_the_first_gave_the_response() -> None:
    assert read_with({"target": "r", "expected": "ref"}, "target").references == ("ref",)
    assert read({"target": "r", "doc": {"gold": "g"}}, {"response": "target", "target": "doc.gold"}).references == (
        "g",
    )
    assert read({"target": "r"}, {"response": "target", "reference": "target"}).references == ("r",)


def test_a_column_whose_name_looks_like_a_path_takes_no_reference_away() -> None:
    assert read({"target.said": "r", "target": "ref"}, {"response": "target.said"}).references == ("ref",)


# paths


def test_a_mapped_field_goes_before_a_column_of_its_name() -> None:
    example = read({"question": "no", "doc": {"q": "yes"}, "response": "r"}, {"question": "doc.q", "topic": "doc.q"})
    assert (example.fields["question"], example.fields["topic"]) == ("yes", "yes")


@pytest.mark.parametrize(
    "mapping",
    [{"question": "doc.qestion"}, {"id": "doc.qestion"}, {"response": "doc.qestion"}, {"system": "doc.qestion"}],
)
def test_a_path_that_leads_nowhere_is_named_with_file_line_and_field(mapping: dict[str, Any]) -> None:
    assert refusal({"doc": {"question": "q"}, "response": "r"}, mapping) == (
        "rows.jsonl:5: no field 'doc.qestion': 'qestion' is not there; did you mean doc.question?"
    )


def test_a_row_in_memory_is_named_by_its_number() -> None:
    with pytest.raises(DataError, match=re.escape("row 3: no response")):
        RowMapping().example({}, number=3)


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"question": 7}, "map: question must be a path such as doc.question, not 7"),
        ({"response": {"a": None}}, "map: response.a must be a path such as doc.question, not None"),
        ({"response": ["a"]}, "map: response. must be a path such as doc.question, not ['a']"),
        ({"id": "a..b"}, "map: id: 'a..b' is not a path such as doc.question or resps[0]"),
        ({"system": ""}, "map: system: '' is not a path such as doc.question or resps[0]"),
    ],
)
def test_a_map_that_holds_no_path_is_refused_by_name(mapping: dict[str, Any], said: str) -> None:
    assert refused_map(mapping) == said


# the whole


def test_the_document_is_the_rows_own_or_else_the_row() -> None:
    row = {"response": "r", "a": 1}
    assert read(row).doc == row
    assert read({"response": "r", "doc": {"b": 2}}).doc == {"b": 2}
    assert read({"response": "r", "doc": "text"}).doc == {"response": "r", "doc": "text"}


def test_an_example_knows_its_place() -> None:
    assert read({"response": "r"}).place == "rows.jsonl:5"
    assert RowMapping().example({"response": "r"}, number=3).line == 3


@given(st.dictionaries(st.text(), st.text()))
def test_every_column_stays_and_the_row_is_left_alone(columns: dict[str, str]) -> None:
    row = {**columns, "id": "1", "response": "r"}
    before = dict(row)
    example = read(row)
    assert row == before
    assert {name: example.fields[name] for name in row} == row
