"""`gavel score`: one shipped judge over one file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.makers import chat_answer, chat_body, endpoint, write_rows

from gavelkit.catalog import names, preset
from gavelkit.simulator import Script, running_simulator

from .conftest import Ended, Gavel, replies

ALONE = [name for name in names("judges") if "mode" not in preset(name).settings and name != "criteria"]
"""The shipped judges that need nothing but their name: no second system, no criterion."""


def test_a_file_is_judged_by_recorded_replies(gavel: Gavel, here: Path) -> None:
    replies(here, judge="score_0_10")
    ended = gavel("score", "answers.jsonl", "--judge", "score_0_10", "--replies", "replies.jsonl", "--json")
    assert ended.code == 0
    assert ended.json["metrics"][0]["value"] == 5.5
    assert ended.json["folder"].startswith("runs/answers-")


def test_a_file_is_judged_by_an_endpoint(gavel: Gavel, here: Path) -> None:
    with endpoint(lambda _request: chat_answer(chat_body("Good.\nScore: 7"))) as base:
        arguments = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--api-base", base]
        ended = gavel(*arguments, "--concurrency", "3", "--json")
    assert ended.code == 0
    assert f"calls go to {base}, at most 3 at once" in ended.err
    assert ended.json["metrics"][0]["value"] == 7
    assert ended.json["judges"][0]["prompt_tokens"] == 70


@pytest.mark.parametrize("name", ALONE)
def test_every_shipped_judge_of_single_responses_runs_by_its_name(gavel: Gavel, here: Path, name: str) -> None:
    with running_simulator() as simulator:
        ended = gavel("score", "answers.jsonl", "--judge", name, "--model", "m", "--api-base", simulator.url, "--json")
    assert ended.code == 0, ended.err
    assert (ended.json["metrics"][0]["n"], ended.json["metrics"][0]["failed"]) == (10, 0)


def test_a_cap_of_requests_ends_with_three_and_its_results_and_a_higher_one_goes_on(gavel: Gavel, here: Path) -> None:
    with endpoint(lambda _request: chat_answer(chat_body("Good.\nScore: 7"))) as base:
        arguments = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--api-base", base, "--json"]
        capped = gavel(*arguments, "--max-requests", "5")
        higher = gavel(*arguments, "--max-requests", "50")
    assert (capped.code, capped.json["pending"], higher.code) == (3, 6, 0)
    assert "gavel: the cap of 5 requests is reached: 5 were made" in capped.err
    assert higher.json["metrics"][0]["n"] == 10


def test_a_cap_in_usd_needs_a_price_which_a_file_may_bring(gavel: Gavel, here: Path) -> None:
    (here / "prices.yaml").write_text("prices:\n  - {models: [m], input: 1, output: 2}\n")
    with endpoint(lambda _request: chat_answer(chat_body("Good.\nScore: 7"))) as base:
        arguments = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--api-base", base]
        unknown = gavel(*arguments, "--max-cost", "1")
        known = gavel(*arguments, "--max-cost", "1", "--prices", "prices.yaml")
        low = gavel(*arguments, "--max-cost", "0.00001", "--prices", "prices.yaml", "--new-run")
    assert (unknown.code, known.code, low.code) == (2, 0, 3)
    assert "gavel: max_cost: the price of judge 'score_0_10''s model is not known" in unknown.err
    assert "prices: FILE" in unknown.err
    assert "gavel: the cost cap of " in low.err


def test_an_endpoint_that_refuses_the_key_ends_with_four_and_can_be_gone_on_with(gavel: Gavel, here: Path) -> None:
    with endpoint(lambda _request: chat_answer({"error": {"message": "who?"}}, status=401)) as base:
        arguments = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--api-base", base]
        ended = gavel(*arguments, "--concurrency", "1", "--json")
    assert (ended.code, ended.out) == (4, "")
    assert "gavel: pre-flight failed: the key is missing: " in ended.err
    assert "HTTP 401: the endpoint refuses the key: who?" in ended.err
    assert f"to go on: gavel {' '.join(arguments)} --concurrency 1 --json" in ended.err
    assert not (here / "runs").exists()


def test_a_key_that_is_refused_on_the_way_leaves_the_rest_pending(gavel: Gavel, here: Path) -> None:
    with endpoint(lambda _request: chat_answer({"error": {"message": "who?"}}, status=401)) as base:
        arguments = ["score", "answers.jsonl", "--judge", "score_0_10", "--model", "m", "--api-base", base]
        ended = gavel(*arguments, "--concurrency", "1", "--json", "--preflight-check", "false")
    assert ended.code == 4
    assert ended.json["pending"] == 9
    assert "gavel: the endpoint is unusable: HTTP 401: the endpoint refuses the key: who?" in ended.err


def test_a_judge_that_does_not_ship_and_a_file_that_is_not_there_are_refused(gavel: Gavel, here: Path) -> None:
    assert "there is no shipped judge 'nothing'" in gavel("score", "answers.jsonl", "--judge", "nothing").err
    ended = gavel("score", "none.jsonl", "--judge", "score_0_10", "--model", "m")
    assert (ended.code, ended.err) == (2, "gavel: none.jsonl: there is no such file\n")
    assert "which judge? --judge PRESET" in gavel("score", "answers.jsonl").err


def by_criterion(gavel: Gavel, *arguments: str) -> Ended:
    return gavel("score", "answers.jsonl", "--model", "m", "--preflight-check", "false", "--json", *arguments)


def test_a_file_is_judged_by_a_criterion_in_two_steps_and_both_orders(gavel: Gavel, here: Path) -> None:
    with running_simulator() as simulator:
        asked = ["--criterion", "Does it say a number?", "--api-base", simulator.url]
        ended = by_criterion(gavel, *asked)
        assert (ended.code, simulator.requests) == (0, 40)
        assert ended.json["judges"][0]["scale"] == "Yes 1, No 0"
        assert by_criterion(gavel, *asked, "--on-inconsistent", "mean").code == 0
        assert simulator.requests == 40
        assert by_criterion(gavel, *asked, "--check-positional-bias", "false").code == 0
        assert simulator.requests == 60


def test_a_shipped_criterion_names_the_judge_and_reads_its_fields(gavel: Gavel, here: Path) -> None:
    with running_simulator() as simulator:
        ended = by_criterion(gavel, "--criterion", "answer_relevance", "--api-base", simulator.url)
    assert (ended.code, ended.json["judges"][0]["name"]) == (0, "answer_relevance")


@pytest.mark.parametrize("by", ["text", "json_schema", "logprobs"])
@pytest.mark.parametrize("choose", ["first", "last"])
def test_a_judge_that_takes_what_stands_first_is_found_out_in_every_mode(
    by: str, choose: Any, gavel: Gavel, here: Path
) -> None:
    with running_simulator(Script(choose=choose)) as simulator:
        ended = by_criterion(gavel, "--criterion", "Is it so?", "--choose-by", by, "--api-base", simulator.url)
        abstained = by_criterion(
            gavel,
            "--criterion",
            "Is it so?",
            "--choose-by",
            by,
            "--api-base",
            simulator.url,
            "--on-inconsistent",
            "abstain",
        )
    assert (ended.code, ended.json["judges"][0]["counts"]["ok"]) == (0, 10)
    assert abstained.json["judges"][0]["counts"]["abstained"] == 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--criterion", "toxicty"], "there is no shipped criterion 'toxicty'; did you mean toxicity?"),
        (["--criterion", "funny_joke"], "is for contests"),
        (["--criterion", "toxicity", "--judge", "score_0_10"], "the preset 'score_0_10' judges in one step"),
        (["--judge", "score_0_10", "--choose-by", "logprobs"], "choose_by belongs to judges with a criterion"),
        (
            ["--criterion", "Is it so?", "--context-fields", "qestion"],
            "answers.jsonl:1: the criterion's context: no field",
        ),
        (["--criterion", "Is it so?", "--baseline", "a"], "unrecognized arguments: --baseline a"),
    ],
)
def test_a_criterion_that_cannot_be_judged_by_is_refused_before_any_call(
    arguments: list[str], words: str, gavel: Gavel, here: Path
) -> None:
    with running_simulator() as simulator:
        ended = by_criterion(gavel, *arguments, "--api-base", simulator.url)
    assert (ended.code, ended.out, simulator.requests) == (2, "", 0)
    assert words in ended.err


def test_two_marks_are_clamped_averaged_and_pass_or_fail_with_their_reason(gavel: Gavel, here: Path) -> None:
    marks = [(8, 9), (7, 7), (7, 6), (10, 3), (0, 0), (12, 10), (-1, 10), (6, 8), (5, 8), (10, 10)]
    lines = [
        {
            "example_id": f"r{n}",
            "judge": "correctness_relevance",
            "reply": json.dumps({"reasoning": f"Reason {n}.", "correctness": right, "relevance": near}),
        }
        for n, (right, near) in enumerate(marks, start=1)
    ]
    write_rows(here / "replies.jsonl", lines)
    ended = gavel("score", "answers.jsonl", "--judge", "correctness_relevance", "--replies", "replies.jsonl", "--json")
    assert ended.code == 0
    (rate,) = (each for each in ended.json["metrics"] if each["name"] == "pass_rate")
    assert (rate["value"], rate["n"], rate["interval"]["method"]) == (0.5, 10, "wilson")
    assert gavel("export", "-o", "all.jsonl").code == 0
    rows = [json.loads(line) for line in (here / "all.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["score"] for row in rows] == [0.85, 0.7, 0.65, 0.65, 0.0, 1.0, 0.5, 0.7, 0.65, 1.0]
    assert [row["passed"] for row in rows] == [row["score"] >= 0.7 for row in rows]
    assert [row["explanation"] for row in rows] == [f"Reason {n}." for n in range(1, 11)]
    page = gavel("report", "--format", "html").out
    assert re.search(r"<bdi>r5</bdi></b> · not passed</span><span class=\"told\">Reason 5\.", page)
    assert re.search(r"<bdi>r10</bdi></b> · passed</span><span class=\"told\">Reason 10\.", page)


@pytest.mark.parametrize("name", ALONE)
def test_every_shipped_judge_takes_a_threshold(gavel: Gavel, here: Path, name: str) -> None:
    (here / "one.yaml").write_text(
        json.dumps({"data": "answers.jsonl", "judges": [{"preset": name, "threshold": 0.5}]})
    )
    with running_simulator() as simulator:
        ended = gavel("run", "one.yaml", "--model", "m", "--api-base", simulator.url, "--json")
    assert ended.code == 0, ended.err
    (rate,) = (each for each in ended.json["metrics"] if each["name"] == "pass_rate")
    assert (rate["n"], rate["interval"]["method"]) == (10, "wilson")
