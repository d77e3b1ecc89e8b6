"""`gavel pairwise`: contests between systems of one file, or of several joined by id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.makers import write_rows

from gavelkit.simulator import Script, Simulator, running_simulator

from .conftest import Ended, Gavel

ROWS: list[dict[str, Any]] = [
    {"id": str(n), "question": f"What is {n} + {n}?", "reference": f"It is {2 * n}.", "good": f"It is {2 * n}."}
    for n in range(1, 4)
]


@pytest.fixture
def simulated() -> Iterator[Simulator]:
    with running_simulator() as simulator:
        yield simulator


@pytest.fixture
def arena(here: Path) -> Path:
    """Two files of answers to the same questions: `good answers.jsonl` is right, `poor.jsonl` is not."""
    write_rows(here / "good answers.jsonl", [{**row, "response": row["good"]} for row in ROWS])
    write_rows(here / "poor.jsonl", [{"id": row["id"], "response": "Nobody knows that."} for row in reversed(ROWS)])
    write_rows(here / "both.jsonl", [{**row, "responses": {"good": row["good"], "poor": "Who knows."}} for row in ROWS])
    return here


def exported(gavel: Gavel, *flags: str) -> list[dict[str, Any]]:
    assert gavel("export", "-o", "all.jsonl", *flags).code == 0
    return [json.loads(line) for line in Path("all.jsonl").read_text(encoding="utf-8").splitlines()]


def contests(gavel: Gavel, url: str, *arguments: str) -> Ended:
    return gavel("pairwise", *arguments, "--criterion", "Which is right?", "--api-base", url, "--model", "m", "--json")


def means(ended: Ended) -> dict[str, float]:
    assert ended.code == 0, ended.err
    return {each["system"]: each["value"] for each in ended.json["metrics"] if each["name"] == "mean"}


@pytest.mark.parametrize(
    ("data", "pair"),
    [
        (["good answers.jsonl", "poor.jsonl"], "good answers vs poor"),
        (["right=good answers.jsonl", "two words=poor.jsonl"], "right vs two words"),
        (["both.jsonl"], "good vs poor"),
    ],
)
def test_the_better_system_wins_every_contest(
    data: list[str], pair: str, gavel: Gavel, arena: Path, simulated: Simulator
) -> None:
    assert means(contests(gavel, simulated.url, *data)) == {pair: 1.0}
    assert simulated.requests == 1 + 3 * 4  # with the pre-flight
    rows = exported(gavel)
    assert [(row["system"], row["grade"], row["score"]) for row in rows] == [(pair, "A", 1.0)] * 3


def test_a_shipped_judge_in_one_step_asks_once_in_each_order(gavel: Gavel, arena: Path, simulated: Simulator) -> None:
    ended = gavel(
        "pairwise", "both.jsonl", "--judge", "mt_bench_pair", "--api-base", simulated.url, "--model", "m", "--json"
    )
    assert means(ended) == {"good vs poor": 1.0}
    assert simulated.requests == 1 + 3 * 2
    assert {row["prompt"].count("[[C]]") for row in exported(gavel, "--prompts")} == {1}


def test_a_judge_that_takes_what_stands_first_makes_every_contest_a_tie(gavel: Gavel, arena: Path) -> None:
    with running_simulator(Script(choose="first")) as simulator:
        assert means(contests(gavel, simulator.url, "both.jsonl")) == {"good vs poor": 0.5}
        asked = simulator.requests
        assert means(contests(gavel, simulator.url, "both.jsonl", "--on-inconsistent", "first")) == {
            "good vs poor": 1.0
        }
        assert simulator.requests == asked


def test_the_prompt_of_a_contest_is_its_whole_conversation(gavel: Gavel, arena: Path, simulated: Simulator) -> None:
    contests(gavel, simulated.url, "both.jsonl", "--context-fields", "question")
    for row in exported(gavel, "--prompts"):
        assert row["prompt"].startswith("You compare two responses")
        assert "\nquestion: What is " in row["prompt"]
        assert "Now decide which response is the better one" in row["prompt"]


def test_one_order_alone_takes_half_the_calls(gavel: Gavel, arena: Path, simulated: Simulator) -> None:
    flags = ["--check-positional-bias", "false", "--choose-by", "logprobs"]
    assert contests(gavel, simulated.url, "both.jsonl", *flags).code == 0
    assert simulated.requests == 1 + 3 * 2


def test_every_other_system_meets_the_baseline(gavel: Gavel, arena: Path, simulated: Simulator) -> None:
    rows = [{**row, "responses": {"good": row["good"], "a b": "?", "c": "!"}} for row in ROWS]
    write_rows(arena / "three.jsonl", rows)
    assert means(contests(gavel, simulated.url, "three.jsonl", "--baseline", "good")) == {
        "a b vs good": 0.0,
        "c vs good": 0.0,
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["answers.jsonl"], "answers.jsonl: judge 'pairwise' compares systems, and no row has two of them"),
        (["both.jsonl", "--baseline", "god"], "no row has a response of the baseline 'god'; did you mean good?"),
        (["both.jsonl", "--criterion", "toxicity"], "'toxicity' asks for something bad"),
        (
            ["both.jsonl", "--criterion", "funy_joke"],
            "there is no shipped pairwise criterion 'funy_joke'; did you mean",
        ),
        (["both.jsonl", "--judge", "score_0_10"], "the preset 'score_0_10' judges in one step"),
        (["both.jsonl", "--judge", "mt_bench_pair"], "the preset 'mt_bench_pair' judges in one step"),
        (["both.jsonl", "--judge", "geval"], "the preset 'geval' is not for mode: pairwise"),
        (["both.jsonl", "--judge", "criteria"], "the preset 'criteria' is not for mode: pairwise"),
        (["both.jsonl", "--context-fields", "qestion"], "did you mean question?"),
        (["both.jsonl", "--context-fields", "[7]"], "context_fields must be a field's name"),
        (["both.jsonl", "--on-inconsistent", "mean"], "invalid choice: 'mean'"),
        (["both.jsonl", "--check-positional-bias", "maybe"], "check_positional_bias must be true or false"),
        (["both.jsonl", "poor.jsonl", "poor.jsonl"], "two files would be the system 'poor'"),
        (["none.jsonl"], "none.jsonl"),
        ([], "the following arguments are required: DATA"),
    ],
)
def test_what_cannot_be_a_contest_is_refused_before_any_call(
    arguments: list[str], words: str, gavel: Gavel, arena: Path, simulated: Simulator
) -> None:
    asked = arguments if "--criterion" in arguments else [*arguments, "--criterion", "Which is right?"]
    ended = gavel("pairwise", *asked, "--api-base", simulated.url, "--model", "m")
    assert (ended.code, simulated.requests) == (2, 0)
    assert words in ended.err


def test_the_shipped_judge_asks_which_is_better_where_no_criterion_is_named(
    gavel: Gavel, arena: Path, simulated: Simulator
) -> None:
    ended = gavel("pairwise", "both.jsonl", "--api-base", simulated.url, "--model", "m")
    assert ended.code == 2
    assert "criterion is missing: what makes one response the better one" in ended.err
