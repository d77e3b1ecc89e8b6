"""What an endpoint's gate promises: how many go in, who waits and for what, when it ends. On virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

import pytest
from benchmarks.virtual_time import VirtualClock, run
from tests.makers import a_request

from gavelkit.core.completion import Completion, Usage
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.event import CircuitClosed, CircuitOpened, Event, Throttled
from gavelkit.core.failure import FailureKind
from gavelkit.core.message import Request
from gavelkit.engines import Ceiling, Gate, Gated, GateRules, Retrying, RetryPolicy

K = FailureKind
Answer = Callable[[int], Awaitable[Completion]]


class Endpoint:
    """Answers the n-th request as a function says, and keeps when each came."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.times: list[float] = []
        self.inside = self.most = 0

    async def complete(self, _request: Request) -> Completion:
        self.times.append(now())
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            return await self._answer(len(self.times))
        finally:
            self.inside -= 1


class Scene:
    """An endpoint behind its gate, with who observes; every wait is virtual."""

    def __init__(
        self, answer: Answer, *, concurrency: int = 8, attempts: int = 0, rules: GateRules | None = None
    ) -> None:
        self.endpoint = Endpoint(answer)
        self.events: list[Event] = []
        self.gate = Gate(rules, clock=VirtualClock(), observe=self.events.append)
        self.gate.join(concurrency)
        self._concurrency = concurrency
        self.engine = Retrying(
            Ceiling(Gated(self.endpoint, self.gate), concurrency),
            RetryPolicy(attempts),
            clock=VirtualClock(),
            spread=lambda: 0.5,
            gate=self.gate,
        )

    async def outcome(self, request: Request | None = None) -> Completion | CallError:
        try:
            return await self.engine.complete(request or a_request())
        except CallError as error:
            return error

    async def outcomes(self, count: int, *, stop_when_fatal: bool = False) -> list[Completion | CallError]:
        """As a run does it: as many workers as the ceiling, each takes the next row."""
        left, found = count, []

        async def work() -> None:
            nonlocal left
            while left:
                left -= 1
                found.append(await self.outcome())
                if stop_when_fatal and isinstance(error := found[-1], CallError) and error.failure.fatal:
                    left = 0

        await asyncio.gather(*(work() for _ in range(self._concurrency)))
        return found


def now() -> float:
    return asyncio.get_running_loop().time()


async def fine(_number: int) -> Completion:
    await asyncio.sleep(1)
    return Completion("ok")


def failing(kind: FailureKind, first: Iterable[int] = (), **more: float) -> Answer:
    """Fails the requests of these numbers after a tenth of a second, all of them where none is named."""
    numbers = set(first)

    async def answer(number: int) -> Completion:
        if numbers and number not in numbers:
            return await fine(number)
        await asyncio.sleep(0.1)
        raise CallError(kind, f"no {number}", **more)  # type: ignore[arg-type] # only numbers are given

    return answer


def until(end: float, kind: FailureKind) -> Answer:
    """Fails every request before a time."""

    async def answer(number: int) -> Completion:
        if now() < end:
            await asyncio.sleep(0.05)
            raise CallError(kind, "down")
        return await fine(number)

    return answer


def fatal(outcomes: Iterable[Completion | CallError]) -> list[str]:
    return [str(each) for each in outcomes if isinstance(each, CallError) and each.failure.fatal]


# how many


def test_in_good_times_the_limit_is_the_sum_of_what_the_judges_joined_with() -> None:
    scene = Scene(fine, concurrency=12)
    scene.gate.join(4)

    async def main() -> None:
        gated = Gated(scene.endpoint, scene.gate)
        await asyncio.gather(*(gated.complete(a_request()) for _ in range(50)))

    run(main())
    assert scene.gate.most == 16
    assert scene.endpoint.most == 16
    assert scene.endpoint.times == sorted([0.0] * 16 + [1.0] * 16 + [2.0] * 16 + [3.0] * 2)
    assert scene.events == []


