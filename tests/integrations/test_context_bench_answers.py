"""A system's output as a reply that is kept, and again: the same output, whatever it holds."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.integrations.bench import Bench, Echo, running

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.example import Example
from gavelkit.core.failure import FailureKind
from gavelkit.integrations.context_bench import OpenAIProxy, System
from gavelkit.integrations.context_bench_answers import OBJECT, answering, completion_of, conversed, processed_of
from gavelkit.integrations.context_bench_systems import Answer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def kept(processed: Any) -> Completion:
    return completion_of(Answer(processed, 0.5))


def answer(system: System, example: Mapping[str, Any]) -> Completion:
    """What a run would keep of a system's answer."""
    (asked,) = answering([system], {"e": example}, workers=1)
    completion = asyncio.run(asked.answer(asked.request(Example("e", {}, {}))))
    assert asked.answers == {(system.name, "e"): completion}
    return completion


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(["response", "api_usage", "other"]), JSON))
def test_every_output_of_json_comes_back_as_it_was(processed: dict[str, Any]) -> None:
    assert processed_of(kept(processed)) == processed


def test_a_bare_response_is_kept_as_its_text_with_what_it_cost() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    completion = kept({"response": "Lima", "api_usage": usage})
    assert (completion.text, completion.finish_reason, completion.seconds) == ("Lima", "stop", 0.5)
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (3, 4)
    assert processed_of(completion) == {"response": "Lima", "api_usage": usage}


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 3, "completion_tokens": 4},
        {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 9},
        {"prompt_tokens": -1, "completion_tokens": True, "total_tokens": 0},
        "many",
    ],
)
def test_a_usage_of_another_kind_is_kept_word_for_word(usage: Any) -> None:
    completion = kept({"response": "Lima", "api_usage": usage})
    assert completion.finish_reason == OBJECT
    assert processed_of(completion) == {"response": "Lima", "api_usage": usage}


def test_what_json_does_not_know_is_its_text() -> None:
    processed = processed_of(kept({"response": "Lima", "place": complex(1, 2), "odd": math.inf, "pair": (1, 2)}))
    assert processed == {"response": "Lima", "place": "(1+2j)", "odd": math.inf, "pair": [1, 2]}


@pytest.mark.parametrize("processed", [None, "Lima", ["Lima"]])
def test_an_output_that_is_no_mapping_is_a_failed_call(processed: Any) -> None:
    with pytest.raises(CallError, match="process must return a dict with the response"):
        kept(processed)


def test_a_systems_code_sees_the_row_as_it_was_given_and_may_change_its_own_copy() -> None:
    row = {"id": 7, "answer": "Lima", "when": complex(1, 2)}
    echo = Echo(process=lambda example: {"response": f"{example.pop('when')} {example['id']}"})
    assert answer(echo, row).text == "(1+2j) 7"
    assert row == {"id": 7, "answer": "Lima", "when": complex(1, 2)}


def test_what_a_systems_code_raises_is_a_failed_call() -> None:
    def fail(_: dict[str, Any]) -> None:
        message = "out of memory"
        raise MemoryError(message)

    with pytest.raises(CallError, match="MemoryError: out of memory") as raised:
        answer(Echo(process=fail), {})
    assert raised.value.kind is FailureKind.INTERNAL


def test_a_row_of_several_turns_goes_to_process_conversation_where_there_is_one() -> None:
    class Talks(Echo):
        def process_conversation(self, turns: list[str]) -> list[dict[str, str]]:
            return [{"role": role, "content": f"{role} {turn}"} for turn in turns for role in ("user", "assistant")]

    row = {"multi_turn": True, "turns": ["a", "b"], "answer": "single"}
    both = {"response": "assistant b", "turn_responses": ["assistant a", "assistant b"]}
    assert processed_of(answer(Talks(), row)) == both
    assert processed_of(answer(Talks(), {**row, "multi_turn": False})) == {"response": "single"}
    assert processed_of(answer(Echo(), row)) == {"response": "single"}


def test_a_conversation_without_a_reply_has_an_empty_response() -> None:
    assert conversed([{"role": "user", "content": "a"}]) == {"response": "", "turn_responses": []}


def test_an_endpoint_keeps_what_its_failure_was() -> None:
    class Own(OpenAIProxy):
        def process(self, example: dict[str, Any]) -> dict[str, Any]:
            return {"response": super().process(example)["response"].upper()}

    with running(Bench(says=lambda _: "Lima")) as bench:
        assert answer(Own(bench.url, name="own"), {"question": "?"}).text == "LIMA"
        url = bench.url
    for system in (Own(url, max_retries=0), OpenAIProxy(url, max_retries=0)):
        with pytest.raises(CallError) as raised:
            answer(system, {"question": "?"})
        assert raised.value.kind is FailureKind.CONNECT


def test_systems_of_other_names_settings_or_rows_are_asked_other_questions() -> None:
    rows = {"a": {"id": 1, "question": "?"}, "b": {"id": 2, "question": "?"}}
    systems: list[System] = [
        OpenAIProxy("http://localhost:1", name="one"),
        OpenAIProxy("http://localhost:1", name="two"),
        OpenAIProxy("http://localhost:2", name="one"),
        OpenAIProxy("http://localhost:1", name="one", system_prompt="Be brief."),
        OpenAIProxy("http://localhost:1", name="one", extra_body={"seed": 1}),
        Echo("one"),
    ]
    asked = [answering([system], rows, workers=1)[0] for system in systems]
    keys = {each.request(Example(key, {}, {})).key for each in asked for key in rows}
    assert len(keys) == len(systems) * len(rows)
    assert len({each.asks.hash for each in asked}) == len(systems)


def test_only_as_many_run_at_once_as_there_are_places() -> None:
    running_now, most = [0], [0]

    def process(_: dict[str, Any]) -> dict[str, Any]:
        running_now[0] += 1
        most[0] = max(most[0], running_now[0])
        running_now[0] -= 1
        return {"response": "x"}

    async def all_at_once() -> None:
        rows = {str(n): {"id": n} for n in range(20)}
        asked = answering([Echo("a", process), Echo("b", process)], rows, workers=1)
        requests = [(each, each.request(Example(key, {}, {}))) for each in asked for key in rows]
        await asyncio.gather(*(each.answer(request) for each, request in requests))

    asyncio.run(all_at_once())
    assert most == [1]


def test_an_answer_is_noted_whatever_engine_stands_round() -> None:
    class Stored:
        async def complete(self, _request: Any) -> Completion:
            return Completion("held")

    (asked,) = answering([Echo()], {"e": {}}, workers=1)
    bound = asked.bind(lambda _: Stored())
    asyncio.run(bound.answer(bound.request(Example("e", {}, {}))))
    assert bound.answers["echo", "e"].text == "held"
    assert replace(bound, probes=()).answers is asked.answers
