"""Files side by side: one example for the rows of one id, and what does not fit together."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import Example
from gavelkit.datasets import JoinedSource, RowMapping, joined_source, refuse_duplicates

Rows = Sequence[Mapping[str, Any]]


def put(folder: Path, name: str, rows: Rows) -> Path:
    file = folder / name
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    file.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return file


def answers(system: str, ids: str, **more: Any) -> list[dict[str, Any]]:
    return [{"id": each, "question": f"q{each}", "response": f"{system} {each}", **more} for each in ids]


def join(folder: Path, mapping: RowMapping | None = None, **files: Rows) -> JoinedSource:
    paths = {name: put(folder, f"{name}.jsonl", rows) for name, rows in files.items()}
    return joined_source(paths, mapping or RowMapping())


def table(source: JoinedSource) -> list[tuple[str, str]]:
    """Each example's id, with its systems."""
    return [(each.id, "".join(each.responses)) for each in refuse_duplicates(source.examples())]


def refusal(source: JoinedSource) -> str:
    with pytest.raises(DataError) as caught:
        list(source.examples())
    return str(caught.value)


# what is joined


def test_rows_with_one_id_become_one_example_with_a_response_from_each_file(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "12", topic="t"), b=answers("b", "12", topic="other", more=1))
    first, second = source.examples()
    assert (first.id, first.responses, first.fields["question"]) == ("1", {"a": "a 1", "b": "b 1"}, "q1")
    assert (second.id, second.responses) == ("2", {"a": "a 2", "b": "b 2"})
    assert (first.fields["topic"], "more" in first.fields, first.doc["topic"]) == ("t", False, "t")
    assert second.place == f"{tmp_path}/a.jsonl:2"


def test_the_order_is_the_first_files_then_what_each_later_one_adds(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "312"), b=answers("b", "5143"), c=answers("c", "64251"))
    expected = [("3", "ab"), ("1", "abc"), ("2", "ac"), ("5", "bc"), ("4", "bc"), ("6", "c")]
    assert table(source) == expected
    assert table(source) == expected
    assert [each.id for each in source.examples(limit=4)] == ["3", "1", "2", "5"]


def test_a_row_of_a_later_file_alone_stands_in_that_file(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "1"), b=answers("b", "12"))
    assert [each.place for each in source.examples()] == [f"{tmp_path}/a.jsonl:1", f"{tmp_path}/b.jsonl:2"]


def test_rows_that_stand_in_one_file_alone_are_counted(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "312"), b=answers("b", "5143"), c=answers("c", "64251"))
    assert source.lonely == {"a": 0, "b": 0, "c": 1}
    assert join(tmp_path, x=answers("x", "123"), y=answers("y", "34")).lonely == {"x": 2, "y": 1}


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 12), unique=True, min_size=1), min_size=2, max_size=4))
def test_every_row_of_every_file_is_in_one_example_in_any_order(orders: list[list[int]]) -> None:
    files = {f"s{at}": [{"id": 99, "response": "all"}, *({"id": n, "response": f"{at} {n}"} for n in order)]
             for at, order in enumerate(orders)}  # fmt: skip
    order = list(dict.fromkeys(str(row["id"]) for rows in files.values() for row in rows))
    expected = {
        each: {name: row["response"] for name, rows in files.items() for row in rows if str(row["id"]) == each}
        for each in order
    }
    with TemporaryDirectory() as folder:
        found = list(join(Path(folder), None, **files).examples())
    assert [(each.id, dict(each.responses)) for each in found] == list(expected.items())


def test_files_in_one_order_are_read_in_lockstep(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "1234"), b=answers("b", "124"))
    list(source.examples(limit=1))
    (tmp_path / "b.jsonl").write_text(json.dumps(answers("b", "1")[0]) + "\nbroken\n")
    assert [each.id for each in source.examples(limit=1)] == ["1"]
    with pytest.raises(DataError, match=r"b\.jsonl:2: not JSON"):
        list(source.examples(limit=2))


def test_a_system_may_have_any_name_but_none(tmp_path: Path) -> None:
    file = put(tmp_path, "x.jsonl", answers("x", "1"))
    (found,) = joined_source({"GPT 4.1 [new]": file, "modèle": file}, RowMapping()).examples()
    assert found.responses == {"GPT 4.1 [new]": "x 1", "modèle": "x 1"}
    for files in ({"": file, "a": file}, {"a": file}, {}):
        with pytest.raises(ConfigError, match="files to be joined: 2 to 60 are needed, each with a name, not"):
            joined_source(files, RowMapping())