def test_a_judge_that_joins_while_the_gate_is_in_use_makes_room() -> None:
    scene = Scene(fine, concurrency=2)

    async def main() -> None:
        await scene.outcomes(4)
        scene.gate.join(3)
        gated = Gated(scene.endpoint, scene.gate)
        await asyncio.gather(*(gated.complete(a_request()) for _ in range(9)))

    run(main())
    assert scene.endpoint.most == 5


def test_a_gate_that_nobody_joined_says_so_instead_of_waiting_for_ever() -> None:
    gated = Gated(Endpoint(fine), Gate(clock=VirtualClock()))
    with pytest.raises(ValueError, match="nobody has joined"):
        run(gated.complete(a_request()))


def test_auto_begins_at_32_and_grows_to_256_where_nothing_is_refused() -> None:
    endpoint = Endpoint(fine)
    gate = Gate(clock=VirtualClock())
    gate.join_auto()
    seen: list[int] = []

    async def main() -> None:
        gated = Gated(endpoint, gate)
        calls = asyncio.gather(*(gated.complete(a_request()) for _ in range(3000)))
        for _ in range(8):
            await asyncio.sleep(0.5)
            seen.append(endpoint.inside)
            await asyncio.sleep(0.5)
        await calls

    run(main())
    assert seen == [32, 64, 64, 128, 128, 256, 256, 256]


def test_a_drop_makes_the_limit_smaller_once_for_all_who_were_inside() -> None:
    scene = Scene(failing(K.TIMEOUT, range(1, 9)), concurrency=10, attempts=3)
    run(scene.outcomes(60))
    assert [event for event in scene.events if isinstance(event, Throttled)] == [Throttled(7, 0.0, "timeout")]


@pytest.mark.parametrize("kind", [K.SERVER, K.CONNECT, K.BAD_REQUEST, K.DECODE])
def test_what_fewer_calls_would_not_mend_leaves_the_limit_alone(kind: FailureKind) -> None:
    scene = Scene(failing(kind, [3, 4, 5]), concurrency=8)
    run(scene.outcomes(40))
    assert scene.events == []
    assert scene.endpoint.most == 8


# pauses


def test_a_hint_holds_back_everybody_and_lets_those_inside_finish() -> None:
    scene = Scene(failing(K.RATE_LIMIT, [4], retry_after=7), concurrency=4, attempts=3)
    found = run(scene.outcomes(20))
    assert not [each for each in found if isinstance(each, CallError)]
    assert [time for time in scene.endpoint.times if 0.1 < time < 7.1] == []
    assert scene.events == [Throttled(2, 7, "rate_limit")]


def test_after_a_pause_calls_go_out_one_by_one() -> None:
    scene = Scene(failing(K.RATE_LIMIT, [20], retry_after=5), concurrency=20, attempts=3)
    run(scene.outcomes(60))
    later = [time for time in scene.endpoint.times if 5 <= time < 6.1]
    assert len(later) == len(set(later)) == 14


def test_a_server_that_has_too_much_to_do_and_gives_no_hint_is_left_alone_for_a_second() -> None:
    scene = Scene(failing(K.RATE_LIMIT, [3]), concurrency=3, attempts=3)
    run(scene.outcomes(12))
    assert [time for time in scene.endpoint.times if 0.1 < time < 1.1] == []
    assert scene.events == [Throttled(2, 1.0, "rate_limit")]


def test_a_hint_beyond_what_anybody_waits_ends_the_run_at_once() -> None:
    scene = Scene(failing(K.RATE_LIMIT, [1], retry_after=86400), concurrency=1, attempts=3)

    async def main() -> list[str]:
        found = fatal(await scene.outcomes(3))
        assert now() == 0.1
        return found

    assert run(main()) == ["no 1; the server asks to wait 86,400 s, longer than 300 s"] * 3
    assert len(scene.endpoint.times) == 1


def test_the_hint_of_an_error_that_no_try_mends_holds_nobody_back() -> None:
    scene = Scene(failing(K.BAD_REQUEST, [1], retry_after=86400), concurrency=1)
    run(scene.outcomes(3))
    assert scene.endpoint.times == [0, 0.1, 1.1]


