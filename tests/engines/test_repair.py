"""Parameter repair: what is sent after a refusal, how many requests that takes, and what a user hears."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Collection, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fake_clock import FakeClock
from tests.makers import chat_answer, chat_body, endpoint

from gavelkit.core.completion import Completion
from gavelkit.core.errors import CallError
from gavelkit.core.event import Event, Noticed
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Message, Parameters, Request
from gavelkit.core.protocols import Engine
from gavelkit.engines import HttpClient, OpenAIChat, Retrying, RetryPolicy, ScriptedEngine
from gavelkit.engines.repair import Repairing, RepairMemory
from gavelkit.simulator.server import HttpAnswer, HttpRequest

SCHEMA = json.dumps({"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}})


def a_request(prompt: str = "Hello", **values: object) -> Request:
    return Request((Message("user", prompt),), Parameters("m", values))


def refused(name: str) -> CallError:
    message = f"HTTP 400: Unsupported parameter: '{name}' is not supported with this model."
    return CallError(FailureKind.UNSUPPORTED_PARAM, message, param=name, code="unsupported_parameter")


class Endpoint:
    """Refuses parameters by name, and forms of a reply by type, the first at a time; takes a moment for it."""

    def __init__(self, refuses: Collection[str] = (), *, forms: Collection[str] = ()) -> None:
        self.refuses = list(refuses)
        self.forms = forms
        self.refusals = 0
        self.sent: list[Mapping[str, object]] = []
        self.formats: list[str] = []

    async def complete(self, request: Request) -> Completion:
        values = request.parameters.values
        self.sent.append(values)
        form = request.parameters.response_format
        kind = str(json.loads(form)["type"]) if form else ""
        self.formats.append(kind)
        for _ in range(3):
            await asyncio.sleep(0)
        if kind in self.forms:
            self.refusals += 1
            message = f"HTTP 400: Invalid parameter: 'response_format' of type '{kind}' is not supported."
            raise CallError(FailureKind.BAD_REQUEST, message)
        for name in self.refuses:
            if name in values:
                self.refusals += 1
                raise refused(name)
        return Completion("Score: 8", finish_reason="stop")


def answered(endpoint: Engine, *requests: Request, memory: RepairMemory | None = None) -> list[Completion]:
    """The replies to all requests, side by side."""
    engine = Repairing(endpoint, memory or RepairMemory())

    async def main() -> list[Completion]:
        return await asyncio.gather(*(engine.complete(request) for request in requests))

    return asyncio.run(main())


def crowd(count: int = 256, **values: object) -> list[Request]:
    return [a_request(str(number), **values) for number in range(count)]


def test_where_nothing_is_refused_the_request_and_the_reply_go_through_as_they_are() -> None:
    engine = ScriptedEngine([reply := Completion("fine")])
    request = a_request(temperature=0.0)
    assert asyncio.run(Repairing(engine, RepairMemory()).complete(request)) is reply
    assert engine.requests[0] is request


@pytest.mark.parametrize(
    ("name", "values", "sent", "effective"),
    [
        ("max_tokens", {"max_tokens": 9}, {"max_completion_tokens": 9},
         {"max_completion_tokens": 9, "max_tokens": None}),
        ("max_completion_tokens", {"max_completion_tokens": 9}, {"max_tokens": 9},
         {"max_tokens": 9, "max_completion_tokens": None}),
        ("temperature", {"temperature": 0.0, "n": 1}, {"n": 1}, {"temperature": None}),
        ("top_p", {"top_p": 0.5}, {}, {"top_p": None}),
        ("seed", {"seed": 3}, {}, {"seed": None}),
        ("logprobs", {"logprobs": True, "top_logprobs": 5}, {}, {"logprobs": None, "top_logprobs": None}),
        ("top_logprobs", {"logprobs": True, "top_logprobs": 5}, {}, {"logprobs": None, "top_logprobs": None}),
    ],
)  # fmt: skip
def test_a_refused_parameter_is_sent_otherwise_and_the_reply_says_how(
    name: str, values: Mapping[str, object], sent: Mapping[str, object], effective: Mapping[str, object]
) -> None:
    endpoint = Endpoint([name])
    (reply,) = answered(endpoint, Request((Message("user", "?"),), Parameters("m", values)))
    assert endpoint.sent == [values, sent]
    assert reply.effective == effective
    assert reply.attempts == 2


def test_several_refusals_are_met_one_after_the_other() -> None:
    endpoint = Endpoint(["max_tokens", "temperature", "seed"])
    (reply,) = answered(endpoint, a_request(max_tokens=9, temperature=0.0, seed=1, n=2))
    assert endpoint.sent[-1] == {"max_completion_tokens": 9, "n": 2}
    assert reply.attempts == 4


@pytest.mark.parametrize(
    ("forms", "sent", "effective"),
    [
        (["json_schema"], ["json_schema", "json_object"], {"type": "json_object"}),
        (["json_schema", "json_object"], ["json_schema", "json_object", ""], None),
    ],
)
def test_a_schema_becomes_any_object_and_then_the_prompts_own_words(
    forms: list[str], sent: list[str], effective: object
) -> None:
    endpoint = Endpoint(forms=forms)
    (reply,) = answered(endpoint, Request((Message("user", "?"),), Parameters("m", {}, SCHEMA)))
    assert endpoint.formats == sent
    assert reply.effective == {"response_format": effective}


def test_what_was_learned_holds_for_all_later_requests_of_all_who_share_the_memory() -> None:
    endpoint, memory = Endpoint(["max_tokens"]), RepairMemory()
    answered(endpoint, a_request("1", max_tokens=9), memory=memory)
    (reply,) = answered(endpoint, a_request("2", max_tokens=20, temperature=0.5), memory=memory)
    assert endpoint.sent[2:] == [{"max_completion_tokens": 20, "temperature": 0.5}]
    assert (reply.attempts, reply.effective) == (1, {"max_completion_tokens": 20, "max_tokens": None})


def test_a_request_that_holds_nothing_of_it_is_sent_as_it_is() -> None:
    endpoint, memory = Endpoint(["seed"]), RepairMemory()
    answered(endpoint, a_request(seed=1), memory=memory)
    (reply,) = answered(endpoint, a_request(n=1), memory=memory)
    assert (reply.effective, reply.attempts) == (None, 1)


def test_of_256_calls_at_once_each_is_refused_once_and_none_after_that() -> None:
    endpoint, memory = Endpoint(["max_tokens"]), RepairMemory()
    replies = answered(endpoint, *crowd(max_tokens=9), memory=memory)
    assert endpoint.refusals == 256
    assert len(endpoint.sent) == 512
    assert Counter(reply.attempts for reply in replies) == {2: 256}
    answered(endpoint, *crowd(max_tokens=9), memory=memory)
    assert endpoint.refusals == 256


def test_three_refusals_cost_256_calls_at_once_two_requests_more_than_one_does() -> None:
    endpoint = Endpoint(["max_tokens", "temperature", "seed"])
    replies = answered(endpoint, *crowd(max_tokens=9, temperature=0.0, seed=1))
    assert endpoint.refusals == 256 + 2
    assert len(endpoint.sent) == 512 + 2
    assert max(reply.attempts for reply in replies) == 4


def test_calls_that_send_more_than_the_first_find_out_about_the_rest_once() -> None:
    endpoint = Endpoint(["max_tokens", "temperature"])
    answered(endpoint, a_request("first", max_tokens=9), *crowd(max_tokens=9, temperature=0.0))
    assert endpoint.refusals == 257 + 1
    assert len(endpoint.sent) == 2 * 257 + 1


def test_who_comes_while_a_change_is_tried_waits_for_its_end_where_it_is_about_him() -> None:
    endpoint, memory = Endpoint(["temperature"]), RepairMemory()
    engine = Repairing(endpoint, memory)

    async def main() -> None:
        first = asyncio.create_task(engine.complete(a_request(temperature=0.0)))
        for _ in range(5):  # the first is refused in the fourth turn
            await asyncio.sleep(0)
        assert memory.trials == 1
        late = asyncio.create_task(engine.complete(a_request("late", temperature=0.0, n=2)))
        other = asyncio.create_task(engine.complete(a_request("other", n=3)))
        await asyncio.sleep(0)
        assert {"n": 3} in endpoint.sent
        assert {"n": 2} not in endpoint.sent
        await asyncio.gather(first, late, other)

    asyncio.run(main())
    assert endpoint.refusals == 1
    assert Counter(map(str, endpoint.sent))["{'n': 2}"] == 1


def test_each_loss_is_told_once() -> None:
    events: list[Event] = []
    memory = RepairMemory(observe=events.append)
    answered(Endpoint(["temperature", "max_tokens"]), *crowd(8, max_tokens=9, temperature=0.0), memory=memory)
    assert events == [
        Noticed("model 'm': max_tokens is sent as max_completion_tokens, the only name that the endpoint takes"),
        Noticed(
            "model 'm': temperature is not sent: the endpoint takes only its default, "
            "so replies may differ between runs"
        ),
    ]


def test_strict_changes_nothing_and_the_refusal_is_fatal() -> None:
    endpoint = Endpoint(["temperature"])
    with pytest.raises(CallError) as caught:
        answered(endpoint, a_request(temperature=0.0), memory=RepairMemory(strict=True))
    assert caught.value.failure.fatal
    assert caught.value.kind is FailureKind.UNSUPPORTED_PARAM
    assert "'temperature' is not supported with this model.; strict changes nothing" in str(caught.value)
    assert len(endpoint.sent) == 1


@pytest.mark.parametrize(
    "error",
    [
        CallError(FailureKind.BAD_REQUEST, "HTTP 400: the content is odd"),
        CallError(FailureKind.AUTH, "HTTP 401", fatal=True),
        CallError(FailureKind.SERVER, "HTTP 500: temperature is not supported"),
        CallError(FailureKind.BAD_REQUEST, "HTTP 400: seed is not supported"),
    ],
    ids=str,
)
@pytest.mark.parametrize("strict", [False, True])
def test_any_other_failure_is_passed_on(error: CallError, *, strict: bool) -> None:
    engine = ScriptedEngine([error, "never"])
    with pytest.raises(CallError) as caught:
        asyncio.run(Repairing(engine, RepairMemory(strict=strict)).complete(a_request(temperature=0.0)))
    assert caught.value.failure == error.failure
    assert caught.value.requests == 1


def test_a_change_that_does_not_help_is_taken_back_and_never_tried_again() -> None:
    events: list[Event] = []
    memory = RepairMemory(observe=events.append)
    engine = ScriptedEngine([refused("temperature")] * 3)
    for requests in (2, 1):
        with pytest.raises(CallError) as caught:
            asyncio.run(Repairing(engine, memory).complete(a_request(temperature=0.0)))
        assert caught.value.requests == requests
    assert [request.parameters.values for request in engine.requests] == [
        {"temperature": 0.0}, {}, {"temperature": 0.0}
    ]  # fmt: skip
    assert memory.made == ()
    assert events == []


def test_a_limit_whose_two_names_are_both_refused_is_not_sent_to_and_fro() -> None:
    endpoint = Endpoint(["max_tokens", "max_completion_tokens"])
    memory = RepairMemory()
    for _ in range(3):
        with pytest.raises(CallError):
            answered(endpoint, a_request(max_tokens=9), memory=memory)
    assert len(endpoint.sent) == 2 + 1 + 1
    assert memory.made == ()


@pytest.mark.parametrize(
    "after",
    [CallError(FailureKind.RATE_LIMIT, "HTTP 429"), CallError(FailureKind.BAD_REQUEST, "HTTP 400: the row is odd")],
    ids=str,
)
def test_what_was_learned_stays_where_the_trial_fails_for_another_reason(after: CallError) -> None:
    engine = ScriptedEngine([refused("temperature"), after, "fine"])
    repairing = Repairing(engine, RepairMemory())
    with pytest.raises(CallError) as caught:
        asyncio.run(repairing.complete(a_request(temperature=0.0)))
    assert (caught.value.failure, caught.value.requests) == (after.failure, 2)
    reply = asyncio.run(repairing.complete(a_request(temperature=0.0)))
    assert (reply.attempts, reply.effective) == (1, {"temperature": None})


def test_retries_inside_are_counted_with_the_refusals() -> None:
    down = CallError(FailureKind.SERVER, "HTTP 500")
    inner = Retrying(ScriptedEngine([down, refused("seed"), down, "fine"]), RetryPolicy(min_wait=0), clock=FakeClock())
    assert asyncio.run(Repairing(inner, RepairMemory()).complete(a_request(seed=1))).attempts == 4


def test_one_memory_serves_one_event_loop_after_another() -> None:
    endpoint, memory = Endpoint(["seed"]), RepairMemory()
    for _ in range(2):
        answered(endpoint, *crowd(5, seed=1), memory=memory)
    assert endpoint.refusals == 5


def test_a_memory_does_not_grow_with_the_schemas_it_meets() -> None:
    memory = RepairMemory()
    answered(Endpoint(["seed"]), *(a_request(seed=number) for number in range(700)), memory=memory)
    assert len(memory._kept) <= 256


def test_a_refusal_that_depends_on_the_value_is_met_by_the_call_it_comes_to() -> None:
    class TakesOnlyOne:
        async def complete(self, request: Request) -> Completion:
            for _ in range(3):
                await asyncio.sleep(0)
            values = request.parameters.values
            for name, is_refused in [("max_tokens", "max_tokens" in values), ("temperature", 0 in values.values())]:
                if is_refused:
                    raise refused(name)
            return Completion("Score: 8")

    endpoint = TakesOnlyOne()
    values = [{"temperature": 1}, {"temperature": 1}, {"temperature": 0}]
    replies = answered(endpoint, *(a_request(str(n), max_tokens=9, **each) for n, each in enumerate(values)))
    assert [reply.attempts for reply in replies] == [2, 2, 3]
    assert replies[2].effective == {"max_completion_tokens": 9, "max_tokens": None, "temperature": None}


def test_over_the_wire_an_endpoint_of_today_gets_what_it_takes() -> None:
    bodies: list[dict[str, object]] = []

    def handler(request: HttpRequest) -> HttpAnswer:
        body = json.loads(request.body)
        bodies.append({name: value for name, value in body.items() if name not in {"messages", "model"}})
        for name, code in [("max_tokens", "unsupported_parameter"), ("temperature", "unsupported_value")]:
            if name in body:
                error = {"message": f"Unsupported: '{name}'", "param": name, "code": code}
                return chat_answer({"error": error}, status=400)
        return chat_answer(chat_body("Score: 8"))

    async def main(base: str) -> list[Completion]:
        client = HttpClient(connections=8)
        try:
            chat = OpenAIChat(client, api_base=base)
            engine = Repairing(Retrying(chat, RetryPolicy(), clock=FakeClock()), RepairMemory())
            return await asyncio.gather(*(engine.complete(each) for each in crowd(8, max_tokens=9, temperature=0.0)))
        finally:
            await client.aclose()

    with endpoint(handler) as base:
        replies = asyncio.run(main(base))
    assert {reply.text for reply in replies} == {"Score: 8"}
    assert [body for body in bodies if not body.keys() & {"max_tokens", "temperature"}] == [
        {"max_completion_tokens": 9}
    ] * 8
    assert len(bodies) <= 8 + 1 + 8


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_however_calls_come_and_go_they_all_end_and_refusals_are_few(data: st.DataObject) -> None:
    names = ["max_tokens", "temperature", "seed", "logprobs"]
    endpoint = Endpoint(data.draw(st.lists(st.sampled_from(names), unique=True)))
    wishes = data.draw(st.lists(st.sets(st.sampled_from(names)), min_size=1, max_size=12))
    pauses = data.draw(st.lists(st.integers(0, 6), min_size=len(wishes), max_size=len(wishes)))
    given_up = data.draw(st.sets(st.integers(0, len(wishes) - 1)))
    engine = Repairing(endpoint, RepairMemory())

    async def call(number: int) -> Completion:
        for _ in range(pauses[number]):
            await asyncio.sleep(0)
        return await engine.complete(a_request(str(number), **dict.fromkeys(wishes[number], 1)))

    async def main() -> list[Completion | BaseException]:
        calls = [asyncio.create_task(call(number)) for number in range(len(wishes))]
        for number in given_up:
            for _ in range(number):
                await asyncio.sleep(0)
            calls[number].cancel()
        return await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 20)

    for number, ending in enumerate(asyncio.run(main())):
        if number in given_up and isinstance(ending, asyncio.CancelledError):
            continue
        assert isinstance(ending, Completion)
        lost = {name for name, value in (ending.effective or {}).items() if value is None}
        assert lost == wishes[number] & set(endpoint.refuses)
    assert endpoint.refusals <= len(wishes) + len(endpoint.refuses)
