"""An engine that replies by the step it is asked for, and judges as small as a test needs; no test is here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import CallError, NotYet
from gavelkit.core.example import Example
from gavelkit.core.failure import FailureKind
from gavelkit.core.judgment import Judgment
from gavelkit.core.message import Parameters, Request
from gavelkit.core.protocols import Engine
from gavelkit.core.slot import Slot
from gavelkit.datasets import RowMapping
from gavelkit.judges import Choice, Pairwise, Turns, TwoStep
from gavelkit.judges.choice import ChooseBy
from gavelkit.judges.turns import Question, wording
from gavelkit.prompts import Prompt, Template

ASSESS = "{% if context %}{{ context }}\n{% endif %}Assess {{ response }}: {{ criterion.description }}"
COMPARE = "{% if context %}{{ context }}\n{% endif %}A: {{ response_a }}\nB: {{ response_b }}"
CHOOSE = "{% for option in options %}{{ option.label }}={{ option.name }};{% endfor %}"
SUMMARISE = "In short: {{ assessment }}"
SECOND = "positional_bias_"

QUALITY = Criterion("quality", Options({"Very Good": 1.0, "Good": 0.5, "Bad": 0.0}), description="Is it good?")

Turn = str | Completion | CallError | NotYet
Reply = Turn | Callable[[Request], Turn]


class Steps:
    """Answers each step by what is written for it; the second order as the first, where nothing is written for it."""

    def __init__(
        self,
        choice: Reply = "Good",
        second: Reply | None = None,
        *,
        assessment: Reply = "It is fine.",
        second_assessment: Reply | None = None,
        summary: Reply = "Fine.",
    ) -> None:
        self.requests: list[Request] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._replies = {"option_selection": choice, "assessment": assessment, "summarization": summary}
        if second is not None:
            self._replies[f"{SECOND}option_selection"] = second
        if second_assessment is not None:
            self._replies[f"{SECOND}assessment"] = second_assessment

    @property
    def asked(self) -> list[str]:
        """The steps, in the order asked."""
        return [request.labels.step for request in self.requests]

    def request(self, step: str) -> Request:
        """The one request of a step."""
        (found,) = (request for request in self.requests if request.labels.step == step)
        return found

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        for _ in range(3):  # so that what is asked side by side is in flight side by side
            await asyncio.sleep(0)
        self._in_flight -= 1
        step = request.labels.step
        reply = self._replies.get(step, self._replies.get(step.removeprefix(SECOND)))
        turn = reply(request) if callable(reply) else reply
        assert turn is not None, f"nothing is written for the step {step!r}"
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, Completion) else Completion(turn, finish_reason="stop")


def some_turns(engine: Engine, *, by: ChooseBy = "text", opening: str = ASSESS, **more: Any) -> Turns:
    given: dict[str, Any] = {
        "choose": Prompt(Template(CHOOSE)),
        "choice": Choice(by),
        "parameters": Parameters("m", {"temperature": 0.0}),
        "engine": engine,
        "assess": Prompt(Template(opening)),
    }
    return Turns(**{**given, **more})


def summarising(engine: Engine, **more: Any) -> Turns:
    return some_turns(engine, summarise=Prompt(Template(SUMMARISE)), **more)


def a_two_step(engine: Engine, *, by: ChooseBy = "text", turns: Turns | None = None, **more: Any) -> TwoStep:
    given: dict[str, Any] = {"name": "quality", "criterion": QUALITY, "turns": turns or some_turns(engine, by=by)}
    return TwoStep(**{**given, **more})


def a_pairwise(engine: Engine, *, by: ChooseBy = "text", turns: Turns | None = None, **more: Any) -> Pairwise:
    made = turns or some_turns(engine, by=by, opening=COMPARE)
    given: dict[str, Any] = {"name": "better", "criterion": Criterion("", description="Which?"), "turns": made}
    return Pairwise(**{**given, **more})


def a_row(response: Any = "r", **columns: Any) -> Example:
    return RowMapping().example({"id": "7", "question": "q", "response": response, **columns}, number=1)


def of_systems(responses: Mapping[str, str] | None = None, **columns: Any) -> Example:
    """A row of several systems; each says its own name where nothing else is given."""
    example = a_row("", **columns)
    return replace(example, responses=dict(responses or {"a": "a", "b": "b"}))


def a_question(response: str = "r", *, second: bool = False, **columns: Any) -> Question:
    assert isinstance(QUALITY.scale, Options)
    example = a_row(response, **columns)
    given = {"criterion": wording(QUALITY), "context": ""}
    return Question(example, Slot("quality", "7", ("",)), QUALITY.scale, "", given, second=second)


def judged(judge: TwoStep | Pairwise, example: Example) -> Judgment:
    (judgment,) = asyncio.run(judge(example))
    return judgment


def broken(kind: FailureKind = FailureKind.SERVER, *, fatal: bool = False) -> CallError:
    return CallError(kind, "down", fatal=fatal)
