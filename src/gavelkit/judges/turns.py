"""One order of a two-step judgment: an assessment in free text, a choice in the same conversation, a summary."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from gavelkit.core.completion import Completion
from gavelkit.core.criterion import Criterion, Options
from gavelkit.core.errors import CallError, NotYet, ParseError, UsageError
from gavelkit.core.example import Example, Uses
from gavelkit.core.failure import Failure, FailureKind
from gavelkit.core.grade import Grade
from gavelkit.core.judgment import Step
from gavelkit.core.message import Labels, Message, Parameters, Request
from gavelkit.core.protocols import Engine, Wrap
from gavelkit.core.slot import Slot
from gavelkit.core.status import Status
from gavelkit.judges.call_log import log_call
from gavelkit.judges.choice import Choice
from gavelkit.judges.verdict import Verdict
from gavelkit.parsing import without_thinking
from gavelkit.prompts import Prompt

ASSESSMENT = "assessment"
SELECTION = "option_selection"
SUMMARY = "summarization"
SECOND = "positional_bias_"
"""Before the name of a step of the second order."""


@dataclass(frozen=True, slots=True)
class Question:
    """What one order asks: of which example and slot, with which variables, and the options in the order shown.

    `system` is whose response the prompts read, None where the responses are among the variables.
    """

    example: Example
    slot: Slot
    options: Options
    system: str | None
    given: Mapping[str, Any]
    second: bool = False

    def step(self, name: str) -> str:
        """The step's name in this order."""
        return f"{SECOND}{name}" if self.second else name


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one order came to. The last step is the one that decided."""

    verdict: Verdict
    steps: tuple[Step, ...] = ()

    @property
    def choice(self) -> str | None:
        """The option that was chosen."""
        grade = self.verdict.grade
        return None if grade is None or self.verdict.status is not Status.OK else str(grade.value)


@dataclass(frozen=True, slots=True)
class Turns:
    """The prompts of one order and the engine that answers them.

    Without `assess` the choice is asked for at once. `apart` keeps equal prompts about different examples apart.
    """

    choose: Prompt
    choice: Choice
    parameters: Parameters
    engine: Engine
    assess: Prompt | None = None
    summarise: Prompt | None = None
    apart: bool = False
    uses: Uses = field(init=False, compare=False)

    def __post_init__(self) -> None:
        uses = self.choose.uses
        for prompt in (self.assess, self.summarise):
            uses = uses if prompt is None else uses | prompt.uses
        object.__setattr__(self, "uses", uses)

    @property
    def material(self) -> dict[str, object]:
        """What shapes the questions, for a judge's identity."""
        named = {ASSESSMENT: self.assess, SELECTION: self.choose, SUMMARY: self.summarise}
        prompts = {name: dict(prompt.material) for name, prompt in named.items() if prompt is not None}
        apart: dict[str, object] = {"apart": True} if self.apart else {}
        plain: dict[str, object] = {"plain": True} if self.parameters.plain else {}
        return {
            "model": self.parameters.model,
            "parameters": self.parameters.values,
            **self.choice.material,
            "prompts": prompts,
            **apart,
            **plain,
        }

    def bind(self, wrap: Wrap) -> Self:
        """The same with the engine wrapped."""
        return replace(self, engine=wrap(self.engine))

    def prepare(self, question: Question) -> None:
        """Render what can be rendered before any reply. Raises TemplateError, DataError, or ConfigError for options."""
        self.choice.reader(question.options)
        self._opening(question)
        self._choosing(question)

    async def run(self, question: Question) -> Outcome:
        """Ask step by step. Failures come back as the verdict's status; so does a reply that is not there yet."""
        steps: list[Step] = []
        try:
            verdict = await self._run(question, steps)
        except NotYet:
            verdict = Verdict(Status.PENDING)
        except CallError as error:
            verdict = Verdict(Status.CALL_ERROR, failure=error.failure)
        except ParseError as error:
            verdict = _unread(error, steps[-1].completion)
        except (UsageError, UnicodeEncodeError) as error:
            verdict = Verdict(Status.INVALID_INPUT, failure=Failure(f"the prompt cannot be made: {error}"))
        return Outcome(verdict, tuple(steps))

    def requests(self, question: Question, replies: Mapping[str, str]) -> dict[str, Request]:
        """Each step's request, made again from the replies to the steps before it; those that cannot be are left out.

        Raises TemplateError, DataError or UnicodeEncodeError.
        """
        if self.assess is None:
            return {question.step(SELECTION): self._selection(question, ())}
        opening = self._assessment(question)
        found = {question.step(ASSESSMENT): opening}
        reply = replies.get(question.step(ASSESSMENT))
        assessment = "" if reply is None else without_thinking(reply).strip()
        if assessment:
            found[question.step(SELECTION)] = self._selection(question, _with_reply(opening, assessment))
            if self.summarise is not None:
                found[question.step(SUMMARY)] = self._summary(question, assessment)
        return found

    async def _run(self, question: Question, steps: list[Step]) -> Verdict:
        if self.assess is None:
            return await self._select(question, (), steps)
        request = self._assessment(question)
        completion = await self._ask(request, steps)
        if completion.refusal:
            return Verdict(Status.REFUSED, failure=Failure("the model refused to answer", raw=completion.refusal))
        assessment = without_thinking(completion.text).strip()
        if not assessment:
            message = "the assessment is empty" if not completion.text.strip() else "the assessment is only thinking"
            raise ParseError(message, kind=FailureKind.EMPTY)
        said = _with_reply(request, assessment)
        if self.summarise is None:
            verdict = await self._select(question, said, steps)
        else:
            summary, verdict = await self._both(question, said, steps)
            verdict = _with_part(verdict, "summary", summary)
        return _explained(verdict, assessment, cut=completion.cut)

    async def _both(self, question: Question, said: tuple[Message, ...], steps: list[Step]) -> tuple[str, Verdict]:
        """Summary and choice side by side. A summary that failed costs nobody the verdict, unless it is fatal."""
        aside: list[Step] = []
        summing = self._ask(self._summary(question, said[-1].content), aside)
        found = await asyncio.gather(summing, self._select(question, said, steps), return_exceptions=True)
        summary, verdict = found
        if isinstance(verdict, BaseException):
            raise verdict
        if isinstance(summary, BaseException):
            if not isinstance(summary, CallError) or summary.failure.fatal:
                raise summary
            return "", verdict
        steps[-1:-1] = aside
        return without_thinking(summary.text).strip(), verdict

    async def _select(self, question: Question, said: tuple[Message, ...], steps: list[Step]) -> Verdict:
        request = self._selection(question, said)
        completion = await self._ask(request, steps)
        verdict = self.choice.read(completion, question.options)
        log_call(request, verdict.status, completion, verdict.failure)
        return verdict

    async def _ask(self, request: Request, steps: list[Step]) -> Completion:
        try:
            completion = await self.engine.complete(request)
        except CallError as error:
            log_call(request, Status.CALL_ERROR, None, error.failure)
            raise
        steps.append(Step(request.labels.step, completion))
        return completion

    def _assessment(self, question: Question) -> Request:
        return self._request(question, ASSESSMENT, self._opening(question), self.parameters)

    def _selection(self, question: Question, said: tuple[Message, ...]) -> Request:
        """The choice is asked for after what was said before in the conversation."""
        messages = (*said, *self._choosing(question))
        return self._request(question, SELECTION, messages, self.choice.parameters(self.parameters, question.options))

    def _summary(self, question: Question, assessment: str) -> Request:
        assert self.summarise is not None  # noqa: S101 - only asked for where there is one
        given = {**self._given(question), "assessment": assessment}
        messages = self.summarise.messages(question.example, question.system, given=given)
        return self._request(question, SUMMARY, messages, self.parameters)

    def _opening(self, question: Question) -> tuple[Message, ...]:
        if self.assess is None:
            return ()
        return self.assess.messages(question.example, question.system, given=self._given(question))

    def _choosing(self, question: Question) -> tuple[Message, ...]:
        return self.choose.messages(question.example, question.system, given=self._given(question))

    def _given(self, question: Question) -> dict[str, Any]:
        return {**question.given, "options": self.choice.shown(question.options), "choose_by": self.choice.by}

    def _request(self, question: Question, step: str, messages: tuple[Message, ...], parameters: Parameters) -> Request:
        slot = question.slot
        labels = Labels(slot.example_id, slot.judge, slot.systems, question.step(step))
        apart = f"{slot.place} {labels.step}" if self.apart else ""
        return Request(messages, parameters, slot.repeat, labels, apart)


def wording(criterion: Criterion) -> dict[str, str]:
    """The criterion as a template sees it."""
    return {"name": criterion.name, "description": criterion.description}


def _with_reply(request: Request, reply: str) -> tuple[Message, ...]:
    return (*request.messages, Message("assistant", reply))


def _unread(error: ParseError, completion: Completion) -> Verdict:
    if completion.cut:
        message = "the assessment was cut at its token limit before it began"
        return Verdict(Status.TRUNCATED, failure=Failure(message, raw=completion.text))
    return Verdict(Status.PARSE_ERROR, failure=Failure(str(error), kind=error.kind, raw=completion.text))


def _explained(verdict: Verdict, assessment: str, *, cut: bool) -> Verdict:
    """The verdict with the assessment as its explanation."""
    if verdict.grade is None:
        return verdict
    return replace(verdict, grade=replace(verdict.grade, explanation=assessment, cut=verdict.grade.cut or cut))


def _with_part(verdict: Verdict, name: str, value: str) -> Verdict:
    grade: Grade | None = verdict.grade
    if grade is None or not value:
        return verdict
    return replace(verdict, grade=replace(grade, parts={**grade.parts, name: value}))
