"""Where the rows come from: one file, several side by side, and the column that a criterion names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.makers import write_rows

import gavelkit
from gavelkit.config import Surroundings, configure
from gavelkit.config.data import Data, open_data, prediction_fields
from gavelkit.config.environment import Environment
from gavelkit.config.file import Flags
from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.event import Event, Noticed
from gavelkit.core.protocols import Judge
from gavelkit.datasets import RowMapping


def opened(data: Data, folder: Path, events: list[Event] | None = None) -> dict[str, dict[str, Any]]:
    """The responses of each row by its id."""
    seen: list[Event] = [] if events is None else events
    source = open_data(data, folder, RowMapping(), where="conf.yaml", observe=seen.append)
    return {example.id: dict(example.responses) for example in source.examples()}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_rows(tmp_path / "gpt 4.jsonl", [{"id": "1", "response": "a"}, {"id": "2", "response": "b"}])
    write_rows(tmp_path / "llama.v1.jsonl", [{"id": "2", "response": "c"}, {"id": "1", "response": "d"}])
    return tmp_path


def test_one_file_is_read_as_it_is(files: Path) -> None:
    assert opened("gpt 4.jsonl", files) == opened(["gpt 4.jsonl"], files) == {"1": {"": "a"}, "2": {"": "b"}}


@pytest.mark.parametrize(
    ("data", "systems"),
    [
        (["gpt 4.jsonl", "llama.v1.jsonl"], ["gpt 4", "llama"]),
        (["one=gpt 4.jsonl", "two words=llama.v1.jsonl"], ["one", "two words"]),
        ({"x vs y": "gpt 4.jsonl", "b": "llama.v1.jsonl"}, ["x vs y", "b"]),
    ],
)
def test_several_files_are_joined_each_a_system_by_its_name(data: Data, systems: list[str], files: Path) -> None:
    one, two = systems
    assert opened(data, files) == {"1": {one: "a", two: "d"}, "2": {one: "b", two: "c"}}


def test_two_files_of_one_name_are_refused_with_the_remedy(files: Path) -> None:
    (files / "b").mkdir()
    write_rows(files / "b" / "gpt 4.jsonl", [{"id": "1", "response": "a"}])
    with pytest.raises(ConfigError, match=r"conf\.yaml: two files would be the system 'gpt 4'; name them, as in NAME="):
        opened(["gpt 4.jsonl", "b/gpt 4.jsonl"], files)


def test_a_path_with_an_equals_sign_in_a_folder_is_a_path(files: Path) -> None:
    (files / "t=0").mkdir()
    write_rows(files / "t=0" / "x.jsonl", [{"id": "1", "response": "a"}])
    assert opened(["./t=0/x.jsonl", "gpt 4.jsonl"], files)["1"] == {"x": "a", "gpt 4": "a"}


def test_rows_that_stand_in_one_file_alone_are_told(files: Path) -> None:
    write_rows(files / "more.jsonl", [{"id": "1", "response": "x"}, {"id": "3", "response": "y"}])
    events: list[Event] = []
    assert set(opened(["gpt 4.jsonl", "more.jsonl"], files, events)) == {"1", "2", "3"}
    assert events == [
        Noticed(f"1 rows stand in the file of {name!r} alone, so nothing is compared with them")
        for name in ("gpt 4", "more")
    ]


def test_files_without_a_common_row_are_refused(files: Path) -> None:
    write_rows(files / "other.jsonl", [{"id": "9", "response": "x"}])
    with pytest.raises(DataError):
        opened(["gpt 4.jsonl", "other.jsonl"], files)


def judging(**criterion: Any) -> Judge:
    name = str(criterion.pop("judge", "j"))
    return gavelkit.judge(criterion={"description": "Is it so?", **criterion}, function=str, name=name)


def test_the_column_that_a_criterion_names_is_read_where_a_row_has_no_response() -> None:
    plain = gavelkit.judge("score_0_10", function=str)
    assert prediction_fields([plain, judging(prediction_field="summary")], "x") == ("summary",)
    assert prediction_fields([judging(prediction_field="response"), judging()], "x") == ()


def test_criteria_that_name_two_columns_are_refused_with_the_remedy() -> None:
    judges = [judging(judge="a", prediction_field="summary"), judging(judge="b", prediction_field="email")]
    with pytest.raises(ConfigError, match=r"a 'summary', b 'email'\); name one: map: \{response: \.\.\.\}"):
        prediction_fields(judges, "conf.yaml")


def configured(folder: Path, rows: list[dict[str, Any]], judge: dict[str, Any], **top: Any) -> dict[str, Any]:
    write_rows(folder / "rows.jsonl", rows)
    given = {"data": "rows.jsonl", "judges": [judge], **top}
    surroundings = Surroundings(Environment({}), folder)
    source = configure(given, surroundings, where="conf.yaml", flags=Flags({}, {})).source
    return {example.id: example.responses[""] for example in source.examples()}


def test_a_criterions_column_gives_the_response_unless_the_row_or_the_mapping_has_one(tmp_path: Path) -> None:
    judge = {"criterion": {"description": "Is it so?", "prediction_field": "summary"}}
    rows = [{"id": "1", "summary": "s", "answer": "a"}, {"id": "2", "response": "r", "summary": "s"}]
    assert configured(tmp_path, rows, judge) == {"1": "s", "2": "r"}
    assert configured(tmp_path, rows, judge, map={"response": "summary"}) == {"1": "s", "2": "s"}