def test_files_of_any_type_are_joined_by_the_text_of_their_ids(tmp_path: Path) -> None:
    rows = [{"id": 1, "question": 4, "response": "x"}, {"id": 2, "question": 5, "response": "y"}]
    table_file = tmp_path / "b.csv"
    table_file.write_text("id,question,response\n2,5,z\n1,4,\n")
    found = joined_source({"a": put(tmp_path, "a.jsonl.gz", rows), "b": table_file}, RowMapping()).examples()
    assert [dict(each.responses) for each in found] == [{"a": "x", "b": ""}, {"a": "y", "b": "z"}]


def test_the_mapping_reads_each_file(tmp_path: Path) -> None:
    rows = [{"doc": {"key": 7, "q": "?"}, "said": None}]
    mapping = RowMapping({"id": "doc.key", "question": "doc.q", "response": "said"})
    (found,) = join(tmp_path, mapping, a=rows, b=rows).examples()
    assert (found.id, found.responses, found.fields["question"]) == ("7", {"a": "", "b": ""}, "?")


def test_rows_without_ids_are_joined_by_their_numbers(tmp_path: Path) -> None:
    source = join(tmp_path, a=[{"response": "a1"}, {"response": "a2"}], b=[{"response": "b1"}])
    assert [(each.id, dict(each.responses)) for each in source.examples()] == [
        ("1", {"a": "a1", "b": "b1"}),
        ("2", {"a": "a2"}),
    ]


def test_a_row_that_a_later_file_lacks_is_not_looked_for(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "1234"), b=answers("b", "124"))
    list(source.examples(limit=1))
    rows = "".join(json.dumps(row) + "\n" for row in answers("b", "12"))
    (tmp_path / "b.jsonl").write_text(rows + "broken\n")
    assert [list(each.responses) for each in source.examples(limit=3)] == [["a", "b"], ["a", "b"], ["a"]]


# lm-eval's samples


def sample(number: int, said: str, *, filter: str = "none") -> dict[str, Any]:  # noqa: A002 - lm-eval's name
    doc = {"question": f"What is {number}?"}
    return {"doc_id": number, "doc": doc, "target": "4", "filtered_resps": [said], "filter": filter}


def test_samples_of_one_task_are_joined_by_their_document(tmp_path: Path) -> None:
    stem = "samples_gsm8k_2025-01-02T03-04-05"
    small = put(tmp_path, f"{stem}.1.jsonl", [sample(0, "s0"), sample(1, "s1")])
    large = put(tmp_path, f"{stem}.2.jsonl", [sample(1, "l1"), sample(0, "l0")])
    source = joined_source({"small": small, "large": large}, RowMapping())
    assert source.name == "gsm8k"
    assert [(each.id, dict(each.responses), each.reference) for each in source.examples()] == [
        ("0", {"small": "s0", "large": "l0"}, "4"),
        ("1", {"small": "s1", "large": "l1"}, "4"),
    ]
    assert not source.rows.mixed


def test_the_filters_of_samples_are_told_or_picked(tmp_path: Path) -> None:
    rows = [sample(0, "strict", filter="strict"), sample(0, "loose", filter="loose")]
    source = join(tmp_path, a=rows, b=rows)
    assert source.rows.mixed
    assert [each.id for each in source.examples()] == ["0:strict", "0:loose"]
    source = join(tmp_path, RowMapping(filter="loose"), a=rows, b=rows)
    assert not source.rows.mixed
    assert [(each.id, dict(each.responses)) for each in source.examples()] == [("0", {"a": "loose", "b": "loose"})]


# what a run asks of a source


def test_a_joined_source_tells_what_it_is_made_of(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "1"), b=answers("b", "1"))
    assert (source.name, source.rereadable) == ("a-and-b", True)
    assert source.path == f"a={tmp_path}/a.jsonl, b={tmp_path}/b.jsonl"
    named = replace(source, name="task")
    assert (named.name, [each.id for each in named.examples()]) == ("task", ["1"])


# what does not fit together


@pytest.mark.parametrize("name", ["question", "reference"])
def test_rows_of_one_id_must_be_about_the_same(tmp_path: Path, name: str) -> None:
    long = "y" * 70
    source = join(tmp_path, a=answers("a", "21", **{name: "x"}), b=answers("b", "1", **{name: long}))
    assert refusal(source) == (
        f"{tmp_path}/b.jsonl:1: the id '1' has another {name} than in {tmp_path}/a.jsonl:2: "
        f"'{'y' * 60}...' and 'x'; rows with one id must be about the same"
    )