def test_a_storm_of_refusals_costs_few_requests_and_is_over_soon_after() -> None:
    scene = Scene(until(60, K.RATE_LIMIT), concurrency=32, attempts=3)
    found = run(scene.outcomes(1500))
    assert len([time for time in scene.endpoint.times if time < 60]) <= 2 * 32 + 60
    assert sum(80 <= time < 100 for time in scene.endpoint.times) >= 0.9 * 20 * 32
    assert [str(each) for each in found if isinstance(each, CallError)] == []


def test_the_pause_without_a_hint_is_a_rule_of_the_gate() -> None:
    scene = Scene(failing(K.RATE_LIMIT, [1]), concurrency=1, rules=GateRules(pause=0))
    run(scene.outcomes(2))
    assert scene.endpoint.times == [0, 0.1]


# rates


def test_requests_per_minute_are_spread_over_the_minute() -> None:
    scene = Scene(fine, concurrency=8, rules=GateRules(requests_per_minute=60))
    run(scene.outcomes(10))
    assert scene.endpoint.times == pytest.approx(range(10))


def test_tokens_per_minute_are_guessed_and_then_corrected_by_what_was_used() -> None:
    async def cheap(number: int) -> Completion:
        return replace(await fine(number), usage=Usage(50, 50))

    scene = Scene(cheap, concurrency=1, rules=GateRules(tokens_per_minute=6000))

    async def main() -> None:
        for _ in range(3):
            await scene.outcome(a_request("x" * 400, max_tokens=900))

    run(main())
    assert scene.endpoint.times == pytest.approx([0, 1, 2])
    scene = Scene(fine, concurrency=1, rules=GateRules(tokens_per_minute=6000))
    run(main())
    assert scene.endpoint.times == pytest.approx([0, 10, 20])


# the circuit


def test_a_dead_endpoint_costs_few_requests_of_many_rows_and_ends_the_run() -> None:
    scene = Scene(failing(K.CONNECT), concurrency=32, attempts=3)
    ended: list[float] = []

    async def main() -> list[str]:
        found = fatal(await scene.outcomes(100_000, stop_when_fatal=True))
        ended.append(now())
        return found

    found = run(main())
    opened = next(event for event in scene.events if isinstance(event, CircuitOpened))
    assert opened.seconds == 10
    assert len(scene.endpoint.times) <= 32 + 60
    assert found[0].endswith("the endpoint has failed every call for 600 s and is given up")
    assert ended == pytest.approx([600.1])


def test_one_caller_alone_gives_a_dead_endpoint_up_as_well() -> None:
    scene = Scene(failing(K.SERVER), concurrency=1, attempts=3)
    found = run(scene.outcomes(1000, stop_when_fatal=True))
    assert len(scene.endpoint.times) <= 20 + 60
    assert isinstance(found[-1], CallError)
    assert found[-1].failure.fatal


def test_an_endpoint_is_given_up_in_time_though_its_probe_hangs() -> None:
    async def answer(number: int) -> Completion:
        await asyncio.sleep(0.1 if number <= 20 else 5000)
        raise CallError(K.TIMEOUT, "late")

    scene = Scene(answer, concurrency=20)

    async def main() -> list[float]:
        await asyncio.gather(*(scene.outcome() for _ in range(20)))
        probe = asyncio.create_task(scene.outcome())
        await asyncio.sleep(0)
        waiting = await asyncio.gather(*(scene.outcome() for _ in range(5)))
        assert len(fatal(waiting)) == 5
        found = [now()]
        await probe
        return found

    assert run(main()) == pytest.approx([600.1])
    assert len(scene.endpoint.times) == 21


def test_an_endpoint_that_comes_back_finds_every_row_waiting() -> None:
    scene = Scene(until(35, K.RESET), concurrency=32, attempts=3)
    found = run(scene.outcomes(200))
    assert [each for each in found if isinstance(each, CallError)] == []
    assert [type(event) for event in scene.events] == [CircuitOpened, CircuitClosed]
    assert len(scene.endpoint.times) == 200 + 32 + 3  # those inside when it went away, and three probes in vain


