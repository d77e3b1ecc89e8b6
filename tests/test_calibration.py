"""A judge's verdicts beside a person's: where they agree, and the one kind of answer that a judge believes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gavelkit.integrations.eval_harness import LLMJudgeScorer, ScoreResult, mean_scores

ITEMS: dict[str, dict[str, Any]] = {
    item["id"]: item
    for item in yaml.safe_load((Path(__file__).parent / "human_labels.yaml").read_text(encoding="utf-8"))
}
BELIEVED = "procedural_001"


def verdict(item: dict[str, Any]) -> ScoreResult:
    async def judge(prompt: str) -> str:
        assert item["output"] in prompt
        return str(item["reply"])

    return LLMJudgeScorer(judge_fn=judge).score_sync(item["question"], item["output"], item["expected"])


@pytest.mark.parametrize("name", [name for name in ITEMS if name != BELIEVED])
def test_a_judge_agrees_with_a_person(name: str) -> None:
    assert verdict(ITEMS[name]).passed is ITEMS[name]["passed"]


def test_a_judge_passes_what_a_model_of_its_own_weights_made_up() -> None:
    item = ITEMS[BELIEVED]
    assert item["passed"] is False
    assert (verdict(item).passed, verdict(item).score) == (True, 0.7)


def test_the_dimensions_show_what_the_score_hides() -> None:
    means = mean_scores([verdict(item) for item in ITEMS.values()])
    assert means == {"score": 0.5125, "correctness": 3.75, "relevance": 6.5}
