"""eval_harness's page: its class, its prompt, how it reads a reply, and what it raises."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import FrozenInstanceError
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.makers import chat_answer, endpoint

import gavelkit
from gavelkit.integrations import eval_harness
from gavelkit.integrations.eval_harness import (
    DEFAULT_MODEL,
    DEFAULT_THRESHOLD,
    RUBRIC_PROMPT,
    JudgeParseError,
    LLMJudgeScorer,
    Scorer,
    ScoreResult,
    _parse_judge_response,
    mean_scores,
)
from gavelkit.simulator.server import HttpAnswer, HttpRequest

GOOD = '{"reasoning": "Right.", "correctness": 8, "relevance": 9}'
BY_PATTERN = "(reasoning unparseable, scores extracted by regex fallback)"
ASKED = ("How many planets?", "Mercury to Neptune: {eight}", "8")


def saying(reply: Any, **settings: Any) -> LLMJudgeScorer:
    async def judge(prompt: str) -> Any:
        assert prompt
        return reply

    return LLMJudgeScorer(judge_fn=judge, **settings)


def scored(reply: Any, **settings: Any) -> ScoreResult:
    return asyncio.run(saying(reply, **settings).score(*ASKED))


class Ollama:
    """A simulated `/api/generate` that gives one answer and keeps what it was asked."""

    def __init__(self, body: object, *, status: int = 200) -> None:
        self.seen: list[HttpRequest] = []
        self._answer = chat_answer(body, status=status)

    def __call__(self, request: HttpRequest) -> HttpAnswer:
        self.seen.append(request)
        return self._answer

    def asked_by(self, score: Callable[[LLMJudgeScorer], ScoreResult], **settings: Any) -> ScoreResult:
        with endpoint(self) as url:
            return score(LLMJudgeScorer(api_base=url.removesuffix("/v1"), **settings))


def in_a_loop(scorer: LLMJudgeScorer) -> ScoreResult:
    return asyncio.run(scorer.score(*ASKED))


def test_the_constructor_takes_the_pages_arguments_in_its_order_with_its_defaults() -> None:
    parameters = [
        each for each in inspect.signature(LLMJudgeScorer).parameters.values() if each.kind is not each.KEYWORD_ONLY
    ]
    assert [(each.name, each.default) for each in parameters] == [
        ("threshold", 0.7),
        ("judge_fn", None),
        ("model", "llama3.2"),
    ]
    assert (DEFAULT_THRESHOLD, DEFAULT_MODEL) == (0.7, "llama3.2")


def test_it_is_a_scorer_called_judge_that_shows_its_threshold_and_model() -> None:
    scorer = LLMJudgeScorer(0.5, model="qwen3")
    assert isinstance(scorer, Scorer)
    assert (scorer.name, scorer.threshold, scorer.model) == ("judge", 0.5, "qwen3")


def test_whoever_writes_a_scorer_gives_it_a_score() -> None:
    assert Scorer.__abstractmethods__ == {"score"}
    assert list(inspect.signature(Scorer.score).parameters) == ["self", "question", "output", "expected"]
    assert inspect.iscoroutinefunction(LLMJudgeScorer.score)


@pytest.mark.parametrize("threshold", [1.5, -0.1, float("nan")])
def test_a_threshold_outside_0_and_1_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match=rf"^threshold must be in \[0, 1\], got {threshold}$"):
        LLMJudgeScorer(threshold)


@pytest.mark.parametrize("threshold", [0.0, 1.0, 1])
def test_both_ends_are_thresholds(threshold: float) -> None:
    assert LLMJudgeScorer(threshold).threshold == threshold


def test_the_prompt_has_the_pages_places_and_asks_for_reasoning_first() -> None:
    assert [name for _, name, _, _ in Formatter().parse(RUBRIC_PROMPT) if name] == ["question", "expected", "output"]
    keys = [RUBRIC_PROMPT.index(f'"{key}"') for key in ("reasoning", "correctness", "relevance")]
    assert keys == sorted(keys)
    assert "ONLY a JSON object" in RUBRIC_PROMPT


def test_the_prompt_anchors_each_dimension_at_0_5_and_10_and_takes_the_reference_as_no_string_to_match() -> None:
    for level in ("10", "5", "0"):
        assert RUBRIC_PROMPT.count(f"\n  {level} = ") == 2
    assert "not how it must be worded" in RUBRIC_PROMPT


def test_the_prompt_stands_in_the_catalogue_word_for_word() -> None:
    shipped = Path(gavelkit.__file__).parent / "catalog" / "eval_harness_rubric.txt"
    assert shipped.read_text(encoding="utf-8") == RUBRIC_PROMPT + "\n"
    with pytest.raises(AttributeError, match="has no attribute 'RUBRIC'"):
        getattr(eval_harness, "RUBRIC")  # noqa: B009 - a type checker refuses it as well


def test_what_is_sent_is_the_built_prompt_byte_for_byte() -> None:
    sent = []

    async def judge(prompt: str) -> str:
        sent.append(prompt)
        return GOOD

    scorer = LLMJudgeScorer(judge_fn=judge)
    asyncio.run(scorer.score(*ASKED))
    assert sent == [scorer.build_prompt(*ASKED)]
    question, output, expected = ASKED
    assert sent == [RUBRIC_PROMPT.format(question=question, output=output, expected=expected)]


def test_braces_in_the_data_stay_as_they_are() -> None:
    prompt = LLMJudgeScorer().build_prompt("{output} {0} {{", "{expected}", "{")
    assert prompt.endswith("QUESTION: {output} {0} {{\nEXPECTED: {\nANSWER: {expected}")
    assert '{"reasoning": ' in prompt


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        (GOOD, (8, 9, "Right.")),
        ('{"correctness": 8, "relevance": 9}', (8, 9, "")),
        ('{"correctness":"9","relevance":7.9}', (9, 7, "")),
        ('{"correctness": true, "relevance": 1e1, "reasoning": null}', (1, 10, "None")),
        ('{"correctness": -3, "relevance": 14}', (-3, 14, "")),
        (f"Here you are:\n```json\n{GOOD}\n```\nGood luck!", (8, 9, "Right.")),
        (f"Well, {GOOD}", (8, 9, "Right.")),
        ("correctness: 7, relevance = 6", (7, 6, BY_PATTERN)),
        ('"Correctness" : 7\n"RELEVANCE":6', (7, 6, BY_PATTERN)),
        ("correctness: 8.7 relevance: 6/10", (8, 6, BY_PATTERN)),
        ('<think>{"correctness": 1, "relevance": 1}</think>{"correctness": 9, "relevance": 9}', (1, 1, BY_PATTERN)),
        (f"}} {GOOD} {{", (8, 9, "Right.")),
        (f"{{ {GOOD}", (8, 9, BY_PATTERN)),
        ('{"correctness": 8, "relevance": 9,}', (8, 9, BY_PATTERN)),
    ],
)
def test_a_reply_is_read_as_json_then_by_its_braces_then_by_pattern(reply: str, read: tuple[int, int, str]) -> None:
    assert _parse_judge_response(reply) == read


UNREADABLE = [
    "",
    "???",
    "null",
    "8",
    "[8, 9]",
    '"correctness"',
    "{}",
    '{"correctness": 8}',
    '{"correctness": null, "relevance": 9}',
    '{"correctness": "8/10", "relevance": 9}',
    '{"correctness": NaN, "relevance": 9}',
    '{"correctness": [8], "relevance": 9}',
    "correctness: -3, relevance: 4",
    "correctness is 7, relevance is 8",
    "**correctness**: 8 **relevance**: 9",
    "correctness score: 8, relevance score: 9",
    "correctness: 8",
    pytest.param("no scores " * 300, id="long"),
]


@pytest.mark.parametrize("reply", UNREADABLE)
def test_an_unreadable_reply_is_raised_with_its_text_and_never_a_zero(reply: str) -> None:
    with pytest.raises(JudgeParseError) as caught:
        scored(reply)
    assert str(caught.value) == f"Could not parse judge response: {reply!r}"
    assert isinstance(caught.value, RuntimeError)


@pytest.mark.parametrize(
    "reply",
    [
        '{"correctness": Infinity, "relevance": 9}',
        '{"correctness": 1e999, "relevance": 9}',
        '{"a": ' * 100_000,
        f'{{"correctness": {"9" * 5000}, "relevance": 9}}',
        f"correctness: {'9' * 5000} relevance: 9",
        None,
        7,
        b"{}",
        {"correctness": 8, "relevance": 9},
    ],
    ids=["infinity", "beyond floats", "deep", "long number", "long number by pattern", "none", "int", "bytes", "dict"],
)
def test_what_else_is_no_reply_is_a_parse_error_too(reply: Any) -> None:
    with pytest.raises(JudgeParseError, match=r"^Could not parse judge response: "):
        scored(reply)


@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps))
@example('{"correctness": -Infinity, "relevance": 0}')
@settings(max_examples=150)
def test_any_text_gives_two_whole_numbers_or_a_parse_error(reply: str) -> None:
    try:
        correctness, relevance, reasoning = _parse_judge_response(reply)
    except JudgeParseError:
        return
    assert (type(correctness), type(relevance), type(reasoning)) == (int, int, str)


@given(st.integers(), st.integers(), st.text(), st.floats(0, 1))
@example(8, 9, "", 0.85)
@example(8, 9, "", 0.86)
@settings(max_examples=100)
def test_a_score_is_the_clamped_mean_over_ten_and_passes_at_the_threshold(
    correctness: int, relevance: int, reasoning: str, threshold: float
) -> None:
    reply = json.dumps({"reasoning": reasoning, "correctness": correctness, "relevance": relevance})
    result = scored(reply, threshold=threshold)
    assert result.parts == {
        "correctness": sorted((0, correctness, 10))[1],
        "relevance": sorted((0, relevance, 10))[1],
    }
    assert result.score == sum(result.parts.values()) / 20
    assert result.passed is (result.score >= threshold)
    assert result.reason.endswith(f" | reasoning: {reasoning}")


def test_a_pass_says_why_in_one_line() -> None:
    told = "correctness=8/10 relevance=9/10 score=0.850 >= threshold=0.7 | reasoning: Right."
    assert scored(GOOD) == ScoreResult(passed=True, score=0.85, reason=told)


def test_a_fail_says_why_in_one_line() -> None:
    told = "correctness=8/10 relevance=9/10 score=0.850 < threshold=0.875 | reasoning: Right."
    assert scored(GOOD, threshold=0.875) == ScoreResult(passed=False, score=0.85, reason=told)


def test_a_score_at_the_threshold_passes() -> None:
    assert scored('{"correctness": 7, "relevance": 7}').passed


def test_a_result_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        scored(GOOD).passed = False  # type: ignore[misc] # what the test is about


def test_what_a_judge_function_raises_comes_through() -> None:
    async def broken(prompt: str) -> str:
        raise OSError(prompt[:7])

    with pytest.raises(OSError, match="You are"):
        asyncio.run(LLMJudgeScorer(judge_fn=broken).score(*ASKED))


def test_a_plain_function_may_judge_too() -> None:
    def judge(_prompt: str) -> str:
        return GOOD

    scorer = LLMJudgeScorer(judge_fn=judge)  # type: ignore[arg-type] # the page asks for a coroutine function
    assert scorer.score_sync(*ASKED).passed


def test_a_score_can_be_had_without_a_loop_and_while_one_runs() -> None:
    async def inside() -> ScoreResult:
        return saying(GOOD).score_sync(*ASKED)

    assert saying(GOOD).score_sync(*ASKED) == asyncio.run(inside()) == scored(GOOD)


def test_by_default_ollama_is_asked_once_with_temperature_0() -> None:
    ollama = Ollama({"response": GOOD, "done": True})
    assert ollama.asked_by(in_a_loop, model="qwen3").score == 0.85
    (seen,) = ollama.seen
    assert (seen.method, seen.path) == ("POST", "/api/generate")
    assert json.loads(seen.body) == {
        "model": "qwen3",
        "prompt": LLMJudgeScorer().build_prompt(*ASKED),
        "stream": False,
        "options": {"temperature": 0.0},
    }


def test_by_default_it_is_the_ollama_of_this_machine_and_a_reply_may_take_180_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[dict[str, object]] = []

    def recorded(_clients: object, **settings: object) -> None:
        made.append(settings)

    monkeypatch.setattr(eval_harness, "Ollama", recorded)
    LLMJudgeScorer()
    assert made == [{"api_base": "http://localhost:11434", "timeout": 180.0}]


def test_one_scorer_serves_one_loop_after_another() -> None:
    ollama = Ollama({"response": GOOD, "done": True})

    def often(scorer: LLMJudgeScorer) -> ScoreResult:
        assert in_a_loop(scorer) == scorer.score_sync(*ASKED)
        return in_a_loop(scorer)

    assert ollama.asked_by(often).passed
    assert len(ollama.seen) == 3


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"error": "busy"}, 429),
        ({"error": "terminated"}, 500),
        ({"error": "unauthorized"}, 401),
        ({}, 200),
        (b"", 200),
        (b"not json", 200),
    ],
)
def test_where_ollama_has_no_reply_the_error_is_raised_and_not_tried_again(body: object, status: int) -> None:
    ollama = Ollama(body, status=status)
    with pytest.raises(gavelkit.CallError):
        ollama.asked_by(in_a_loop)
    assert len(ollama.seen) == 1


def test_an_empty_reply_of_ollama_is_an_unreadable_one() -> None:
    with pytest.raises(JudgeParseError, match=r"^Could not parse judge response: ''$"):
        Ollama({"response": "", "done": True}).asked_by(in_a_loop)


def test_each_dimension_has_a_mean_beside_the_score() -> None:
    results = [scored(GOOD), scored('{"correctness": 2, "relevance": 9}')]
    assert mean_scores(results) == {"score": 0.7, "correctness": 5.0, "relevance": 9.0}
    assert mean_scores(iter([])) == {}


def test_a_result_of_another_scorer_counts_in_the_score_alone() -> None:
    results = [scored(GOOD), ScoreResult(passed=True, score=0.95, reason="exact")]
    assert mean_scores(results) == {"score": pytest.approx(0.9), "correctness": 8.0, "relevance": 9.0}


def _by_answer(replies: dict[str, str]) -> Callable[[str], Awaitable[str]]:
    async def judge(prompt: str) -> str:
        return replies[prompt.rpartition("ANSWER: ")[2]]

    return judge


def test_right_in_another_shape_and_wrong_in_the_same_words_are_told_apart_by_the_dimensions() -> None:
    replies = {
        "Once it is as hot as 212 °F.": '{"correctness": 10, "relevance": 10}',
        "No longer at 100 °C since 1990.": '{"correctness": 0, "relevance": 10}',
    }
    scorer = LLMJudgeScorer(judge_fn=_by_answer(replies))
    another_shape, same_words = (scorer.score_sync("When does water boil?", said, "at 100 °C") for said in replies)
    assert (another_shape.score, another_shape.passed) == (1.0, True)
    assert (same_words.score, same_words.passed) == (0.5, False)
    rambling = scored('{"correctness": 10, "relevance": 3}')
    invented = scored('{"correctness": 0, "relevance": 10}')
    assert rambling.parts["correctness"] > rambling.parts["relevance"]
    assert invented.parts["correctness"] < invented.parts["relevance"]
    assert (rambling.passed, invented.passed) == (False, False)
