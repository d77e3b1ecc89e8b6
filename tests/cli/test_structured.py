"""Answers in JSON, from the example in a configuration to the export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.makers import TEMPLATE

from gavelkit.simulator import running_simulator

from .conftest import Gavel, configure

EXAMPLE = {"reasoning": "It names the right number.", "details": {"clear": True, "notes": ["short"]}, "score": 7.5}


def structured(here: Path, url: str, **settings: Any) -> None:
    judge = {
        "name": "accuracy",
        "prompt_template": TEMPLATE,
        "scale": [0, 10],
        "model": "m",
        "response_format": EXAMPLE,
        "preflight_check": False,
    }
    configure(here, judges=[{**judge, "api_base": url, **settings}])


def exported(gavel: Gavel) -> list[dict[str, Any]]:
    assert gavel("export", "-o", "all.jsonl", "--prompts").code == 0
    return [json.loads(line) for line in Path("all.jsonl").read_text(encoding="utf-8").splitlines()]


def test_an_example_is_all_it_takes_to_ask_for_json_and_to_read_it(gavel: Gavel, here: Path) -> None:
    with running_simulator() as simulator:
        structured(here, simulator.url)
        ended = gavel("run", "judge.yaml", "--json")
    assert ended.code == 0
    rows = exported(gavel)
    assert [row["status"] for row in rows] == ["ok"] * 10
    for row in rows:
        parsed = row["judgment_parsed"]
        assert list(parsed) == ["reasoning", "details", "score"]
        assert (row["score"], row["explanation"], row["reply"]) == (
            parsed["score"],
            parsed["reasoning"],
            json.dumps(parsed, ensure_ascii=False),
        )
        assert row["prompt"].endswith(json.dumps(EXAMPLE, indent=2))


def test_another_reader_reads_the_same_replies_again_without_a_call(gavel: Gavel, here: Path) -> None:
    example = {**EXAMPLE, "other": 3.5}
    with running_simulator() as simulator:
        structured(here, simulator.url, response_format=example)
        assert gavel("run", "judge.yaml").code == 0
        asked = simulator.requests
        structured(here, simulator.url, response_format=example, score_field="other")
        assert gavel("run", "judge.yaml").code == 0
        assert simulator.requests == asked
    assert [row["score"] for row in exported(gavel)] == [row["judgment_parsed"]["other"] for row in exported(gavel)]


@pytest.mark.parametrize("change", [{"details": {"notes": ["short"], "clear": True}}, {"score": "7.5"}])
def test_another_form_is_another_question(gavel: Gavel, here: Path, change: dict[str, Any]) -> None:
    with running_simulator() as simulator:
        structured(here, simulator.url)
        assert gavel("run", "judge.yaml").code == 0
        structured(here, simulator.url, response_format={**EXAMPLE, **change})
        ended = gavel("run", "judge.yaml")
    assert ended.code == 2
    assert "response_format: recorded" in ended.err
