"""An evaluator as a judge: all its scores are kept, a failure says what it is, and costs its own row."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.integrations.bench import Bench, Length, running
from tests.makers import chat_answer, chat_body, endpoint

from gavelkit.core.completion import Completion
from gavelkit.core.errors import EndpointError
from gavelkit.core.example import Example
from gavelkit.core.judgment import Judgment
from gavelkit.core.limits import Limits
from gavelkit.core.status import Status
from gavelkit.integrations import context_bench_evaluators
from gavelkit.integrations.context_bench import AnswerQuality, Evaluator, LLMJudge
from gavelkit.integrations.context_bench_evaluators import Answers, nobody, scoring
from gavelkit.judges import FunctionJudge
from gavelkit.run.preflight import preflight

ROW = {"id": "q1", "question": "Capital of Peru?", "answer": "Lima"}


class Saying:
    """An evaluator that gives these scores, and says these words of how it ended."""

    name = "saying"

    def __init__(self, scores: Any, **last: Any) -> None:
        self.scores = scores
        for name, value in last.items():
            setattr(self, f"last_{name}", value)

    def score(self, _original: Mapping[str, Any], _processed: Mapping[str, Any]) -> dict[str, float]:
        given: dict[str, float] = self.scores
        return given


def judge_of(evaluator: Evaluator, response: str = "It is Lima.", *, preflight: bool = True) -> FunctionJudge:
    answers = Answers({"e": ROW}, {("mine", "e"): Completion(response)}, threading.BoundedSemaphore(1))
    return scoring(evaluator, evaluator.name, answers, limits=Limits(1), preflight=preflight)


def judgment(evaluator: Evaluator, response: str = "It is Lima.") -> Judgment:
    example = Example("e", {}, {"mine": response})
    (judged,) = asyncio.run(judge_of(evaluator, response)(example))
    assert isinstance(judged, Judgment)
    return judged


def parts(judged: Judgment) -> Mapping[str, Any]:
    assert judged.grade is not None
    return judged.grade.parts


def test_all_scores_are_kept_and_the_first_number_is_the_score() -> None:
    judged = judgment(AnswerQuality())
    assert (judged.status, judged.score) == (Status.OK, 0.5)
    assert parts(judged) == {"f1": 0.5, "exact_match": 0.0, "recall": 1.0, "contains": 1.0}


@pytest.mark.parametrize("scores", [{}, {"a": math.nan}, {"a": "high", "b": math.inf}])
def test_without_a_number_nothing_is_judged(scores: Any) -> None:
    judged = judgment(Saying(scores))
    assert (judged.status, judged.score) == (Status.ABSTAINED, None)


def test_what_is_no_number_stands_aside() -> None:
    judged = judgment(Saying({"note": "fine", "odd": math.nan, "share": 1, "flag": True}))
    assert judged.score == 1.0
    assert parts(judged)["note"] == "fine"


def test_what_an_evaluator_raises_is_a_failed_call_of_its_row() -> None:
    judged = judgment(Length(dislikes="Lima"))
    assert (judged.status, judged.score) == (Status.CALL_ERROR, None)
    assert judged.failure is not None
    assert judged.failure.message == "ValueError: no figure for q1"


@pytest.mark.parametrize(
    ("told", "status"),
    [
        (Status.PARSE_ERROR, Status.PARSE_ERROR),
        ("truncated", Status.TRUNCATED),
        ("refused", Status.REFUSED),
        ("invalid_input", Status.INVALID_INPUT),
        ("pending", Status.CALL_ERROR),
        ("exploded", Status.CALL_ERROR),
    ],
)
def test_a_failure_that_an_evaluator_tells_is_one_and_its_scores_stay(told: str, status: Status) -> None:
    judged = judgment(Saying({"judge_score": 0.0}, status=told, error="why", reply="hm"))
    assert (judged.status, judged.score) == (status, None)
    assert parts(judged) == {"judge_score": 0.0}
    assert judged.failure is not None
    assert (judged.failure.message, judged.failure.raw) == ("why", "hm")


@pytest.mark.parametrize("told", [None, "ok"])
def test_an_evaluator_that_tells_of_no_failure_has_none(told: str | None) -> None:
    assert judgment(Saying({"s": 0.5}, status=told)).score == 0.5


def test_a_judges_reply_is_a_step_and_answers_why() -> None:
    with running(Bench(rates=lambda _: "2, since it rambles")) as bench:
        judged = judgment(LLMJudge(bench.url))
    assert judged.score == 0.25
    assert parts(judged) == {"judge_score": 0.25}
    assert judged.grade is not None
    assert judged.grade.explanation == "2, since it rambles"
    assert [(step.name, step.completion.text) for step in judged.steps] == [("llm_judge", "2, since it rambles")]


@pytest.mark.parametrize(
    ("reply", "status", "why"),
    [
        ("no idea", Status.PARSE_ERROR, "no digit"),
        (chat_answer({"error": "down"}, status=500), Status.CALL_ERROR, "HTTP 500"),
        (chat_answer(chat_body(None, refusal="I will not")), Status.REFUSED, "refused"),
    ],
)
def test_a_judges_failure_is_what_it_is_and_the_documented_zero_stays(reply: Any, status: Status, why: str) -> None:
    with running(Bench(rates=lambda _: reply)) as bench:
        judged = judgment(LLMJudge(bench.url))
    assert (judged.status, judged.score) == (status, None)
    assert parts(judged) == {"judge_score": 0.0}
    assert judged.failure is not None
    assert why in judged.failure.message


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = replace(context_bench_evaluators.WHEN_TOLD_TO_WAIT, min_wait=0.0, max_wait=0.0)
    monkeypatch.setattr(context_bench_evaluators, "WHEN_TOLD_TO_WAIT", policy)


@pytest.mark.usefixtures("no_wait")
@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_judge_that_has_too_much_to_do_is_asked_again(status: int) -> None:
    busy = iter([chat_answer({"error": "slow down"}, status=status)] * 2)
    with running(Bench(rates=lambda _: next(busy, "4"))) as bench:
        judged = judgment(LLMJudge(bench.url))
    assert judged.score == 0.75
    assert len(bench.judged) == 3


@pytest.mark.usefixtures("no_wait")
@pytest.mark.parametrize(("status", "requests"), [(429, 6), (500, 1), (401, 1)])
def test_a_judge_that_fails_for_good_is_the_documented_zero_and_told_as_it_failed(status: int, requests: int) -> None:
    with running(Bench(rates=lambda _: chat_answer({"error": "no"}, status=status))) as bench:
        judged = judgment(LLMJudge(bench.url))
    assert parts(judged) == {"judge_score": 0.0}
    assert judged.failure is not None
    assert judged.failure.message == f"HTTP {status}"
    assert len(bench.judged) == requests


def test_an_empty_response_asks_nobody() -> None:
    with running(Bench()) as bench:
        assert judgment(LLMJudge(bench.url), "").status is Status.INVALID_INPUT
        assert bench.requests == []


def test_a_judge_whose_call_is_ones_own_is_asked_in_its_own_way_and_not_tried_beforehand() -> None:
    class Own(LLMJudge):
        def _call_judge(self, prompt: str) -> str:
            return "5" if "Lima" in prompt else "1"

    assert judgment(Own("nowhere")).score == 1.0
    assert judge_of(Own("nowhere")).probes == ()


def test_model_prompt_and_scale_of_a_judge_are_known() -> None:
    one, other = (judge_of(LLMJudge("http://127.0.0.1:9", model), preflight=False) for model in ("one", "other"))
    assert one.model == "one"
    assert "[Question]" in str(one.asks.material["prompt"])
    assert one.asks.hash != other.asks.hash
    assert one.reads.material["scale"] == [0.0, 1.0]
    assert "scale" not in judge_of(Length()).reads.material


def test_a_judges_key_stands_in_no_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment-0123456789")
    judge = judge_of(LLMJudge("http://127.0.0.1:9", api_key="sk-mine-0123456789"))
    assert "sk-" not in f"{judge.asks.material}{judge.reads.material}{judge!r}"


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "the key is missing"), (404, "the address is wrong"), (403, "the key has no access")],
)
def test_a_dead_judge_is_found_before_anything_is_asked(status: int, words: str) -> None:
    with endpoint(lambda _: chat_answer({"error": {"message": "no"}}, status=status)) as url:
        judge = judge_of(LLMJudge(url.removesuffix("/v1")))
        with pytest.raises(EndpointError, match=words):
            asyncio.run(preflight([judge], observe=lambda _: None))


def test_whoever_wants_no_preflight_has_no_probe() -> None:
    assert judge_of(LLMJudge("http://127.0.0.1:9"), preflight=False).probes == ()
    assert judge_of(AnswerQuality()).probes == ()


def test_without_an_evaluator_nobody_judges() -> None:
    (judged,) = asyncio.run(nobody(Limits(1))(Example("e", {}, {"mine": "x"})))
    assert judged.status is Status.ABSTAINED


def test_a_reply_that_repeats_the_key_is_kept_without_it() -> None:
    key = "Zx9-plain-secret-77"
    with running(Bench(rates=lambda _: f"Bearer {key} says 4")) as bench:
        judged = judgment(LLMJudge(bench.url, api_key=key))
    assert [step.completion.text for step in judged.steps] == ["Bearer (key) says 4"]
    assert judged.score == 0.75