def test_what_a_later_file_does_not_say_is_no_difference(tmp_path: Path) -> None:
    bare = [{"id": "1", "response": "b"}]
    said = [{"id": "1", "response": "a", "question": "q", "reference": "r"}]
    (found,) = join(tmp_path, a=said, b=bare).examples()
    assert (found.fields["question"], found.reference) == ("q", "r")
    (found,) = join(tmp_path, a=bare, b=said).examples()
    assert ("question" in found.fields, found.reference) == (False, None)


def test_an_id_twice_in_one_file_names_both_lines(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "12"), b=answers("b", "1321"))
    assert refusal(source) == f"{tmp_path}/b.jsonl:4: the id '1' stands already in line 1; ids must differ"


def test_files_without_a_common_id_show_an_id_of_each(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "12"), b=answers("b", "34"))
    assert refusal(source) == (
        f"{tmp_path}/a.jsonl:1: no id of this file stands in another one: here is '1', and {tmp_path}/b.jsonl:1 has "
        "'3'; map: {id: ...} names an id that they share"
    )
    assert refusal(join(tmp_path, a=answers("a", "1"), b=answers("b", "1"), c=answers("c", "2"))).startswith(
        f"{tmp_path}/c.jsonl:1: no id of this file stands in another one: here is '2', and {tmp_path}/a.jsonl:1"
    )


def test_a_number_of_a_row_does_not_meet_an_id(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "12"), b=[{"response": "b"}])
    assert refusal(source) == (
        f"{tmp_path}/b.jsonl:1: the row has no id, and {tmp_path}/a.jsonl:1 has the id '1'; rows are joined by their "
        "ids or, where none has one, by their numbers; map: {id: ...} names the id"
    )
    source = join(tmp_path, a=[{"response": "a"}, {"response": "a", "id": 1}], b=[{"response": "b"}])
    assert f"{tmp_path}/a.jsonl:2: the row has an id, and {tmp_path}/a.jsonl:1 has none; rows" in refusal(source)


def test_an_empty_file_has_nothing_to_join(tmp_path: Path) -> None:
    assert refusal(join(tmp_path, a=answers("a", "1"), b=[])) == f"{tmp_path}/b.jsonl: there is no row to join"


@pytest.mark.parametrize("mapping", [{"system": "model"}, {"responses": "outputs"}, {"response": {"a": "x"}}])
def test_a_mapping_that_names_systems_does_not_go_with_joined_files(tmp_path: Path, mapping: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="map: files that are joined are a system each, so response must be one path"):
        join(tmp_path, RowMapping(mapping), a=answers("a", "1"), b=answers("b", "1"))


def test_a_row_of_a_joined_file_holds_one_response(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "1"), b=[{"id": "1", "outputs": {"x": "1", "y": "2"}}])
    assert refusal(source) == (
        f"{tmp_path}/b.jsonl:1: a row that is joined holds one response, and here are the systems 'x', 'y'"
    )


def test_a_row_without_a_response_is_named_in_its_own_file(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "1"), b=[{"id": "1", "question": "q1"}])
    assert refusal(source).startswith(f"{tmp_path}/b.jsonl:1: no response: looked for")


def test_files_that_cannot_be_read_again_or_at_all_are_refused_at_once(tmp_path: Path) -> None:
    file = put(tmp_path, "a.jsonl", answers("a", "1"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="files that are joined are read more than once, which a pipe cannot be"):
        joined_source({"a": file, "b": tmp_path / "pipe"}, RowMapping())
    with pytest.raises(DataError, match=r"none\.jsonl: there is no such file"):
        joined_source({"a": file, "b": tmp_path / "none.jsonl"}, RowMapping())
    (tmp_path / "folder.jsonl").mkdir()
    assert "this is a folder" in refusal(joined_source({"a": file, "b": tmp_path / "folder.jsonl"}, RowMapping()))


def test_a_file_that_changed_meanwhile_is_noticed(tmp_path: Path) -> None:
    source = join(tmp_path, a=answers("a", "12"), b=answers("b", "12"))
    assert len(list(source.examples())) == 2
    put(tmp_path, "a.jsonl", answers("a", "132"))
    assert refusal(source) == (
        f"{tmp_path}/a.jsonl:2: the id '3' is new: the file changed while it was read; start again"
    )
    put(tmp_path, "a.jsonl", answers("a", "12"))
    put(tmp_path, "b.jsonl", answers("b", "2"))
    found: list[Example] = list(source.examples())
    assert [list(each.responses) for each in found] == [["a"], ["a", "b"]]
