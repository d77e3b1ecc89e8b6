"""What a judge asked is made again from its record, word for word, in every way of judging."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.judges.steps import Steps

import gavelkit
from gavelkit.core.completion import Completion
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Request
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.run.asked_again import asked_again
from gavelkit.run.export import prompt_renderer
from gavelkit.storage import open_reader

ROWS: list[dict[str, Any]] = [
    {
        "id": f"r{number}",
        "question": f"What is {number}?",
        "response": f"It is {number}.",
        "responses": {"a b": f"It is {number}.", "c": "Nobody knows.", "d": ""},
        "doc": {"note": {"text": "n"}},
        "criterion": "Is it so?" if number else {"description": "How?", "option_map": {"Yes": 2, "B": 1}},
    }
    for number in range(3)
]
OWN = {"prompt_template": "Choose by {{ criterion.description }} for {{ response }}"}
ONE_EACH = {"response": "response"}
SEVERAL = {"responses": "responses"}


def run(folder: Path, engine: Steps, *, several: bool = False, **settings: Any) -> None:
    """Judge the rows and keep the run."""
    judge = gavelkit.judge(function=engine, name="j", retry_attempts=0, max_error_rate=1.0, **settings)
    gavelkit.evaluate(ROWS, judge, map=SEVERAL if several else ONE_EACH, output=folder)


@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "Is it so?"},
        {"criterion": "answer_relevance"},
        {"criterion": "Is it so?", "generate_summaries": True, "system_prompt": "You judge {{ system }}."},
        {"criterion": "Is it so?", "choose_by": "logprobs", "options": {"Yes": 1, "No": 0, "Partly": 0.5}},
        {"criterion": "Is it so?", "choose_by": "json_schema", "check_positional_bias": False},
        {"criterion": "Is it so?", "context_fields": {"context": "doc/note/text", "Question": "question"}},
        {"criterion": "Is it so?", "extra_body": {"logit_bias": {"1": 2}}, "temperature": 0.5},
        {"criteria_field": "criterion"},
        {"criteria_field": "criterion", "context_fields": "question", "generate_summaries": True},
        {"criterion": "Is it so?", **OWN},
        {"criterion": "Is it so?", **OWN, "variables": {"language": "Dutch"}, "selection_template": "{{ language }}?"},
    ],
    ids=" ".join,
)
def test_every_request_of_a_run_is_made_again_from_its_record(settings: dict[str, Any], tmp_path: Path) -> None:
    engine = Steps("Yes" if settings.get("choose_by") != "json_schema" else '{"choice": "Yes"}')
    run(tmp_path, engine, **settings)
    compare(tmp_path, engine.requests, judgments=3)


@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "Which?"},
        {"criterion": "funny_joke", "context_fields": "question", "generate_summaries": True},
        {"criterion": "Which?", "answers": ["Output (a)", "Output (b)"], "choose_by": "json_schema"},
        {"criterion": "Which?", "baseline": "c", "check_positional_bias": False},
        {"criterion": "Which?", "choose_by": "logprobs"},
    ],
    ids=" ".join,
)
def test_every_request_of_a_contest_is_made_again_from_its_record(settings: dict[str, Any], tmp_path: Path) -> None:
    engine = Steps("A")
    run(tmp_path, engine, several=True, mode="pairwise", **settings)
    compare(tmp_path, engine.requests, judgments=6 if "baseline" in settings else 9)


def test_the_one_request_of_a_judge_of_one_step_is_made_again(tmp_path: Path) -> None:
    requests: list[Request] = []

    class Scoring:
        async def complete(self, request: Request) -> Completion:
            requests.append(request)
            return Completion("Score: 7")

    judge = gavelkit.judge("score_0_10", function=Scoring(), name="j", system_prompt="Be fair.", seed=7)
    gavelkit.evaluate(ROWS, judge, map=ONE_EACH, output=tmp_path)
    compare(tmp_path, requests, judgments=3)


def compare(folder: Path, sent: Sequence[Request], *, judgments: int) -> None:
    """The keys of what was sent with those of what the record says was asked."""
    reader = open_reader(folder)
    try:
        (judge,) = reader.judges
        again, render, found = asked_again(judge.name, judge.asks), prompt_renderer(reader), set()
        entries = list(reader.entries())
        for entry in entries:
            requests = again(entry.judgment, entry.example)
            assert [step.name for step in entry.judgment.steps] == sorted(
                requests, key=[step.name for step in entry.judgment.steps].index
            )
            for step in entry.judgment.steps:
                assert reader.key(step.completion.call) == requests[step.name].key
                found.add(requests[step.name].key)
            assert render(entry) is not None
    finally:
        reader.close()
    assert (len(entries), found) == (judgments, {request.key for request in sent})


def test_the_prompt_shown_is_the_whole_conversation_of_the_step_that_decided(tmp_path: Path) -> None:
    run(tmp_path, Steps("Yes", assessment="<think>hm</think>Because it is."), criterion="Is it so?")
    reader = open_reader(tmp_path)
    try:
        prompt = prompt_renderer(reader)(next(reader.entries()))
    finally:
        reader.close()
    assert prompt is not None
    assessed, _, chosen = prompt.partition("\n\nBecause it is.\n\n")
    assert "It is 0." in assessed
    assert assessed.endswith("Assessment:")
    assert chosen.startswith("Now choose the option")


def test_the_prompts_of_criteria_by_which_less_is_better_are_told_too(tmp_path: Path) -> None:
    judge = gavelkit.judge(function=Steps("No"), criteria_field="ask", higher_is_better=False, name="j")
    gavelkit.evaluate([{"id": "1", "response": "r", "text": "r", "ask": "toxicity"}], judge, output=tmp_path)
    reader = open_reader(tmp_path)
    try:
        (entry,) = reader.entries()
        prompt = prompt_renderer(reader)(entry)
    finally:
        reader.close()
    assert entry.judgment.score == 0.0
    assert prompt is not None
    assert 'The criterion "toxicity"' in prompt


def test_of_a_judgment_without_a_reply_the_first_request_is_known(tmp_path: Path) -> None:
    run(tmp_path, Steps("Yes"), criterion="Is it so?")
    reader = open_reader(tmp_path)
    try:
        (judge,) = reader.judges
        entry = next(reader.entries())
        empty = Judgment(Slot("j", entry.example.id, ("",)), Status.PENDING)
        requests = asked_again(judge.name, judge.asks)(empty, entry.example)
    finally:
        reader.close()
    assert list(requests) == ["assessment", "positional_bias_assessment"]
