"""The decorators: how a benchmark is declared, found again and refused, and what may score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from gavelkit.integrations.nemo_byob_config import ByobError
from gavelkit.integrations.nemo_byob_registry import (
    ScorerInput,
    benchmark,
    clear_registry,
    get_registered_benchmarks,
    scorer,
)

JUDGE = {"url": "http://judge1:8000/v1", "model_id": "judge-a"}


@pytest.fixture(autouse=True)
def _empty_registry() -> Iterator[None]:
    clear_registry()
    yield
    clear_registry()


def plain(sample: ScorerInput) -> dict[str, Any]:
    return {"length": len(sample.response)}


def declared(name: str = "qa-judge", prompt: str = "Answer: {question}", **settings: Any) -> Any:
    benchmark(name, "qa.jsonl", prompt, **settings)(scorer(plain))
    return next(reversed(get_registered_benchmarks().values()))


def test_a_benchmark_is_found_by_its_normalized_name_and_its_function_stays_one() -> None:
    made = declared("  QA -- Judge (v2)! ")
    assert get_registered_benchmarks() == {"qa_judge_v2": made}
    assert (made.name, made.dataset, made.prompt) == ("  QA -- Judge (v2)! ", "qa.jsonl", "Answer: {question}")
    assert made.scorer_fn(ScorerInput("abc", "t", {})) == {"length": 3}
    assert vars(plain)["_benchmark_definition"] is made
    assert vars(plain)["_is_scorer"]


def test_the_defaults_of_a_benchmark() -> None:
    made = declared()
    assert (made.target_field, made.endpoint_type, made.extra, made.response_field) == ("target", "chat", {}, None)
    assert (made.num_fewshot, made.fewshot_separator) == (0, "\n\n")


def test_judges_stand_in_extra_and_extra_wins_over_a_keyword() -> None:
    made = declared(judge={"url": "no"}, judge_1=JUDGE, extra={"judge": JUDGE})
    assert made.extra == {"judge": JUDGE, "judge_1": JUDGE}


def test_a_name_is_cut_to_fifty_letters() -> None:
    assert declared("a" * 80).normalized_name == "a" * 50


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "!?"}, "needs a letter or a digit"),
        ({"endpoint_type": "chats"}, "must be one of chat, completions"),
        ({"endpoint_type": "completions_logprob"}, "needs choices or choices_field"),
        ({"respnse_field": "answer"}, "did you mean response_field"),
        ({"prompt": "missing.txt"}, "cannot read the prompt file"),
    ],
)
def test_a_benchmark_that_cannot_be_used_is_refused_as_a_value_error(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared(**settings)
    assert get_registered_benchmarks() == {}


def test_two_benchmarks_of_one_name_are_refused() -> None:
    declared("qa judge")
    with pytest.raises(ByobError, match="'qa_judge' already"):
        declared("QA-Judge")


def test_a_prompt_that_names_a_file_is_read_from_beside_the_scorer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ask.txt").write_text("Say: {question}", encoding="utf-8")
    monkeypatch.setattr("inspect.getfile", lambda _function: str(tmp_path / "bench.py"))
    made = declared(prompt="ask.txt", system_prompt="ask.txt")
    assert (made.prompt, made.system_prompt) == ("Say: {question}", "Say: {question}")


def test_a_scorer_takes_a_sample_or_a_sample_and_its_config() -> None:
    def two(sample: ScorerInput, config: object) -> dict[str, Any]:
        return {}

    def optional(sample: ScorerInput, config: object, more: int = 1) -> dict[str, Any]:
        return {}

    assert scorer(two) is two
    assert scorer(optional) is optional


def test_a_function_of_nothing_or_of_three_things_is_no_scorer() -> None:
    def none() -> dict[str, Any]:
        return {}

    def three(sample: ScorerInput, config: object, more: object) -> dict[str, Any]:
        return {}

    for each in (none, three):
        with pytest.raises(TypeError, match="a scorer takes a sample"):
            scorer(each)


def test_a_coroutine_function_is_no_scorer() -> None:
    async def awaiting(sample: ScorerInput) -> dict[str, Any]:
        return {}

    with pytest.raises(TypeError, match=r"plain function, which runs in a thread; .*awaiting is async"):
        scorer(cast("Any", awaiting))


def test_what_a_scorer_is_given() -> None:
    sample = ScorerInput("r", "t", {"question": "q"})
    assert (sample.model_call_fn, sample.config, sample.conversation, sample.turn_index) == (None, {}, None, None)
