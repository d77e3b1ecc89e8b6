"""What a run makes of rows that are hard to judge: huge ones, empty ones, numbers without end."""

from __future__ import annotations

import pytest
from tests.makers import some_rows

from gavelkit.core.errors import TemplateError
from gavelkit.core.report import Report

from .conftest import Bench, expect, forever, says


def test_one_row_of_ten_megabytes_is_judged_like_the_others(bench: Bench) -> None:
    rows = some_rows(20)
    rows[7]["response"] = "x" * 9_900_000
    outcome = bench.run(rows=rows, concurrency=4)
    expect(outcome, {"ok": 20}, requests=20)
    assert max(len(seen.prompt) for seen in outcome.log) > 9_900_000


def test_a_row_too_large_for_any_prompt_is_named_before_anything_is_asked(bench: Bench) -> None:
    rows = some_rows(20)
    rows[7]["response"] = "x" * 12_000_000
    with pytest.raises(TemplateError, match=r"10,000,000 characters, first at row 'r8'") as caught:
        bench.run(rows=rows)
    assert caught.value.exit_code == 2
    assert not bench.folder.exists()


def test_empty_responses_are_judged(bench: Bench) -> None:
    rows = [
        {"id": str(n), "question": f"What is {n}?", "response": text} for n, text in enumerate(("", "  \n", ".", "\0"))
    ]
    expect(bench.run(rows=rows), {"ok": 4}, requests=4)


def test_numbers_without_end_are_never_part_of_a_mean(bench: Bench) -> None:
    outcome = bench.run(
        says('{"score": NaN}'), says('{"score": 1e999}'), forever(says('{"score": 8}')), rows=20, parser="json"
    )
    expect(outcome, {"ok": 18, "parse_error": 2}, requests=20, code=0)
    report: Report | None = outcome.report
    assert report is not None
    mean = report.metric("accuracy")
    assert (mean.value, mean.n) == (8.0, 18)
