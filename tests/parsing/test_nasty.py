"""Awkward replies of real judges, each with the status that a careful person would give it.

Two formats have no shipped reader: every one of them calls such a row unreadable. Where the table differs from what
was recorded then, `DIFFERS` says why the table is right.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.protocols import Parser
from gavelkit.judges.verdict import Verdict, read_verdict
from gavelkit.parsing import (
    GradeParser,
    GradePatternParser,
    JsonOptionParser,
    JsonParser,
    OptionParser,
    RatingParser,
    ScoreFirstParser,
    ScoreParser,
)

# The judge was asked for the sentence as its conclusion, so it is looked for on the last line.
SENTENCE = GradePatternParser(r"[^\n]*Output \(([ab])\) is better[^\n]*\s*\Z", ("a", "b"))
LINE = GradePatternParser(r"(?m)^Output \(([ab])\)", ("a", "b"))
LETTER = GradePatternParser(r"\[\[([ABC])\]\]", ("A", "B", "C"))
SEAT = GradePatternParser(r"(?m)^(Assistant 1|Assistant 2|Same)$", ("Assistant 1", "Assistant 2", "Same"))
READERS: dict[str, Parser] = {
    'a sentence "Output (a) is better." / "Output (b) is better."': SENTENCE,
    'a line starting "Output (a)" or "Output (b)"': LINE,
    "[[A]] / [[B]] / [[C]]": LETTER,
    '"Assistant 1" / "Assistant 2" / "Same"': SEAT,
    "Rating: [[n]]": RatingParser(),
    "JSON with strengths, weaknesses, score": JsonParser(),
    "a bare integer 1-10": GradePatternParser(r"\A\s*(10|[1-9])\s*\Z"),
}
LEFT_OUT = {
    "JSON list": "a finding for each sentence of a summary: many verdicts, none of them the reply's",
    "first line: two numbers separated by a space; the maths prompt asks for them on the last line": (
        "two scores, one for each of two answers: no reader gives two"
    ),
}

NO_VERDICT, EMPTY, TRUNCATED = ("parse_error", None), ("parse_error", "empty"), ("truncated", None)
EXPECTED: dict[str, str | float | tuple[str, str | None]] = {
    "both_verdicts-01": "b",
    "both_verdicts-02": "b",
    "both_verdicts-03": "a",
    "both_verdicts-04": "b",
    "both_verdicts-05": "a",
    "both_verdicts-06": "b",
    "both_verdicts-07": "a",
    "both_verdicts-08": "b",
    "both_verdicts-09": "a",
    "both_verdicts-10": "b",
    "both_verdicts-11": "b",
    "both_verdicts-12": "a",
    "both_verdicts-13": "b",
    "both_verdicts-14": "a",
    "content_filter-01": EMPTY,
    "decimal_rating-01": 8.5,
    "decimal_rating-02": 9.5,
    "decimal_rating-03": 8.5,
    "empty-01": EMPTY,
    "finish_length-01": TRUNCATED,
    "finish_length-02": TRUNCATED,
    "finish_length-03": TRUNCATED,
    "hedge_but_picks-01": "b",
    "hedge_but_picks-02": "a",
    "hedge_but_picks-03": "a",
    "hedge_but_picks-04": "b",
    "hedge_but_picks-05": "a",
    "hedge_but_picks-06": "a",
    "hedge_but_picks-07": "a",
    "hedge_but_picks-08": "b",
    "hedge_but_picks-09": "a",
    "hedge_but_picks-10": "a",
    "hedge_but_picks-11": "a",
    "hedge_but_picks-12": "a",
    "hedge_but_picks-13": "b",
    "hedge_but_picks-14": "b",
    "json_extra_or_stray_key-01": 4.0,
    "no_rating-01": NO_VERDICT,
    "rating_not_int-01": EMPTY,
    "several_ratings-01": 6.0,
    "several_ratings-02": 2.0,
    "silence-01": NO_VERDICT,
    "tie_verdict-01": "C",
    "tie_verdict-02": "C",
    "tie_verdict-03": "C",
    "tie_verdict-04": "C",
    "tie_verdict-05": "C",
    "tie_word-01": "Same",
    "tie_word-02": "Same",
    "unparsed-01": NO_VERDICT,
    "unparsed-02": NO_VERDICT,  # it names (b), but in a sentence of its own, and what follows may take it back
    "unparsed-03": NO_VERDICT,  # it declines in prose; only the endpoint can say `refused`
    "unparsed-04": NO_VERDICT,
    "unparsed-05": NO_VERDICT,  # cut in the middle, though the endpoint did not say so
}

CONCLUDES_B = "it reports that somebody argues for (a), and concludes with (b); then, (a) was looked for first"
DIFFERS = {
    **{f"both_verdicts-{n:02}": CONCLUDES_B for n in (1, 2, 4, 6, 8, 10, 11, 13)},
    "finish_length-03": "it reports what others argue and was cut before its own conclusion",
    "tie_word-01": "a tie is one of the three verdicts it was offered; then, only the panel's verdict was recorded",
    "tie_word-02": "as the one before",
}


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> list[dict[str, Any]]:
    with gzip.open(shared_data / "nasty.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def name(row: dict[str, Any]) -> str:
    return str(row["id"].removeprefix("dev-"))


def verdict(row: dict[str, Any]) -> Verdict:
    parser = READERS[row["expected_format"]]
    grades = getattr(parser, "grades", ())
    scale = Options({grade: float(at) for at, grade in enumerate(grades)}) if grades else None
    return read_verdict(Completion(row["raw"], finish_reason=row["finish_reason"] or ""), parser, Criterion("c", scale))


def test_every_row_stands_in_the_table_or_has_no_reader(rows: list[dict[str, Any]]) -> None:
    left_out = [row for row in rows if row["expected_format"] in LEFT_OUT]
    assert {row["expected_format"] for row in rows} == READERS.keys() | LEFT_OUT.keys()
    assert {name(row) for row in rows if row not in left_out} == EXPECTED.keys()
    assert (len(rows), len(left_out), len(EXPECTED)) == (76, 22, 54)


def test_every_row_gets_the_status_that_a_careful_person_would_give_it(rows: list[dict[str, Any]]) -> None:
    found: dict[str, object] = {}
    for row in rows:
        if row["expected_format"] in READERS:
            read = verdict(row)
            kind = read.failure.kind if read.failure else None
            found[name(row)] = read.grade.value if read.grade else (str(read.status), kind and str(kind))
    assert found == EXPECTED


def test_what_differs_from_the_verdict_recorded_then_is_defended(rows: list[dict[str, Any]]) -> None:
    then = {name(row): row["upstream_verdict"] for row in rows if row["expected_format"] in READERS}
    words = {-1: None, "tie": "C", "4": 4.0}
    now = {at: None if isinstance(value, tuple) else value for at, value in EXPECTED.items()}
    assert {at for at, value in then.items() if words.get(value, value) != now[at]} == DIFFERS.keys()


@pytest.mark.parametrize(
    "parser",
    [
        ScoreParser(),
        ScoreFirstParser(),
        RatingParser(),
        GradeParser(),
        JsonParser("category"),
        OptionParser(("Excellent", "Bad")),
        JsonOptionParser(("Excellent", "Bad"), field="category"),
    ],
)
def test_a_row_that_no_reader_fits_is_a_parse_error_to_every_one_of_them(
    rows: list[dict[str, Any]], parser: Parser
) -> None:
    left_out = [row for row in rows if row["expected_format"] in LEFT_OUT]
    readings = {name(row): read_verdict(Completion(row["raw"]), parser, Criterion("c")) for row in left_out}
    assert {at: str(reading.status) for at, reading in readings.items()} == dict.fromkeys(readings, "parse_error")