def test_a_reply_to_a_call_that_was_inside_closes_the_circuit_too() -> None:
    async def answer(number: int) -> Completion:
        if 1 < number <= 40:
            raise CallError(K.SERVER, "HTTP 500")
        await asyncio.sleep(3)
        return Completion("ok")

    scene = Scene(answer, concurrency=25)
    run(scene.outcomes(45))
    assert CircuitClosed(pytest.approx(3.0)) in scene.events  # type: ignore[arg-type] # compared as a number


def test_one_poisonous_row_costs_only_itself() -> None:
    class Poisoned(Endpoint):
        async def complete(self, request: Request) -> Completion:
            if request.labels.example_id == "poison":
                self.times.append(now())
                raise CallError(K.SERVER, "HTTP 500")
            return await super().complete(request)

    endpoint, clock = Poisoned(fine), VirtualClock()
    gate = Gate(clock=clock)
    gate.join(4)
    engine = Retrying(Gated(endpoint, gate), RetryPolicy(3), clock=clock, gate=gate)

    async def main() -> list[Completion | BaseException]:
        rows = [
            a_request(labels=replace(a_request().labels, example_id="poison" if n == 5 else str(n))) for n in range(200)
        ]
        return await asyncio.gather(*(engine.complete(row) for row in rows), return_exceptions=True)

    found = run(main())
    assert [n for n, each in enumerate(found) if isinstance(each, CallError)] == [5]
    assert len(endpoint.times) == 199 + 4


def test_a_probe_whose_caller_gives_up_makes_way_for_another() -> None:
    async def answer(number: int) -> Completion:
        if number <= 20:
            raise CallError(K.SERVER, "HTTP 500")
        await asyncio.sleep(1000)
        return Completion("late")

    scene = Scene(answer, concurrency=30)

    async def main() -> None:
        await asyncio.gather(*(scene.outcome() for _ in range(20)))
        first = asyncio.create_task(scene.outcome())
        second = asyncio.create_task(scene.outcome())
        await asyncio.sleep(15)
        first.cancel()
        await asyncio.sleep(10)
        second.cancel()
        await asyncio.wait([first, second])

    run(main())
    assert scene.endpoint.times[20:] == [10, 20]


def test_a_probe_that_is_refused_for_itself_shows_that_the_endpoint_lives() -> None:
    async def answer(number: int) -> Completion:
        raise CallError(K.SERVER if number <= 20 else K.INPUT_TOO_LONG, "no")

    scene = Scene(answer, concurrency=20)
    run(scene.outcomes(100))
    assert scene.events == [CircuitOpened(10.0, "no"), CircuitClosed(10.0)]
    assert scene.endpoint.times[20:] == [10.0] * 80


def test_an_outage_of_yesterday_says_nothing_of_today() -> None:
    scene = Scene(until(5000, K.CONNECT), concurrency=30)

    async def main() -> Completion | CallError:
        await scene.outcomes(20)
        await asyncio.sleep(10_000)
        return await scene.outcome()

    assert isinstance(run(main()), Completion)


# the end


@pytest.mark.parametrize("kind", [K.AUTH, K.QUOTA, K.MODEL_NOT_FOUND])
def test_what_only_a_user_can_mend_costs_no_more_requests_than_are_inside(kind: FailureKind) -> None:
    async def answer(number: int) -> Completion:
        await asyncio.sleep(1)
        raise CallError(kind, "no", raw="body", fatal=True)

    scene = Scene(answer, concurrency=8, attempts=3)
    found = run(scene.outcomes(1000))
    assert len(scene.endpoint.times) == 8
    assert fatal(found) == ["no"] * 1000
    assert sum(each.requests for each in found if isinstance(each, CallError)) == 8


