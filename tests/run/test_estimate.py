"""The calls a run would make, counted by the run's own judges without one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.makers import TEMPLATE, Counting, a_judge, a_request, direct, endpoint, scoring, some_rows

import gavelkit
from gavelkit.core.errors import NotYet
from gavelkit.core.hash_index import HashIndex
from gavelkit.datasets import RowMapping, rows_source
from gavelkit.judges import Direct
from gavelkit.run.estimate import Calls, CountingEngine, count_calls

NOWHERE = "http://127.0.0.1:9/v1"


def asking(name: str = "accuracy", base: str = NOWHERE, **settings: Any) -> Direct:
    return direct(prompt_template=TEMPLATE, name=name, api_base=base, **{"model": "m", **settings})


def counted(rows: list[dict[str, Any]], *judges: Direct, folder: Path, repeat: int = 1) -> dict[str, Calls]:
    source = rows_source(rows, RowMapping())
    return asyncio.run(count_calls(source, judges, folder=folder, limit=None, repeat=repeat))


def test_each_row_and_repeat_is_a_call_with_its_characters_and_its_most_tokens(tmp_path: Path) -> None:
    calls = counted(some_rows(3), asking(max_tokens=50), folder=tmp_path, repeat=2)["accuracy"]
    prompt = "Rate this.\nQ: What is 1?\nA: It is 1."
    assert (calls.calls, calls.held, calls.characters) == (6, 0, 6 * len(prompt))
    assert calls.most_completion_tokens == 300
    assert calls.prompt_tokens == -(-6 * len(prompt) // 4)


def test_equal_prompts_are_one_call_also_of_two_judges(tmp_path: Path) -> None:
    rows = [{**row, "id": f"{row['id']}-{number}"} for number in range(2) for row in some_rows(3)]
    counts = counted(rows, asking("a"), asking("b"), asking("c", model="n"), folder=tmp_path)
    assert [counts[name].calls for name in "abc"] == [3, 0, 3]


def test_what_a_run_holds_is_not_asked_again(tmp_path: Path) -> None:
    with endpoint(scoring) as base:
        gavelkit.evaluate(some_rows(3), asking(base=base), output=tmp_path)
    calls = counted(some_rows(5), asking(), folder=tmp_path)["accuracy"]
    assert (calls.calls, calls.held) == (2, 3)


def test_a_function_asks_no_endpoint_and_is_not_called(tmp_path: Path) -> None:
    counting = Counting()
    assert counted(some_rows(3), a_judge(counting), folder=tmp_path)["accuracy"].calls == 0
    assert counting.prompts == []


def test_nothing_is_written(tmp_path: Path) -> None:
    counted(some_rows(3), asking(), folder=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_without_a_source_nothing_is_counted(tmp_path: Path) -> None:
    assert asyncio.run(count_calls(None, [asking()], folder=tmp_path, limit=None, repeat=1)) == {}


def test_a_request_without_a_limit_has_no_most() -> None:
    async def count(*limits: dict[str, int]) -> Calls:
        calls = Calls()
        for number, limit in enumerate(limits):
            try:
                await CountingEngine(None, HashIndex(), calls).complete(a_request(str(number), labels=None, **limit))
            except NotYet:
                continue
        return calls

    assert asyncio.run(count({"max_tokens": 5}, {"max_completion_tokens": 7})).most_completion_tokens == 12
    assert asyncio.run(count({}, {"max_tokens": 5})).most_completion_tokens is None


def stepping(**settings: Any) -> Any:
    return gavelkit.judge(
        criterion="Is it so?", name="j", api_base=NOWHERE, **{"model": "m", "max_tokens": 50, **settings}
    )


@pytest.mark.parametrize(
    ("settings", "calls"),
    [({}, 4), ({"check_positional_bias": False}, 2), ({"generate_summaries": True, "check_positional_bias": False}, 3)],
)
def test_of_a_judgment_in_steps_every_step_is_counted_with_the_longest_assessment(
    settings: dict[str, Any], calls: int, tmp_path: Path
) -> None:
    found = counted(some_rows(3), stepping(**settings), folder=tmp_path)["j"]
    assert (found.calls, found.most_completion_tokens) == (3 * calls, 3 * calls * 50)
    one = counted(some_rows(1), stepping(check_positional_bias=False, max_tokens=10), folder=tmp_path)["j"]
    longer = counted(some_rows(1), stepping(check_positional_bias=False, max_tokens=110), folder=tmp_path)["j"]
    assert longer.characters - one.characters == 100 * 4


def test_contests_are_counted_in_both_orders(tmp_path: Path) -> None:
    rows = [{"responses": {"a": "x", "b": "y", "c": "z"}}]
    judge: Any = gavelkit.judge(mode="pairwise", criterion="Which?", name="j", model="m", api_base=NOWHERE)
    assert counted(rows, judge, folder=tmp_path)["j"].calls == 12
