"""What is shown beside a response: bare or as named lines, by any path, and an error where a row lacks it."""

from __future__ import annotations

from typing import Any

import pytest

from gavelkit.core.errors import ConfigError, DataError
from gavelkit.core.example import Example, Uses
from gavelkit.datasets import RowMapping
from gavelkit.prompts import Context


def a_row(**columns: Any) -> Example:
    return RowMapping().example({"id": "7", "question": "Why?", "response": "r", **columns}, number=1)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, ""),
        ({"context": "question"}, "Why?"),
        ({"Context": "question"}, "Why?"),
        ({"question": "question"}, "question: Why?"),
        ({"The question": "question"}, "The question: Why?"),
        ({"question": "question", "note": "doc.note"}, "question: Why?\nnote: n"),
        ({"note": "doc.note", "question": "question"}, "note: n\nquestion: Why?"),
        ({"context": "question", "note": "doc.note"}, "context: Why?\nnote: n"),
        ({"note": "doc/note"}, "note: n"),
        ({"last": "turns[-1].text"}, "last: b"),
        ({"last": "turns[1]/text"}, "last: b"),
        ({"dotted": "a.b"}, "dotted: whole"),
        ({"list": "turns[0].tags"}, 'list: ["x", "y"]'),
    ],
)
def test_one_field_called_context_is_shown_bare_and_others_as_named_lines_in_their_order(
    fields: dict[str, str], text: str
) -> None:
    row = a_row(**{"doc": {"note": "n"}, "turns": [{"text": "a", "tags": ["x", "y"]}, {"text": "b"}], "a.b": "whole"})
    assert Context(fields).text(row) == text


def test_without_a_doc_of_its_own_the_row_is_the_doc() -> None:
    assert Context({"context": "doc.question"}).text(a_row()) == "Why?"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("qestion", "no field 'qestion': 'qestion' is not there; did you mean question?"),
        ("doc.qestion", "did you mean doc.question?"),
        ("turns[0]", "'turns' is not there"),
        ("question.text", "'text' needs a mapping, and there is a str"),
    ],
)
def test_a_field_that_a_row_lacks_is_an_error_that_says_where_and_what_is_near(path: str, words: str) -> None:
    with pytest.raises(DataError) as caught:
        Context({"context": path}).text(a_row())
    assert str(caught.value).startswith("row '7': the criterion's context: no field ")
    assert words in str(caught.value)


@pytest.mark.parametrize("path", ["", "a..b", "a[", "/", "a//b"])
def test_what_is_no_path_is_refused_at_once(path: str) -> None:
    with pytest.raises(ConfigError, match=r"context_fields: .* is not a path"):
        Context({"context": path})


@pytest.mark.parametrize(
    ("path", "uses"),
    [
        ("question", Uses(frozenset({"question"}))),
        ("turns[0].text", Uses(frozenset({"turns[0].text", "turns"}))),
        ("doc.note.text", Uses(frozenset({"doc.note.text", "doc"}), frozenset({"note"}))),
        ("doc/note", Uses(frozenset({"doc.note", "doc"}), frozenset({"note"}))),
        ("doc", Uses(frozenset({"doc"}), None)),
        ("doc[0]", Uses(frozenset({"doc[0]", "doc"}), None)),
    ],
)
def test_it_says_which_parts_of_a_row_it_reads(path: str, uses: Uses) -> None:
    assert Context({"context": path}).uses == uses


def test_what_is_kept_of_a_row_gives_the_same_text() -> None:
    row = a_row(doc={"note": {"text": "n"}, "more": "x"}, turns=["a"], other="y")
    context = Context({"note": "doc/note/text", "turn": "turns[0]", "question": "question"})
    assert context.text(row.only(context.uses)) == context.text(row)
    assert "other" not in row.only(context.uses).fields