def test_whoever_waits_learns_of_the_end_at_once() -> None:
    async def answer(number: int) -> Completion:
        await asyncio.sleep(1)
        raise CallError(K.QUOTA, "no", fatal=True)

    scene = Scene(answer, concurrency=2)

    async def main() -> list[str]:
        gated = Gated(scene.endpoint, scene.gate)
        found = await asyncio.gather(*(gated.complete(a_request()) for _ in range(50)), return_exceptions=True)
        assert now() == 1
        return [str(each) for each in found]

    assert run(main()) == ["no"] * 50
    assert len(scene.endpoint.times) == 2


def test_a_gate_that_is_opened_again_asks_again() -> None:
    scene = Scene(until(1, K.AUTH), concurrency=1)

    async def refuse(number: int) -> Completion:
        if now() < 1:
            raise CallError(K.AUTH, "no", fatal=True)
        return await fine(number)

    scene.endpoint._answer = refuse

    async def main() -> list[type]:
        found = [await scene.outcome()]
        await asyncio.sleep(2)
        found.append(await scene.outcome())
        scene.gate.reopen()
        found.append(await scene.outcome())
        return [type(each) for each in found]

    assert run(main()) == [CallError, CallError, Completion]
    assert len(scene.endpoint.times) == 2


def test_one_forbidden_row_is_the_rows_and_five_in_a_row_are_the_keys() -> None:
    scene = Scene(failing(K.FORBIDDEN, [1, 2, 3, 4, 6, 7, 8, 9, 10]), concurrency=1, attempts=3)
    found = run(scene.outcomes(12))
    assert len(scene.endpoint.times) == 10
    assert isinstance(found[4], Completion)
    assert fatal(found) == ["no 10 (5 requests in a row are forbidden, so the key is taken to be)"] * 3


@pytest.mark.parametrize("kind", [K.BAD_REQUEST, K.INPUT_TOO_LONG, K.FILTERED, K.UNSUPPORTED_PARAM])
def test_refusals_that_are_about_one_request_neither_open_the_circuit_nor_end_anything(kind: FailureKind) -> None:
    scene = Scene(failing(kind), concurrency=4, attempts=3)
    found = run(scene.outcomes(100))
    assert len(scene.endpoint.times) == 100
    assert fatal(found) == []
    assert scene.events == []


# the budget of retries


def test_when_the_budget_of_retries_is_spent_errors_are_raised_and_say_so() -> None:
    async def answer(number: int) -> Completion:
        if number % 5:
            raise CallError(K.SERVER, "HTTP 500")
        return Completion("ok")

    scene = Scene(answer, concurrency=4, attempts=3)
    found = run(scene.outcomes(2000))
    retries = len(scene.endpoint.times) - 2000
    assert retries == scene.gate.budget.retries <= 100 + 0.1 * len(scene.endpoint.times)
    assert any("are used up" in str(each) for each in found)


def test_waiting_as_the_server_asks_costs_nothing_of_the_budget() -> None:
    scene = Scene(failing(K.RATE_LIMIT, range(1, 30), retry_after=1), concurrency=2, attempts=50)
    run(scene.outcomes(10))
    assert scene.gate.budget.retries == 0


# odds and ends


def test_what_is_no_call_error_gives_the_place_back() -> None:
    async def answer(number: int) -> Completion:
        raise NotYet

    scene = Scene(answer, concurrency=1)

    async def main() -> None:
        for _ in range(3):
            with pytest.raises(NotYet):
                await scene.engine.complete(a_request())

    run(main())
    assert len(scene.endpoint.times) == 3


def test_nothing_is_left_behind_when_nobody_waits() -> None:
    scene = Scene(failing(K.RATE_LIMIT, [1], retry_after=200), concurrency=1)

    async def main() -> int:
        await scene.outcome()
        waiting = asyncio.create_task(scene.outcome())
        await asyncio.sleep(1)
        waiting.cancel()
        await asyncio.wait([waiting])
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert run(main()) == 1


def test_each_event_loop_has_an_entrance_of_its_own() -> None:
    scene = Scene(fine, concurrency=2)
    for _ in range(2):
        run(scene.outcomes(6))
    assert scene.endpoint.most == 2
