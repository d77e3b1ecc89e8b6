"""`gavel check`: everything that can be wrong, the first prompt, what a run would ask and what that may cost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.makers import PREFLIGHT, chat_answer, chat_body, endpoint, prompt_of, scoring, some_rows, write_rows

from gavelkit.simulator.server import HttpAnswer, HttpRequest

from .conftest import Gavel, configure, judged


def test_the_first_prompt_and_the_plan_are_shown(gavel: Gavel, here: Path) -> None:
    configure(here, judges=judged(system_prompt="Be fair."))
    ended = gavel("check", "judge.yaml", "--repeat", "3")
    assert (ended.code, ended.err) == (0, "")
    assert "judge accuracy: model recorded, parser score, scale 0 to 10" in ended.out
    assert (
        "the first prompt, about answers.jsonl:1:\n--- system\nBe fair.\n--- user\nRate this.\nQ: What is 1?"
        in ended.out
    )
    assert ended.out.endswith("ok: 10 rows, 1 judge, 30 judgments to make; nothing was called\n")
    assert not (here / "out").exists()


def test_a_system_is_named_and_judges_are_counted(gavel: Gavel, here: Path) -> None:
    configure(here, judges=[*judged(), *judged(name="tone", scale=None)], map={"response": {"a": "response"}})
    text = gavel("check", "judge.yaml").out
    assert "about answers.jsonl:1, system 'a':" in text
    assert "judge tone: model recorded, parser score, scale any number" in text
    assert "10 rows, 2 judges, 20 judgments to make" in text


def test_what_a_row_holds_moves_no_cursor(gavel: Gavel, here: Path) -> None:
    write_rows(here / "answers.jsonl", [{"question": "\x1b[2J", "response": "x\u202ey"}])
    text = gavel("check", "judge.yaml").out
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([*some_rows(3), {"id": "x", "response": "y"}], "'question' is undefined"),
        ([*some_rows(3), *some_rows(1)], "answers.jsonl:4: the id 'r1' stands already in line 1"),
        ([], "there is no row to judge"),
    ],
)
def test_what_a_run_would_refuse_is_refused(gavel: Gavel, here: Path, rows: list[dict[str, str]], words: str) -> None:
    write_rows(here / "answers.jsonl", rows)
    ended = gavel("check", "judge.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


NOWHERE = "http://127.0.0.1:9/v1"


def asking(here: Path, base: str = NOWHERE, *, name: str = "accuracy", **settings: Any) -> dict[str, Any]:
    """A judge that asks an endpoint."""
    (judge,) = judged(name=name, api_base=base, retry_attempts=0, **{"model": "gpt-4o-mini", **settings})
    del judge["replies"]
    configure(here, judges=[judge])
    return judge


def test_recorded_replies_cost_nothing(gavel: Gavel, here: Path) -> None:
    assert "accuracy: no calls: the replies are recorded\n" in gavel("check", "judge.yaml").out


def test_calls_tokens_and_price_are_estimated_and_said_to_be(gavel: Gavel, here: Path) -> None:
    asking(here, max_tokens=100)
    ended = gavel("check", "judge.yaml", "--offline")
    assert (ended.code, ended.err) == (0, "")
    assert (
        "accuracy: 10 calls to make; about 91 prompt tokens (an estimate: characters / 4), at most 1,000 completion "
        "tokens; at most 0.0006 USD (0.15 in, 0.6 out per million tokens, by the shipped list prices of 2025-09-30; "
        "check your provider)\n" in ended.out
    )
    assert ended.out.endswith("ok: 10 rows, 1 judge, 10 judgments to make; nothing was called\n")


def test_an_unknown_price_is_said_and_a_users_own_is_taken(gavel: Gavel, here: Path) -> None:
    asking(here, model="mine")
    words = "the price of 'mine' is not known; name a file of prices with --prices"
    assert words in gavel("check", "judge.yaml", "--offline").out
    (here / "mine.yaml").write_text("prices: [{models: mine, input: 1000, output: 1000}]")
    ended = gavel("check", "judge.yaml", "--offline", "--prices", "mine.yaml")
    assert "at most 10.33 USD (1000 in, 1000 out per million tokens, by mine.yaml; check your provider)" in ended.out
    configure(here, judges=[asking(here, model="mine")], prices="mine.yaml")
    assert "by mine.yaml" in gavel("check", "judge.yaml", "--offline").out
    assert gavel("check", "judge.yaml", "--offline", "--prices", "none.yaml").code == 2


def test_several_judges_are_added_up_and_equal_prompts_are_one_call(gavel: Gavel, here: Path) -> None:
    judges = [asking(here), asking(here, name="tone"), asking(here, name="third", temperature=1.0)]
    configure(here, judges=judges)
    text = gavel("check", "judge.yaml", "--offline").out
    assert "accuracy: 10 calls to make;" in text
    assert "tone: no calls: another judge asks the same\n" in text
    assert "third: 10 calls to make;" in text
    assert "together: at most 0.0123 USD\n" in text
    configure(here, judges=[*judges, asking(here, name="fourth", model="mine")])
    assert "together: the price is not known\n" in gavel("check", "judge.yaml", "--offline").out


def test_replies_that_a_run_holds_are_not_counted(gavel: Gavel, here: Path) -> None:
    with endpoint(scoring) as base:
        asking(here, base)
        assert gavel("run", "judge.yaml", "--limit", "4").code == 0
        ended = gavel("check", "judge.yaml", "-o", "out")
        assert gavel("run", "judge.yaml").code == 0
        finished = gavel("check", "judge.yaml")
    assert "accuracy: 6 calls to make, 4 replies are on disk;" in ended.out
    assert "accuracy: no calls, 10 replies are on disk\n" in finished.out


def test_the_endpoint_is_tried_and_nothing_is_judged(gavel: Gavel, here: Path) -> None:
    asked: list[str] = []

    def answer(request: HttpRequest) -> HttpAnswer:
        asked.append(prompt_of(request))
        return chat_answer(chat_body("OK"))

    with endpoint(answer) as base:
        asking(here, base)
        ended = gavel("check", "judge.yaml")
        assert gavel("check", "judge.yaml", "--offline").out.endswith("nothing was called\n")
        assert gavel("check", "judge.yaml", "--preflight-check", "false").out.endswith("nothing was called\n")
    assert (ended.code, ended.err, asked) == (0, "pre-flight: ok, 1 request\n", [PREFLIGHT])
    assert ended.out.endswith("10 judgments to make; nothing was judged\n")


def test_an_endpoint_that_cannot_be_used_ends_with_four_after_all_else_was_shown(gavel: Gavel, here: Path) -> None:
    asking(here)
    ended = gavel("check", "judge.yaml")
    assert ended.code == 4
    assert "accuracy: 10 calls to make" in ended.out
    assert "ok:" not in ended.out
    assert "gavel: pre-flight failed: the address is wrong, or nothing runs there: http://127.0.0.1:9/v1" in ended.err
    assert "to go on" not in ended.err
    assert gavel("check", "judge.yaml", "--json").out == ""


def test_all_of_it_comes_as_json(gavel: Gavel, here: Path) -> None:
    asking(here, max_tokens=100)
    found = gavel("check", "judge.yaml", "--offline", "--json").json
    (judge,) = found["judges"]
    assert (found["rows"], found["judgments"], found["folder"], found["preflight"]) == (10, 10, "out", "left out")
    assert judge["first_prompt"]["messages"][0]["content"].startswith("Rate this.\nQ: What is 1?")
    assert (judge["calls"], judge["replies_on_disk"], judge["asks_an_endpoint"]) == (10, 0, True)
    assert (judge["prompt_tokens_estimate"], judge["completion_tokens_at_most"]) == (91, 1000)
    assert judge["price"] == {
        "usd_per_million_prompt_tokens": 0.15,
        "usd_per_million_completion_tokens": 0.6,
        "as_of": "2025-09-30",
        "source": "the shipped list prices",
    }
    assert found["usd_at_most"] == judge["usd_at_most"] == pytest.approx(0.00061365)
    configure(here)
    found = gavel("check", "judge.yaml", "--json").json
    assert (found["judges"][0]["calls"], found["judges"][0]["price"], found["usd_at_most"]) == (None, None, 0)


def stepping(here: Path, rows: list[dict[str, Any]], **settings: Any) -> None:
    write_rows(here / "answers.jsonl", rows)
    judge = {"name": "j", "api_base": NOWHERE, "model": "gpt-4o-mini", "max_tokens": 100, **settings}
    configure(here, judges=[judge])


def test_a_judge_with_a_criterion_shows_its_assessment_and_every_step_is_counted(gavel: Gavel, here: Path) -> None:
    stepping(here, some_rows(10), criterion="answer_relevance")
    ended = gavel("check", "judge.yaml", "--offline")
    assert (ended.code, ended.err) == (0, "")
    assert "judge j: model gpt-4o-mini, parser option, scale Excellent 1, " in ended.out
    assert "the first prompt, about answers.jsonl:1:\n--- user\nYou assess one response" in ended.out
    assert "j: 40 calls to make;" in ended.out
    assert "at most 4,000 completion tokens" in ended.out
    assert "10 judgments to make" in ended.out


def test_a_contest_shows_its_pair_from_the_first_row_that_has_one(gavel: Gavel, here: Path) -> None:
    rows = [{"id": "1", "responses": {"a b": "x"}}, {"id": "2", "responses": {"c": "y", "a b": "x"}}]
    stepping(here, rows, mode="pairwise", criterion="Which?")
    ended = gavel("check", "judge.yaml", "--offline")
    assert (ended.code, ended.err) == (0, "")
    assert "the first prompt, about answers.jsonl:2, systems 'a b' and 'c':\n--- user\nYou compare two" in ended.out
    assert "j: 4 calls to make;" in ended.out
    (judge,) = gavel("check", "judge.yaml", "--offline", "--json").json["judges"]
    assert (judge["first_prompt"]["system"], judge["calls"]) == ("a b vs c", 4)


def test_contests_that_no_row_holds_are_refused(gavel: Gavel, here: Path) -> None:
    stepping(here, some_rows(3), mode="pairwise", criterion="Which?")
    ended = gavel("check", "judge.yaml", "--offline")
    assert (ended.code, ended.out) == (2, "")
    assert "answers.jsonl: judge 'j' compares systems, and no row has two of them" in ended.err
    stepping(here, [{"responses": {"gpt 4": "x", "b": "y"}}], mode="pairwise", criterion="Which?", baseline="gpt4")
    assert "no row has a response of the baseline 'gpt4'; did you mean gpt 4?" in gavel("check", "judge.yaml").err


@pytest.mark.parametrize("flag", ["--new-run", "--retry-errors", "--quiet"])
def test_flags_that_mean_nothing_here_are_refused(gavel: Gavel, here: Path, flag: str) -> None:
    assert gavel("check", "judge.yaml", flag).code == 2


def test_a_row_that_comes_once_is_not_read(gavel: Gavel, here: Path) -> None:
    asking(here)
    (here / "answers.jsonl").unlink()
    os.mkfifo(here / "answers.jsonl")
    ended = gavel("check", "judge.yaml", "--offline")
    assert "accuracy: calls not counted: the rows can be read only once" in ended.out
    assert ended.out.endswith(
        "ok: 1 judge; the rows can be read only once and are checked as they are judged; nothing was called\n"
    )
